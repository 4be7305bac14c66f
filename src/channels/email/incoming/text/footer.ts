/**
 * What servers and companies put below a mail: it is confidential, it has no virus, who the company is. Only what says so of itself is a
 * footer. Everything else is what a person wants to say: "Actually no." below a quote takes back the "Yes" above it.
 */
import { isBlank } from '../../../../core/text.js';
import { hasDecisiveWord } from './decisive-words.js';
import { isRule } from './quoted-lines.js';

const marks =
  /\b(?:confidential(?:ity)?|privileged|addressees?|intended recipients?|disclaimer|virus(?:-free|es)?|malware|unsubscribe|registered office|company registration|all rights reserved|consider the environment|(?:scanned|checked|protected|secured) by)\b|vertraulich|\badressat|richtige empfänger|virenfrei|\bviren\b|handelsregister|amtsgericht|registergericht|geschäftsführ(?:er|ung)|\bust-?id|umwelt|(?:geprüft|gescannt) von|confidentiel|destinataires?\b|siège social|environnement|tous droits réservés|confidencial|destinatarios?\b|medio ambiente|aviso legal|todos los derechos reservados/iu;
const tags = /^\[(?:external|extern|externe|externo|caution|internal|public|confidential|secure)\]$/i;
/** A note that is about the answer, whatever else it says. */
const about =
  /\b(?:refund|pay|paid|payment|approve|approval|erstatt|zahl|genehmig|rembours|pai|approuv|reembols|pag|aprob)|[€$£]|\b(?:eur|euros?|usd)\b/iu;
const legalForms =
  /(?:^|\s)(?:GmbH|mbH|AG|KG|OHG|UG|e\.\s?K\.|SE|Ltd|Limited|LLC|LLP|Inc|Corp|PLC|Plc|SARL|SAS|SA|S\.A\.|SL|S\.L\.|BV|B\.V\.|NV|Oy|AB|ApS)\.?(?=$|[\s,;|)])/u;

/** Whether every paragraph of the text says of itself that it is no part of what somebody wrote. */
export function isFooter(text: string): boolean {
  const paragraphs = text.split(/\n\s*\n/).filter((each) => !isBlank(each));
  return paragraphs.every((paragraph) => {
    const whole = paragraph
      .split('\n')
      .filter((line) => !isRule(line))
      .join(' ')
      .trim();
    return whole === '' || tags.test(whole) || isNotice(whole) || isCompany(whole);
  });
}

/** It speaks about the mail, and not about what is to be paid. */
function isNotice(paragraph: string): boolean {
  return marks.test(paragraph) && !about.test(paragraph) && !takesBack.test(paragraph);
}

/** Who takes something back begins so. */
const takesBack =
  /^(?:please |sorry,? |bitte )?(?:no\b(?! virus)|not|never|but|only|just|until|wait|stop|hold|do(?:n['’]?t| not)|however|except|actually|nein|nicht|aber|nur|erst|warte|stopp|doch|non\b|pas|mais|seulement|sauf|pero|sólo|solo|salvo|espera)\b/iu;

/** A company by its legal form: `Example GmbH, Beispielstraße 12`. */
export function isCompany(line: string): boolean {
  return legalForms.test(line) && !hasDecisiveWord(line);
}

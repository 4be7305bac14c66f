import type { Language, ProgramName, Typed } from './programs.js';

/** One reply to the mail "Refund order 12345?": what Anna Smith typed, and what a careful human says she decided. */
export interface MailReply {
  readonly program: ProgramName;
  readonly language: Language;
  readonly typed: Typed;
  readonly want: 'yes' | 'no' | 'again';
  readonly rating: 'must' | 'should';
  readonly about: string;
}

function row(
  language: Language,
  program: ProgramName,
  want: MailReply['want'],
  rating: MailReply['rating'],
  about: string,
  typed: Typed,
): MailReply {
  return { program, language, typed, want, rating, about };
}

/**
 * What stands behind the line `-- ` is a signature by convention (RFC 3676) and is left out whatever it says: no row has a limit there.
 */
export const mailReplies: readonly MailReply[] = [
  // English: clear answers
  row('en', 'gmailWeb', 'yes', 'must', 'plain yes', { above: ['Yes'] }),
  row('en', 'gmailPhone', 'no', 'must', 'plain no', { above: ['No'] }),
  row('en', 'outlookClassic', 'yes', 'must', 'greeting, closing line, first name', {
    above: ['Hi,', '', 'Yes please.', '', 'Thanks,', 'Anna'],
  }),
  row('en', 'outlookClassicHtml', 'no', 'must', 'greeting, closing line, full name', {
    above: ['Hello,', '', 'No, sorry.', '', 'Kind regards,', 'Anna Smith'],
  }),
  row('en', 'outlookWeb', 'yes', 'must', 'greeting to the team, go ahead', {
    above: ['Hello team,', '', 'yes, go ahead.', '', 'Best,', 'Anna'],
  }),
  row('en', 'outlookMac', 'no', 'must', 'good morning, full name', {
    above: ['Good morning,', '', 'No.', '', 'Best regards', 'Anna Smith'],
  }),
  row('en', 'outlookPhone', 'yes', 'must', 'thanks and device line', { above: ['Yes, thank you'], device: true }),
  row('en', 'appleMac', 'no', 'must', 'short name with initial', {
    above: ['Hi there,', '', "no, please don't.", '', 'Anna S.'],
  }),
  row('en', 'appleMacPlain', 'yes', 'must', 'yes said again in words of the question', {
    above: ['Yes, please refund it.', '', 'Many thanks', 'Anna'],
  }),
  row('en', 'applePhone', 'yes', 'must', 'lower case, short thanks, device line', {
    above: ['yes! thx'],
    device: true,
  }),
  row('en', 'thunderbirdPlain', 'no', 'must', 'bottom posting with closing line', {
    below: ['No', '', 'Cheers', 'Anna'],
  }),
  row('en', 'thunderbirdHtml', 'yes', 'must', 'bottom posting, name', { below: ['Yes, that is fine.', '', 'Anna'] }),
  row('en', 'gmxWeb', 'no', 'must', 'good evening and a wish', {
    above: ['Good evening,', '', 'no thank you.', '', 'Have a nice evening', 'Anna Smith'],
  }),
  row('en', 'k9', 'yes', 'must', 'closing line and name in one line, device line', {
    above: ['Yes.', '', 'Regards, Anna'],
    device: true,
  }),
  row('en', 'yahooWeb', 'no', 'must', 'no said again in words of the question', {
    above: ['No, do not refund it.', '', 'Thanks!'],
  }),
  row('en', 'proton', 'yes', 'must', 'formal closing', {
    above: ['Dear all,', '', 'Yes.', '', 'Yours sincerely', 'Anna Smith'],
  }),
  row('en', 'mutt', 'yes', 'must', 'inline behind the question, with name', {
    inline: [{ afterLine: 2, lines: ['Yes, ok.', '', 'Anna'] }],
  }),
  row('en', 'oldPlain', 'no', 'must', 'inline behind the question', {
    inline: [{ afterLine: 2, lines: ['No, thanks.'] }],
  }),
  row('en', 'gmailWeb', 'yes', 'must', 'set up signature with phone number', {
    above: ['Hi, yes, please do.'],
    signature: ['Anna Smith', '+44 20 7946 0123'],
  }),
  row('en', 'outlookClassic', 'no', 'must', 'phone line under the name', {
    above: ['No', '', 'Thanks and regards', 'Anna Smith', 'Mobile: +44 7700 900123'],
  }),
  row('en', 'thunderbirdPlain', 'yes', 'must', 'bottom posting with set up signature', {
    below: ['Hello, yes!'],
    signature: ['Anna Smith'],
  }),
  row('en', 'mutt', 'no', 'must', 'bottom posting, courtesy, set up signature', {
    below: ['Hi all,', '', 'No.', '', 'Thanks for asking!'],
    signature: ['Anna'],
  }),
  row('en', 'applePhone', 'no', 'must', 'courtesy, name, device line', {
    above: ['No, thanks for checking', '', 'Anna'],
    device: true,
  }),
  row('en', 'yahooWeb', 'yes', 'must', 'smiley and a wish for the weekend', {
    above: ['Hey,', '', 'yes of course :)', '', 'Have a great weekend!'],
  }),
  row('en', 'outlookClassicHtml', 'yes', 'should', 'company signature with legal footer', {
    above: ['Yes.', '', 'Kind regards', 'Anna'],
    signature: [
      'Anna Smith',
      'Head of Customer Service',
      'Example Trading Ltd',
      '12 Station Road, Leeds LS1 4AB',
      'T +44 113 496 0123 | www.example.com',
      '',
      'Registered in England and Wales No. 01234567. This email and any attachments are confidential.',
    ],
  }),
  row('en', 'outlookWeb', 'no', 'should', 'company signature with disclaimer', {
    above: ['Hi both,', '', 'No, please leave it.'],
    signature: [
      'Anna Smith | Operations Manager',
      'Example Stores Inc.',
      '500 Main Street, Springfield',
      'anna@example.com',
      '',
      'If you are not the intended recipient of this message, please notify the sender and delete it.',
    ],
  }),
  row('en', 'gmailWeb', 'yes', 'should', 'company signature with social links', {
    above: ['Yes, many thanks for your help.'],
    signature: [
      'Anna Smith (she/her)',
      'Refunds Team Lead, Example Shop',
      'LinkedIn | Instagram | Book a meeting',
      'Please consider the environment before printing this email.',
    ],
  }),
  row('en', 'proton', 'yes', 'should', 'signature with a slogan that starts with No', {
    above: ['Hi, that is a yes.'],
    signature: ['Anna', 'No planet B.'],
  }),
  row('en', 'gmailPhone', 'yes', 'should', 'yep and thumbs up', { above: ['yep 👍'] }),
  row('en', 'outlookPhone', 'no', 'should', 'own words as phone signature', {
    above: ['No, not this time.'],
    signature: ['Typed on my phone, sorry for typos'],
  }),
  row('en', 'k9', 'no', 'should', 'pointer to the inline answer', {
    above: ['Hi, my answer is below.'],
    inline: [{ afterLine: 2, lines: ['No, better not.'] }],
  }),

  // English: ask again
  row('en', 'gmailWeb', 'again', 'must', 'condition in the first line', {
    above: ['If the parcel is back in the warehouse, yes.', '', 'Anna'],
  }),
  row('en', 'gmailPhone', 'again', 'must', 'limit in the last line', {
    above: ['Yes', '', 'but keep the shipping fee'],
  }),
  row('en', 'outlookClassic', 'again', 'must', 'condition below the closing line', {
    above: ['Yes.', '', 'Kind regards', 'after Bob has signed off'],
  }),
  row('en', 'outlookClassicHtml', 'again', 'must', 'limit below the name', {
    above: ['Yes please', '', 'Thanks', 'Anna', '', 'Not the gift card though.'],
  }),
  row('en', 'outlookWeb', 'again', 'must', 'hold it, in a P.S.', {
    above: ['Yes', '', 'Anna', '', 'P.S. Hold it until the bank calls back.'],
  }),
  row('en', 'outlookMac', 'again', 'must', 'half above a phone number', {
    above: ['Yes', '', 'Anna Smith', 'Half the amount', '+44 20 7946 0777'],
  }),
  row('en', 'outlookPhone', 'again', 'must', 'line that looks like a footer', {
    above: ['Yes.', '', 'Anna', '', 'This is confidential until legal agrees.'],
  }),
  row('en', 'appleMac', 'again', 'must', 'three lines that look like header lines', {
    above: ['Yes', '', 'From: 100', 'To: 50', 'Date: tomorrow'],
  }),
  row('en', 'appleMacPlain', 'again', 'must', 'line that looks like an attribution', {
    above: ['Yes, fine.', '', 'On second thought, no, see what Bob wrote:'],
  }),
  row('en', 'applePhone', 'again', 'must', 'line that looks like a device line', {
    above: ['Yes', '', 'Sent from my desk, so wait for Bob'],
  }),
  row('en', 'thunderbirdPlain', 'again', 'must', 'limit where a job title would be, bottom posting', {
    below: ['Yes', '', 'Anna Smith', 'Shipping costs only'],
  }),
  row('en', 'thunderbirdHtml', 'again', 'must', 'yes above, condition below the quote', {
    above: ['Yes'],
    below: ['Not before the customer returned the shoes.'],
  }),
  row('en', 'gmxWeb', 'again', 'must', 'yes above, question inline behind the customer', {
    above: ['Yes.'],
    inline: [{ afterLine: 3, lines: ['Is this the Ada who already got a refund?'] }],
  }),
  row('en', 'appleMac', 'again', 'must', "limit below the signature's name", {
    above: ['Yes'],
    signature: ['Anna Smith', 'but please wait for my call'],
  }),
  row('en', 'yahooWeb', 'again', 'must', 'yes above, no below the quote', {
    above: ['Yes', '', 'Anna'],
    below: ['No way'],
  }),
  row('en', 'proton', 'again', 'must', 'yes above, amount inline', {
    above: ['Yes, ok'],
    inline: [{ afterLine: 2, lines: ['but only 50'] }],
  }),
  row('en', 'mutt', 'again', 'must', 'yes only in the signature', {
    above: [],
    signature: ['Anna Smith', 'Yes to fair trade'],
  }),
  row('en', 'oldPlain', 'again', 'must', 'nothing typed, yes only in the quote', {}),
  row('en', 'gmailWeb', 'again', 'must', 'pointer to the opinion of another person', {
    above: ["I think yes, but see Bob's mail below."],
  }),
  row('en', 'gmailPhone', 'again', 'must', 'two answers in two lines', { above: ['Yes', 'No'] }),
  row('en', 'outlookClassic', 'again', 'must', 'yes and an amount', { above: ['Yes', '', '75.00'] }),
  row('en', 'outlookClassicHtml', 'again', 'must', 'yes and a date', { above: ['Yes', '', '1 March'] }),
  row('en', 'outlookWeb', 'again', 'must', 'yes, then a question', {
    above: ['Hi,', '', 'Yes. Did she send it back?', '', 'Best', 'Anna'],
  }),
  row('en', 'outlookMac', 'again', 'must', 'line that starts like a closing line', {
    above: ['Yes', '', 'Best to ask finance first,', 'Anna'],
  }),
  row('en', 'outlookPhone', 'again', 'must', 'takes it back in the same line', {
    above: ['Yes. Actually wait, let me check with accounting'],
    device: true,
  }),
  row('en', 'appleMac', 'again', 'must', 'absence note', {
    above: ['I am out of the office until 14 July and will answer when I am back.', '', 'Anna Smith'],
  }),
  row('en', 'appleMacPlain', 'again', 'must', 'limit inline behind the option Yes', {
    inline: [{ afterLine: 4, lines: ['up to 30 pounds'] }],
  }),
  row('en', 'applePhone', 'again', 'must', 'no that is no answer', { above: ['No idea, ask Bob'], device: true }),
  row('en', 'thunderbirdPlain', 'again', 'must', 'two opinions, bottom posting', {
    below: ['Bob says yes, Carol says no.', '', 'Anna'],
  }),
  row('en', 'thunderbirdHtml', 'again', 'must', 'condition below a typed divider', {
    above: ['Yes', '', '________________________________', 'Subject to approval by the board'],
  }),
  row('en', 'gmxWeb', 'again', 'must', 'number of another order', { above: ['Yes, refund 12354.'] }),
  row('en', 'k9', 'again', 'must', 'yes with a question mark', { above: ['Yes?', '', 'Anna'] }),
  row('en', 'yahooWeb', 'again', 'must', 'says the mail arrived, no decision', {
    above: ['Yes, got your mail, will look at it tonight.'],
  }),
  row('en', 'proton', 'again', 'must', 'another person, beside the name', {
    above: ['Yes', '', 'Anna (Bob wants to talk to you first)'],
  }),
  row('en', 'mutt', 'again', 'must', 'PS below the name, bottom posting', {
    below: ['Yes.', '', 'Anna', '', 'PS: store credit, not cash.'],
  }),
  row('en', 'oldPlain', 'again', 'must', 'two inline answers', {
    inline: [
      { afterLine: 2, lines: ['Yes'] },
      { afterLine: 5, lines: ['this would be wiser, I guess'] },
    ],
  }),
  row('en', 'outlookClassic', 'again', 'must', 'part of the order inline', {
    above: ['Yes', '', 'Anna'],
    inline: [{ afterLine: 2, lines: ['(the jacket, not the boots)'] }],
  }),
  row('en', 'gmailPhone', 'again', 'should', 'no problem', { above: ['No problem'] }),
  row('en', 'gmxWeb', 'again', 'must', 'condition inside a typed company footer', {
    above: [
      'Yes',
      '',
      'Anna Smith',
      'Example Trading Ltd',
      'Registered in England No. 01234567',
      'Payment leaves only with the second signature',
    ],
  }),
  row('en', 'oldPlain', 'again', 'must', 'no that is limited in time', {
    above: ['No, not before the audit is done.', '', 'Thanks', 'Anna'],
  }),

  // German: clear answers
  row('de', 'thunderbirdPlain', 'yes', 'must', 'plain ja', { above: ['Ja'] }),
  row('de', 'gmxWeb', 'no', 'must', 'plain nein', { above: ['Nein'] }),
  row('de', 'outlookClassic', 'no', 'must', 'formal greeting and closing', {
    above: ['Guten Tag,', '', 'nein, bitte nicht.', '', 'Mit freundlichen Grüßen', 'Anna Smith'],
  }),
  row('de', 'outlookClassicHtml', 'yes', 'must', 'hallo, gerne, viele Grüße', {
    above: ['Hallo,', '', 'ja, gerne.', '', 'Viele Grüße', 'Anna'],
  }),
  row('de', 'outlookWeb', 'no', 'must', 'greeting to all, beste Grüße', {
    above: ['Hallo zusammen,', '', 'nein.', '', 'Beste Grüße', 'Anna Smith'],
  }),
  row('de', 'outlookMac', 'yes', 'must', 'closing line and name in one line', {
    above: ['Moin,', '', 'ja, passt.', '', 'LG Anna'],
  }),
  row('de', 'outlookPhone', 'no', 'must', 'nein danke, device line', { above: ['Nein, danke'], device: true }),
  row('de', 'gmailWeb', 'yes', 'must', 'label of the option, abbreviated closing', {
    above: ['Yes', '', 'VG', 'Anna'],
  }),
  row('de', 'gmailPhone', 'no', 'must', 'leider nein', { above: ['Hi, leider nein.', '', 'Liebe Grüße', 'Anna'] }),
  row('de', 'appleMac', 'yes', 'must', 'phone line under the name', {
    above: ['Guten Morgen,', '', 'ja bitte.', '', 'Schöne Grüße', 'Anna Smith', 'Tel. 030 23125 012'],
  }),
  row('de', 'appleMacPlain', 'no', 'must', 'label of the option, Danke und Gruß', {
    above: ['No', '', 'Danke und Gruß', 'Anna'],
  }),
  row('de', 'applePhone', 'yes', 'must', 'vielen Dank, device line', { above: ['Ja, vielen Dank!'], device: true }),
  row('de', 'thunderbirdHtml', 'no', 'must', 'bottom posting, herzliche Grüße', {
    below: ['Nein, tut mir leid.', '', 'Herzliche Grüße', 'Anna'],
  }),
  row('de', 'k9', 'yes', 'must', 'smiley, bis dann, device line', {
    above: ['Ja klar :)', '', 'Bis dann', 'Anna'],
    device: true,
  }),
  row('de', 'yahooWeb', 'no', 'must', 'very formal', {
    above: ['Sehr geehrte Damen und Herren,', '', 'Nein.', '', 'Freundliche Grüße', 'A. Smith'],
  }),
  row('de', 'proton', 'yes', 'must', 'wish for the weekend', {
    above: ['Hallo liebes Team,', '', 'Ja!', '', 'Schönes Wochenende', 'Anna'],
  }),
  row('de', 'mutt', 'yes', 'must', 'bottom posting, set up signature with mobile number', {
    below: ['Ja, bitte erstatten.'],
    signature: ['Anna Smith', 'Mobil 0171 39200 45'],
  }),
  row('de', 'oldPlain', 'no', 'must', 'inline behind the question', {
    inline: [{ afterLine: 2, lines: ['Nein, auf keinen Fall.'] }],
  }),
  row('de', 'k9', 'yes', 'must', 'inline behind the question, with name', {
    inline: [{ afterLine: 2, lines: ['Ja, in Ordnung.', '', 'Anna'] }],
  }),
  row('de', 'gmailWeb', 'no', 'must', 'set up signature, first name only', {
    above: ['Hallo, nein, leider nicht.'],
    signature: ['Anna'],
  }),
  row('de', 'oldPlain', 'yes', 'must', 'bottom posting, Guten Abend', {
    below: ['Guten Abend,', '', 'ja.', '', 'Gruß', 'Anna Smith'],
  }),
  row('de', 'gmxWeb', 'yes', 'must', 'set up signature with phone number', {
    above: ['Ja, bitte machen.', '', 'Danke'],
    signature: ['Anna Smith', 'Telefon: 030 23125 099'],
  }),
  row('de', 'applePhone', 'no', 'must', 'danke der Nachfrage, device line', {
    above: ['Nein.', '', 'Danke der Nachfrage!', 'Anna'],
    device: true,
  }),
  row('de', 'thunderbirdPlain', 'no', 'must', 'bottom posting, set up signature', {
    below: ['Hallo Team,', '', 'nein, besser nicht.'],
    signature: ['Anna Smith'],
  }),
  row('de', 'outlookClassic', 'yes', 'should', 'company signature of a GmbH', {
    above: ['Ja, danke.', '', 'Mit freundlichen Grüßen'],
    signature: [
      'Anna Smith',
      'Leiterin Kundenservice',
      '',
      'Beispiel Handels GmbH',
      'Hauptstraße 12, 10115 Berlin',
      'T: 030 23125 100 | F: 030 23125 199',
      'www.example.com',
      '',
      'Geschäftsführer: Max Beispiel',
      'Amtsgericht Charlottenburg, HRB 123456 B, USt-IdNr. DE123456789',
    ],
  }),
  row('de', 'outlookClassicHtml', 'no', 'should', 'company signature with confidentiality note', {
    above: ['Nein, das lassen wir.', '', 'Freundlicher Gruß'],
    signature: [
      'i. A. Anna Smith',
      'Sachbearbeiterin Retouren',
      'Beispiel AG',
      '',
      'Diese E-Mail ist vertraulich. Wenn Sie nicht der richtige Adressat sind, löschen Sie sie bitte.',
    ],
  }),
  row('de', 'thunderbirdHtml', 'yes', 'should', 'company signature with an invitation', {
    above: ['Ja, sehr gerne, danke fürs Nachfragen.'],
    signature: ['Anna Smith', 'Vertrieb Innendienst', 'Beispiel KG', 'Besuchen Sie uns auf der Messe in Halle 4!'],
  }),
  row('de', 'proton', 'no', 'should', 'signature with a slogan that starts with Ja', {
    above: ['Hi, nein, diesmal nicht.'],
    signature: ['Anna Smith', 'Ja zum Ehrenamt!'],
  }),
  row('de', 'applePhone', 'yes', 'should', 'jo and thumbs up', { above: ['Jo, passt 👍'], device: true }),
  row('de', 'outlookPhone', 'no', 'should', 'own words as phone signature', {
    above: ['Nee, danke.'],
    signature: ['Von unterwegs getippt, Tippfehler bitte entschuldigen'],
  }),
  row('de', 'yahooWeb', 'yes', 'should', 'pointer to the inline answer', {
    above: ['Antwort siehe unten.', '', 'Gruß, Anna'],
    inline: [{ afterLine: 2, lines: ['Ja, ist okay.'] }],
  }),

  // German: ask again
  row('de', 'outlookWeb', 'again', 'must', 'condition in the first line', {
    above: ['Wenn die Ware wieder da ist: ja.', '', 'Gruß', 'Anna'],
  }),
  row('de', 'outlookMac', 'again', 'must', 'limit in the last line', {
    above: ['Ja', '', 'aber ohne die Versandkosten'],
  }),
  row('de', 'gmxWeb', 'again', 'must', 'condition below the closing line', {
    above: ['Ja.', '', 'Viele Grüße', 'sobald Bob zugestimmt hat'],
  }),
  row('de', 'gmailWeb', 'again', 'must', 'limit below the name', {
    above: ['Ja bitte', '', 'Danke', 'Anna', '', 'Den Gutschein aber nicht.'],
  }),
  row('de', 'appleMac', 'again', 'must', 'second thoughts in a P.S.', {
    above: ['Ja', '', 'LG', 'Anna', '', 'P.S. Moment, die Kundin hat gerade storniert, bitte erst klären.'],
  }),
  row('de', 'outlookClassic', 'again', 'must', 'half above a phone number', {
    above: ['Ja', '', 'Anna Smith', 'Halber Betrag', '030 23125 077'],
  }),
  row('de', 'outlookClassicHtml', 'again', 'must', 'line that looks like a footer', {
    above: ['Ja.', '', 'Anna Smith', '', 'Die Geschäftsführung muss aber noch zustimmen.'],
  }),
  row('de', 'thunderbirdPlain', 'again', 'must', 'three lines that look like header lines', {
    above: ['Ja', '', 'Von: 100', 'An: 50', 'Datum: morgen'],
  }),
  row('de', 'k9', 'again', 'must', 'line that looks like an attribution', {
    above: ['Ja, von mir aus.', '', 'Am Montag dann doch lieber nicht, Bob schrieb:'],
  }),
  row('de', 'outlookPhone', 'again', 'must', 'line that looks like a device line', {
    above: ['Ja', '', 'Von meinem Schreibtisch gesendet, also wartet auf Bob'],
  }),
  row('de', 'gmailPhone', 'again', 'must', 'limit where a job title would be', {
    above: ['Ja', '', 'Anna Smith', 'Nur Versand'],
  }),
  row('de', 'outlookWeb', 'again', 'must', 'yes above, condition below the quote', {
    above: ['Ja, gut.'],
    below: ['Erst wenn das Paket bei uns liegt.'],
  }),
  row('de', 'thunderbirdHtml', 'again', 'must', 'yes above, limit inline', {
    above: ['Ja, siehe unten.'],
    inline: [{ afterLine: 2, lines: ['aber höchstens 50'] }],
  }),
  row('de', 'proton', 'again', 'must', "limit below the signature's name", {
    above: ['Ja, erledigen.'],
    signature: ['Anna Smith', 'bitte noch nicht auszahlen'],
  }),
  row('de', 'mutt', 'again', 'must', 'yes above, no below the quote', { above: ['Ja'], below: ['Nein, doch nicht'] }),
  row('de', 'yahooWeb', 'again', 'must', 'yes only in the signature', {
    above: [''],
    signature: ['Anna', 'Ja zu Bio aus der Region'],
  }),
  row('de', 'applePhone', 'again', 'must', 'nothing typed, device line only', { device: true }),
  row('de', 'appleMacPlain', 'again', 'must', 'forwards the opinion of another person', {
    above: ['Ja? Bob sieht das anders, seine Mail hängt unten dran.'],
  }),
  row('de', 'oldPlain', 'again', 'must', 'two answers in two lines, bottom posting', { below: ['Nein', 'Ja'] }),
  row('de', 'gmailPhone', 'again', 'must', 'yes and an amount', { above: ['Ja', '49,90 €'] }),
  row('de', 'gmxWeb', 'again', 'must', 'yes and a date', { above: ['Ja', '', 'ab 15.03.'] }),
  row('de', 'outlookMac', 'again', 'must', 'yes, then a question', {
    above: ['Hallo,', '', 'ja. Ist das die Bestellung mit der kaputten Lampe?', '', 'Danke', 'Anna'],
  }),
  row('de', 'outlookClassic', 'again', 'must', 'line that starts like a closing line', {
    above: ['Ja', '', 'Gruß auch an Bob, der muss noch zustimmen,', 'Anna'],
  }),
  row('de', 'applePhone', 'again', 'must', 'takes it back', {
    above: ['Ja ... ach nee, lass mich kurz nachsehen'],
    device: true,
  }),
  row('de', 'outlookClassicHtml', 'again', 'must', 'absence note', {
    above: [
      'Vielen Dank für Ihre Nachricht. Ich bin bis zum 3. August im Urlaub.',
      '',
      'In dringenden Fällen hilft Ihnen Bob Meier.',
      '',
      'Anna Smith',
    ],
  }),
  row('de', 'appleMac', 'again', 'must', 'limit inline behind the option Yes', {
    inline: [
      { afterLine: 4, lines: ['für die Schuhe'] },
      { afterLine: 5, lines: ['für den Rest'] },
    ],
  }),
  row('de', 'outlookPhone', 'again', 'must', 'no that is no answer', {
    above: ['Nein, dazu kann ich nichts sagen, fragt Bob'],
    device: true,
  }),
  row('de', 'thunderbirdHtml', 'again', 'must', 'asks for time, bottom posting', {
    below: ['Ja, da muss ich erst noch drüber nachdenken.', '', 'Anna'],
  }),
  row('de', 'gmailWeb', 'again', 'must', 'condition below a typed divider', {
    above: ['Ja', '', 'Anna', '', '**********', 'Vorbehaltlich Freigabe durch die Buchhaltung'],
  }),
  row('de', 'yahooWeb', 'again', 'must', 'number of another order', {
    above: ['Ja, Bestellung 12435 bitte erstatten.'],
  }),
  row('de', 'proton', 'again', 'must', 'undecided', { above: ['Jein'] }),
  row('de', 'mutt', 'again', 'must', 'partial amount inline behind the customer', {
    inline: [
      { afterLine: 2, lines: ['Ja'] },
      { afterLine: 3, lines: ['ihr nur die Hälfte, sie ist Wiederverkäuferin'] },
    ],
  }),
  row('de', 'thunderbirdPlain', 'again', 'must', 'another opinion beside the name, bottom posting', {
    below: ['Ja', '', 'Anna, gegen den Rat von Bob, bitte noch prüfen'],
  }),
  row('de', 'k9', 'again', 'must', 'PS below name and phone number', {
    above: ['Ja.', '', 'Anna', '0171 39200 45', '', 'PS: als Gutschein'],
  }),
  row('de', 'oldPlain', 'again', 'must', 'no that is limited in time', { above: ['Nein, erst im Mai.'] }),
  row('de', 'appleMacPlain', 'again', 'must', 'condition beside the greeting', {
    above: ['Hallo, falls Carol auch dafür ist,', '', 'ja', '', 'Gruß', 'Anna'],
  }),
  row('de', 'outlookClassic', 'again', 'must', 'limit inside a typed company footer', {
    above: [
      'Ja',
      '',
      'Anna Smith',
      'Beispiel GmbH',
      'Amtsgericht Köln, HRB 54321',
      'Auszahlung maximal 20 Euro',
      'Geschäftsführer: Max Beispiel',
    ],
  }),
  row('de', 'gmxWeb', 'again', 'must', 'limits the no to a part', { above: ['Nein', '', 'die Hälfte reicht'] }),
  row('de', 'gmailPhone', 'again', 'should', 'signed by another person', {
    above: ['Ja, bitte.', '', 'Viele Grüße', 'Bob Meier (Vertretung)'],
  }),

  // French: clear answers
  row('fr', 'appleMac', 'yes', 'must', 'plain oui', { above: ['Oui'] }),
  row('fr', 'outlookWeb', 'no', 'must', 'plain non', { above: ['Non'] }),
  row('fr', 'gmailWeb', 'no', 'must', 'greeting, closing line, full name', {
    above: ['Bonjour,', '', 'Non, désolée.', '', 'Cordialement,', 'Anna Smith'],
  }),
  row('fr', 'outlookClassic', 'yes', 'must', 'oui merci, bien cordialement', {
    above: ['Bonjour,', '', 'Oui, merci.', '', 'Bien cordialement,', 'Anna'],
  }),
  row('fr', 'outlookClassicHtml', 'no', 'must', 'greeting to all', {
    above: ['Bonjour à tous,', '', 'non.', '', 'Bonne journée,', 'Anna'],
  }),
  row('fr', 'outlookMac', 'yes', 'must', 'oui bien sûr', {
    above: ['Oui, bien sûr.', '', 'Bien à vous', 'Anna Smith'],
  }),
  row('fr', 'outlookPhone', 'yes', 'must', 'oui allez-y, device line', { above: ['Oui, allez-y'], device: true }),
  row('fr', 'gmailPhone', 'no', 'must', 'non merci', { above: ['Non merci !'] }),
  row('fr', 'applePhone', 'no', 'must', 'thanks in advance, device line', {
    above: ['Bonsoir, non.', '', 'Merci d’avance', 'Anna'],
    device: true,
  }),
  row('fr', 'appleMacPlain', 'yes', 'must', 'label of the option, cordialement', {
    above: ['Yes', '', 'Cordialement', 'A. Smith'],
  }),
  row('fr', 'thunderbirdPlain', 'yes', 'must', 'bottom posting, s’il vous plaît', {
    below: ["Oui, s'il vous plaît.", '', 'Merci,', 'Anna'],
  }),
  row('fr', 'thunderbirdHtml', 'no', 'must', 'bottom posting, surtout pas', {
    below: ['Non, surtout pas.', '', 'Anna S.'],
  }),
  row('fr', 'gmxWeb', 'yes', 'must', 'phone line under the name', {
    above: ['Salut,', '', 'oui, parfait.', '', 'À bientôt', 'Anna', 'Tél. 01 99 00 12 34'],
  }),
  row('fr', 'k9', 'no', 'must', 'label of the option, device line', { above: ['No, merci.'], device: true }),
  row('fr', 'yahooWeb', 'yes', 'must', "oui, d'accord", { above: ["Oui, d'accord.", '', 'Bonne soirée', 'Anna'] }),
  row('fr', 'proton', 'no', 'must', 'formal greeting and closing', {
    above: ['Madame, Monsieur,', '', 'Non, je ne le souhaite pas.', '', 'Sincères salutations', 'Anna Smith'],
  }),
  row('fr', 'mutt', 'no', 'must', 'inline behind the question', {
    inline: [{ afterLine: 2, lines: ['Non, pas du tout.'] }],
  }),
  row('fr', 'oldPlain', 'yes', 'must', 'inline behind the question, with thanks', {
    inline: [{ afterLine: 2, lines: ['Oui, merci beaucoup.', '', 'Anna'] }],
  }),
  row('fr', 'thunderbirdPlain', 'no', 'must', 'set up signature with mobile number', {
    above: ['Bonjour, non, pas besoin de rembourser.'],
    signature: ['Anna Smith', 'Portable : 06 39 98 12 34'],
  }),
  row('fr', 'mutt', 'yes', 'must', 'bottom posting, set up signature', {
    below: ['Oui, remboursez.', '', 'Merci !'],
    signature: ['Anna'],
  }),
  row('fr', 'gmailWeb', 'yes', 'must', 'set up signature with full name', {
    above: ['Oui, tout à fait.'],
    signature: ['Anna Smith'],
  }),
  row('fr', 'oldPlain', 'no', 'must', 'bottom posting, closing line in one line with the name', {
    below: ['Non, hélas.', '', 'Amicalement, Anna'],
  }),
  row('fr', 'applePhone', 'yes', 'must', 'lower case, wish for the weekend, device line', {
    above: ['oui', '', 'bon week-end !', 'Anna'],
    device: true,
  }),
  row('fr', 'proton', 'yes', 'must', 'hello to the team, volontiers', {
    above: ["Bonjour l'équipe,", '', 'Oui, volontiers.', '', 'Belle journée', 'Anna'],
  }),
  row('fr', 'outlookClassic', 'no', 'should', 'company signature of a SAS', {
    above: ['Non.', '', 'Cordialement'],
    signature: [
      'Anna Smith',
      'Responsable du service clients',
      'Exemple Commerce SAS',
      '12 rue de la Gare, 69003 Lyon',
      'Tél. : 01 99 00 45 67 - www.example.com',
      '',
      'SAS au capital de 50 000 € - RCS Lyon 123 456 789',
      "Pensez à l'environnement avant d'imprimer ce message.",
    ],
  }),
  row('fr', 'outlookWeb', 'yes', 'should', 'company signature with confidentiality note', {
    above: ['Bonjour, oui, faites donc.'],
    signature: [
      'Anna SMITH',
      'Chargée de clientèle',
      'Exemple SARL',
      '',
      "Ce message et ses pièces jointes sont confidentiels. En cas d'erreur, merci de le détruire.",
    ],
  }),
  row('fr', 'outlookMac', 'no', 'should', 'company signature with opening hours', {
    above: ['Non, laissez comme ça, merci.'],
    signature: ['Anna Smith', 'Assistante commerciale', 'Exemple & Fils', 'Ouvert du lundi au vendredi de 9h à 18h'],
  }),
  row('fr', 'gmxWeb', 'no', 'should', 'signature with a slogan that starts with Oui', {
    above: ['Coucou, non, merci bien.'],
    signature: ['Anna', 'Oui au commerce équitable !'],
  }),
  row('fr', 'gmailPhone', 'yes', 'should', 'ok and thumbs up', { above: ['Ouais ok 👍'] }),
  row('fr', 'outlookPhone', 'yes', 'should', 'own words as phone signature', {
    above: ['Oui, ça me va.'],
    signature: ['Tapé sur mon téléphone, pardon pour les fautes'],
  }),
  row('fr', 'thunderbirdHtml', 'no', 'should', 'pointer to the inline answer', {
    above: ['Bonjour, je réponds dans le texte.'],
    inline: [{ afterLine: 2, lines: ['Non, certainement pas.'] }],
  }),

  // French: ask again
  row('fr', 'k9', 'again', 'must', 'condition in the first line', {
    above: ["Si le colis est bien revenu, c'est oui.", '', 'Anna'],
  }),
  row('fr', 'yahooWeb', 'again', 'must', 'limit in the last line', {
    above: ['Oui', '', 'mais sans les frais de port'],
  }),
  row('fr', 'outlookPhone', 'again', 'must', 'condition below the closing line', {
    above: ['Oui.', '', 'Cordialement,', 'dès que Bob aura donné son feu vert'],
  }),
  row('fr', 'thunderbirdPlain', 'again', 'must', 'limit below the name', {
    above: ['Oui merci', '', 'Anna', '', 'Pas la carte cadeau par contre.'],
  }),
  row('fr', 'outlookClassicHtml', 'again', 'must', 'hold it, in a P.S.', {
    above: ['Oui', '', 'Bien à vous,', 'Anna', '', "P.-S. : attendez que j'aie la banque au téléphone."],
  }),
  row('fr', 'proton', 'again', 'must', 'half above a phone number', {
    above: ['Oui', '', 'Anna Smith', 'La moitié du montant', '01 99 00 77 88'],
  }),
  row('fr', 'outlookMac', 'again', 'must', 'line that looks like a footer', {
    above: [
      'Oui.',
      '',
      'Anna',
      '',
      "Ce message n'engage la société qu'après accord de la direction, que je demande demain.",
    ],
  }),
  row('fr', 'gmailPhone', 'again', 'must', 'three lines that look like header lines', {
    above: ['Oui', '', 'De : 100', 'À : 50', 'Date : demain'],
  }),
  row('fr', 'gmailWeb', 'again', 'must', 'line that looks like an attribution', {
    above: ['Oui pour moi.', '', "Le patron n'est pas d'accord, voici ce qu'il a écrit :"],
  }),
  row('fr', 'applePhone', 'again', 'must', 'line that looks like a device line', {
    above: ['Oui', '', "Envoyé de mon bureau, attendez donc l'avis de Bob"],
  }),
  row('fr', 'appleMac', 'again', 'must', 'limit where a job title would be', {
    above: ['Oui', '', 'Anna Smith', 'Frais de port uniquement'],
  }),
  row('fr', 'k9', 'again', 'must', 'yes above, condition below the quote', {
    above: ['Oui, très bien.'],
    below: ['Pas avant le retour des chaussures.'],
  }),
  row('fr', 'outlookWeb', 'again', 'must', 'yes above, limit inline', {
    above: ['Oui.'],
    inline: [{ afterLine: 2, lines: ['mais seulement 50'] }],
  }),
  row('fr', 'gmxWeb', 'again', 'must', "limit below the signature's name", {
    above: ['Oui, ok.'],
    signature: ['Anna Smith', 'ne versez rien avant mon appel'],
  }),
  row('fr', 'thunderbirdHtml', 'again', 'must', 'yes above, no below the quote', {
    above: ['Oui'],
    below: ['Finalement non'],
  }),
  row('fr', 'oldPlain', 'again', 'must', 'yes only in the signature', {
    below: [''],
    signature: ['Anna Smith', 'Oui, la planète compte'],
  }),
  row('fr', 'appleMacPlain', 'again', 'must', 'nothing typed, set up signature only', { signature: ['Anna Smith'] }),
  row('fr', 'outlookClassic', 'again', 'must', 'forwards the opinion of another person', {
    above: ['Voir le mail de Bob plus bas, il dit oui.', '', 'Anna'],
  }),
  row('fr', 'mutt', 'again', 'must', 'two answers in two lines, bottom posting', { below: ['Oui', 'Non', '', 'Anna'] }),
  row('fr', 'outlookPhone', 'again', 'must', 'yes and an amount', { above: ['Oui', '35 euros'], device: true }),
  row('fr', 'yahooWeb', 'again', 'must', 'yes and a date', { above: ['Oui', '', 'le 15 mars'] }),
  row('fr', 'appleMacPlain', 'again', 'must', 'yes, then a question', {
    above: ['Bonjour,', '', 'oui. Elle a déjà renvoyé la lampe ?', '', 'Anna'],
  }),
  row('fr', 'outlookClassicHtml', 'again', 'must', 'line that starts like a closing line', {
    above: ['Oui', '', 'Merci de voir avec la compta avant,', 'Anna'],
  }),
  row('fr', 'gmailWeb', 'again', 'must', 'takes it back', {
    above: ['Oui, enfin non, je vérifie et je reviens vers vous.'],
  }),
  row('fr', 'gmxWeb', 'again', 'must', 'absence note', {
    above: [
      "Je suis absente jusqu'au 22 août. Je vous répondrai à mon retour.",
      '',
      'Pour toute urgence, contactez Bob Martin.',
      '',
      'Anna Smith',
    ],
  }),
  row('fr', 'thunderbirdPlain', 'again', 'must', 'limits inline behind both options', {
    inline: [
      { afterLine: 4, lines: ["jusqu'à 30 euros"] },
      { afterLine: 5, lines: ['au-delà'] },
    ],
  }),
  row('fr', 'applePhone', 'again', 'must', 'no that is no answer', {
    above: ['Non, ce n’est pas moi qui décide, voyez avec Bob'],
    device: true,
  }),
  row('fr', 'oldPlain', 'again', 'must', 'two opinions, bottom posting', {
    below: ['Bob est pour, Carol est contre. Oui ou non, je ne sais pas encore.'],
  }),
  row('fr', 'outlookMac', 'again', 'must', 'condition below a typed divider', {
    above: ['Oui', '', '----------', 'Sous réserve de validation par le service juridique'],
  }),
  row('fr', 'proton', 'again', 'must', 'number of another order', { above: ['Oui pour la 12346.', '', 'Merci'] }),
  row('fr', 'gmailPhone', 'again', 'must', 'yes with a question mark', { above: ['Oui ? Vous en êtes sûrs ?'] }),
  row('fr', 'mutt', 'again', 'must', 'question inline behind the customer', {
    inline: [
      { afterLine: 2, lines: ['Oui'] },
      { afterLine: 3, lines: ["Elle n'a pas déjà eu un avoir en mai ?"] },
    ],
  }),
  row('fr', 'appleMac', 'again', 'must', 'another person, beside the name', {
    above: ['Oui', '', 'Anna (sauf avis contraire de Carol)'],
  }),
  row('fr', 'thunderbirdHtml', 'again', 'must', 'PS below the name, bottom posting', {
    below: ['Oui.', '', 'Anna', '', 'PS : en bon d’achat.'],
  }),
  row('fr', 'outlookWeb', 'again', 'must', 'no that is limited in time', {
    above: ['Non, pas cette semaine.', '', 'Bonne journée', 'Anna'],
  }),
  row('fr', 'k9', 'again', 'must', 'condition beside the greeting', {
    above: ['Bonjour, sous réserve du retour,', 'oui', '', 'Anna'],
  }),
  row('fr', 'outlookClassic', 'again', 'must', 'limit inside a typed company footer', {
    above: [
      'Oui',
      '',
      'Anna Smith',
      'Exemple SAS',
      'RCS Paris 987 654 321',
      'Remboursement plafonné à 20 euros',
      '12 rue de la Gare, 69003 Lyon',
    ],
  }),
  row('fr', 'yahooWeb', 'again', 'must', 'limits the no', {
    above: ['Non', '', 'Anna', '', 'sauf si elle insiste'],
  }),
  row('fr', 'gmailWeb', 'again', 'should', 'thanks that may be a courtesy or an answer', {
    above: ['Pas de souci, merci.'],
  }),

  // Spanish: clear answers
  row('es', 'gmailPhone', 'yes', 'must', 'plain sí', { above: ['Sí'] }),
  row('es', 'thunderbirdHtml', 'no', 'must', 'lower case no with full stop and name', { above: ['no.', '', 'Anna'] }),
  row('es', 'outlookClassic', 'yes', 'must', 'greeting, closing line, full name', {
    above: ['Hola:', '', 'Sí, por favor.', '', 'Un saludo,', 'Anna Smith'],
  }),
  row('es', 'outlookClassicHtml', 'no', 'must', 'no gracias, saludos', {
    above: ['Buenos días,', '', 'No, gracias.', '', 'Saludos,', 'Anna'],
  }),
  row('es', 'outlookWeb', 'yes', 'must', 'sí, adelante', {
    above: ['Hola a todos,', '', 'sí, adelante.', '', 'Gracias,', 'Anna'],
  }),
  row('es', 'outlookMac', 'no', 'must', 'formal greeting and closing', {
    above: ['Estimados señores:', '', 'No, lo siento.', '', 'Atentamente,', 'Anna Smith'],
  }),
  row('es', 'outlookPhone', 'no', 'must', 'no, mejor no, device line', { above: ['No, mejor no'], device: true }),
  row('es', 'gmailWeb', 'yes', 'must', 'sí, claro, un abrazo', {
    above: ['Buenas,', '', 'sí, claro.', '', 'Un abrazo', 'Anna'],
  }),
  row('es', 'applePhone', 'yes', 'must', 'without accent, many thanks, device line', {
    above: ['si, muchas gracias!'],
    device: true,
  }),
  row('es', 'appleMac', 'no', 'must', 'phone line under the name', {
    above: ['No, por favor no lo hagan.', '', 'Saludos cordiales', 'Anna Smith', 'Tel. 910 000 123'],
  }),
  row('es', 'appleMacPlain', 'yes', 'must', 'label of the option, gracias', {
    above: ['Yes', '', 'Gracias y un saludo', 'Anna'],
  }),
  row('es', 'thunderbirdPlain', 'no', 'must', 'bottom posting, buen fin de semana', {
    below: ['No', '', 'Buen fin de semana', 'Anna'],
  }),
  row('es', 'gmxWeb', 'yes', 'must', 'sí, de acuerdo', {
    above: ['Buenas tardes,', '', 'sí, de acuerdo.', '', 'Cordialmente', 'A. Smith'],
  }),
  row('es', 'k9', 'no', 'must', 'closing line and name in one line, device line', {
    above: ['No, en absoluto.', '', 'Saludos, Anna'],
    device: true,
  }),
  row('es', 'yahooWeb', 'yes', 'must', 'sí said again in words of the question', {
    above: ['Sí, reembólsenlo.', '', 'Muchas gracias', 'Anna'],
  }),
  row('es', 'proton', 'no', 'must', 'hello to the team', {
    above: ['Hola, equipo:', '', 'No.', '', 'Que tengáis un buen día', 'Anna'],
  }),
  row('es', 'mutt', 'no', 'must', 'bottom posting, set up signature', {
    below: ['Hola, no, gracias de todos modos.'],
    signature: ['Anna Smith'],
  }),
  row('es', 'oldPlain', 'yes', 'must', 'inline behind the question', {
    inline: [{ afterLine: 2, lines: ['Sí, está bien.'] }],
  }),
  row('es', 'mutt', 'yes', 'must', 'inline behind the question, with name', {
    inline: [{ afterLine: 2, lines: ['Sí, vale.', '', 'Anna'] }],
  }),
  row('es', 'thunderbirdPlain', 'yes', 'must', 'set up signature with mobile number', {
    above: ['Sí, perfecto.'],
    signature: ['Anna Smith', 'Móvil: +34 600 000 123'],
  }),
  row('es', 'oldPlain', 'no', 'must', 'bottom posting, full name', {
    below: ['Buenas noches,', '', 'no, de ninguna manera.', '', 'Anna Smith'],
  }),
  row('es', 'gmailWeb', 'no', 'must', 'set up signature, first name only', {
    above: ['No, no lo reembolsen.'],
    signature: ['Anna'],
  }),
  row('es', 'applePhone', 'no', 'must', 'thanks for asking, device line', {
    above: ['No', '', 'Gracias por preguntar', 'Anna S.'],
    device: true,
  }),
  row('es', 'thunderbirdHtml', 'yes', 'must', 'bottom posting, con mucho gusto', {
    below: ['¡Hola!', '', 'Sí, con mucho gusto.', '', 'Hasta pronto', 'Anna'],
  }),
  row('es', 'outlookClassicHtml', 'yes', 'should', 'company signature of an S.L.', {
    above: ['Sí.', '', 'Reciban un cordial saludo'],
    signature: [
      'Anna Smith',
      'Responsable de Atención al Cliente',
      'Ejemplo Comercial, S.L.',
      'Calle Mayor 12, 28013 Madrid',
      'Tel.: 910 000 456 | www.example.com',
      '',
      'Este mensaje y sus adjuntos son confidenciales. Si lo ha recibido por error, elimínelo y avise al remitente.',
    ],
  }),
  row('es', 'outlookMac', 'no', 'should', 'company signature with data protection note', {
    above: ['Hola, no, déjenlo así.'],
    signature: [
      'Anna Smith',
      'Dpto. de Devoluciones',
      'Ejemplo, S.A. - CIF A00000000',
      '',
      'Sus datos se tratan conforme al RGPD. Puede ejercer sus derechos en privacidad@example.com.',
    ],
  }),
  row('es', 'outlookClassic', 'no', 'should', 'company signature with a print note', {
    above: ['No, muy amables, gracias.'],
    signature: [
      'Anna Smith',
      'Directora de Operaciones',
      'Grupo Ejemplo',
      'Antes de imprimir este correo, piense en el medio ambiente.',
    ],
  }),
  row('es', 'yahooWeb', 'yes', 'should', 'signature with a slogan that starts with No', {
    above: ['Hola, sí, sí, gracias.'],
    signature: ['Anna', 'No al plástico.'],
  }),
  row('es', 'gmailPhone', 'no', 'should', 'nop and thumbs down', { above: ['Nop 👎'] }),
  row('es', 'outlookPhone', 'yes', 'should', 'own words as phone signature', {
    above: ['Sí, sin problema.'],
    signature: ['Escrito desde el móvil, perdón por las erratas'],
  }),
  row('es', 'proton', 'yes', 'should', 'pointer to the inline answer', {
    above: ['Hola, contesto abajo.'],
    inline: [{ afterLine: 2, lines: ['Sí, me parece bien.'] }],
  }),

  // Spanish: ask again
  row('es', 'appleMacPlain', 'again', 'must', 'condition in the first line', {
    above: ['Si ya devolvió el paquete, sí.', '', 'Anna'],
  }),
  row('es', 'outlookPhone', 'again', 'must', 'limit in the last line', {
    above: ['Sí', '', 'pero sin los gastos de envío'],
    device: true,
  }),
  row('es', 'thunderbirdPlain', 'again', 'must', 'condition below the closing line', {
    above: ['Sí.', '', 'Saludos', 'cuando Bob lo haya firmado'],
  }),
  row('es', 'proton', 'again', 'must', 'limit below the name', {
    above: ['Sí gracias', '', 'Anna', '', 'La tarjeta regalo no, eh.'],
  }),
  row('es', 'gmailPhone', 'again', 'must', 'hold it, in a P.D.', {
    above: ['Sí', '', 'Anna', '', 'P. D.: esperad a que llame el banco.'],
  }),
  row('es', 'k9', 'again', 'must', 'half above a phone number', {
    above: ['Sí', '', 'Anna Smith', 'La mitad del importe', '910 000 777'],
  }),
  row('es', 'outlookClassic', 'again', 'must', 'line that looks like a footer', {
    above: ['Sí.', '', 'Anna', '', 'Este correo no es válido hasta que lo apruebe la dirección.'],
  }),
  row('es', 'outlookClassicHtml', 'again', 'must', 'three lines that look like header lines', {
    above: ['Sí', '', 'De: 100', 'Para: 50', 'Fecha: mañana'],
  }),
  row('es', 'outlookWeb', 'again', 'must', 'line that looks like an attribution', {
    above: ['Sí, supongo.', '', 'El jefe no lo ve claro, esto es lo que escribió:'],
  }),
  row('es', 'applePhone', 'again', 'must', 'line that looks like a device line', {
    above: ['Sí', '', 'Enviado desde mi despacho, así que esperad a Bob'],
  }),
  row('es', 'yahooWeb', 'again', 'must', 'limit where a job title would be', {
    above: ['Sí', '', 'Anna Smith', 'Solo gastos de envío'],
  }),
  row('es', 'gmailWeb', 'again', 'must', 'yes above, condition below the quote', {
    above: ['Sí, bien.'],
    below: ['Antes tiene que devolver los zapatos.'],
  }),
  row('es', 'appleMac', 'again', 'must', 'yes above, limit inline', {
    above: ['Sí, os comento abajo'],
    inline: [{ afterLine: 2, lines: ['pero solo 50'] }],
  }),
  row('es', 'outlookMac', 'again', 'must', "limit below the signature's name", {
    above: ['Sí, hecho.'],
    signature: ['Anna Smith', 'no paguéis nada todavía'],
  }),
  row('es', 'gmxWeb', 'again', 'must', 'yes above, no below the quote', { above: ['Sí'], below: ['Al final no'] }),
  row('es', 'thunderbirdHtml', 'again', 'must', 'yes only in the signature', {
    above: [],
    signature: ['Anna', 'Sí, quiero reciclar'],
  }),
  row('es', 'mutt', 'again', 'must', 'greeting and name, no answer', { below: ['Hola:', '', 'Un saludo', 'Anna'] }),
  row('es', 'oldPlain', 'again', 'must', 'forwards the opinion of another person', {
    below: ['Mirad el correo de Bob, él cree que sí.'],
  }),
  row('es', 'outlookPhone', 'again', 'must', 'two answers in two lines', { above: ['No', '', 'Sí'] }),
  row('es', 'k9', 'again', 'must', 'yes and an amount', { above: ['Sí', '', '25 €'], device: true }),
  row('es', 'outlookMac', 'again', 'must', 'yes and a date', { above: ['Sí', 'el 15 de marzo'] }),
  row('es', 'thunderbirdPlain', 'again', 'must', 'yes, then a question, bottom posting', {
    below: ['Sí. ¿Ha mandado ya la lámpara?', '', 'Anna'],
  }),
  row('es', 'gmxWeb', 'again', 'must', 'line that starts like a closing line', {
    above: ['Sí', '', 'Gracias, pero consultadlo antes con contabilidad,', 'Anna'],
  }),
  row('es', 'applePhone', 'again', 'must', 'takes it back', {
    above: ['Sí, bueno, no, espera que lo miro'],
    device: true,
  }),
  row('es', 'outlookWeb', 'again', 'must', 'absence note', {
    above: [
      'Estoy de vacaciones hasta el 31 de agosto y no leeré el correo.',
      '',
      'Para urgencias, escriban a Bob Pérez.',
      '',
      'Anna Smith',
    ],
  }),
  row('es', 'gmailWeb', 'again', 'must', 'limits inline behind both options', {
    inline: [
      { afterLine: 4, lines: ['para la chaqueta'] },
      { afterLine: 5, lines: ['para las botas'] },
    ],
  }),
  row('es', 'gmailPhone', 'again', 'must', 'no that is no answer', { above: ['No sé, preguntad a Bob'] }),
  row('es', 'yahooWeb', 'again', 'must', 'two opinions', {
    above: ['Bob dice que sí y Carol que no.', '', 'Saludos', 'Anna'],
  }),
  row('es', 'appleMacPlain', 'again', 'must', 'condition below a typed divider', {
    above: ['Sí', '', '==========', 'Pendiente del visto bueno de finanzas'],
  }),
  row('es', 'outlookClassic', 'again', 'must', 'number of another order', {
    above: ['Hola:', '', 'Sí, el 12543.', '', 'Anna'],
  }),
  row('es', 'appleMac', 'again', 'must', 'yes with question marks', { above: ['¿Sí?', '', 'Saludos', 'Anna'] }),
  row('es', 'mutt', 'again', 'must', 'partial amount inline behind the customer', {
    inline: [
      { afterLine: 2, lines: ['Sí'] },
      { afterLine: 3, lines: ['a ella solo el 20 %'] },
    ],
  }),
  row('es', 'proton', 'again', 'must', 'another person, beside the name', {
    above: ['Sí', '', 'Anna (esperad a Carol)'],
  }),
  row('es', 'oldPlain', 'again', 'must', 'PD below the name, bottom posting', {
    below: ['Sí.', '', 'Anna', '', 'PD: en vale, no en efectivo.'],
  }),
  row('es', 'outlookClassicHtml', 'again', 'must', 'no that is limited in time', {
    above: ['No, hasta el lunes no.', '', 'Gracias', 'Anna'],
  }),
  row('es', 'thunderbirdHtml', 'again', 'must', 'condition beside the greeting', {
    above: ['Hola, siempre que Carol esté de acuerdo,', '', 'sí', '', 'Anna'],
  }),
  row('es', 'outlookWeb', 'again', 'must', 'limit inside a typed company footer', {
    above: [
      'Sí',
      '',
      'Anna Smith',
      'Ejemplo, S.L.',
      'CIF B00000000',
      'Reembolso máximo de 20 euros',
      'Calle Mayor 12, 28013 Madrid',
    ],
  }),
  row('es', 'k9', 'again', 'must', 'limits the no', { above: ['No', '', 'Anna', '', 'salvo que reclame otra vez'] }),
  row('es', 'gmxWeb', 'again', 'should', 'no problem', { above: ['No hay problema, saludos'] }),
];

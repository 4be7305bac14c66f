/**
 * Mail addresses: parsed strictly, and written in one way, so that two spellings of one address are the same participant. What another
 * program might read differently is refused, because the author of a mail is known by this address alone.
 */
import { Buffer } from 'node:buffer';
import { domainToASCII, domainToUnicode } from 'node:url';
import { type OptionRule, wrongOption } from '../../core/check-options.js';
import { withoutControls } from '../../core/text.js';
import { type HeaderToken, headerTokens, isSpecial, splitAt } from './header-tokens.js';

/** An address, and the name that was written with it. A name proves nothing: whoever writes the mail chooses it. */
export interface MailAddress {
  /** The address in lower case; the domain is ASCII (Punycode). */
  readonly address: string;
  /** One line without control characters. */
  readonly name?: string;
}

const longestValue = 64 * 1024;
const longestAddress = 254;
const longestLocalPart = 64;
const longestName = 100;
/** Of a name that has encoded words. */
const longestPhrase = 1_000;
const longestHeader = 200;
const realm = 'mail:';

const specials = /([<>@,;:[\]\\])/;
/** Characters of a local part or a name without quotes (RFC 5322 and RFC 6531); no white space, control or invisible character. */
const atom = /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}])+$/u;
const domainName = /^(?!-)[\p{L}\p{N}\p{M}-]{1,63}(?<!-)(?:\.(?!-)[\p{L}\p{N}\p{M}-]{1,63}(?<!-))*$/u;

/** Makes text of the encoded words (RFC 2047) of a name. It sees a name alone, so no decoded character can change what a field says. */
export type DecodeWords = (text: string) => string;

/**
 * The addresses of an unfolded header field such as To; undefined if it is not a list of them as RFC 5322 has it. Comments and quoted strings
 * are understood. A group is no list of addresses.
 */
export function parseAddresses(
  value: string,
  decode: DecodeWords = (text) => text,
): readonly MailAddress[] | undefined {
  const tokens = value.length > longestValue ? undefined : headerTokens(value, specials)?.tokens;
  const mailboxes = tokens && splitAt(tokens, ',').map((item) => mailboxOf(item, decode));
  return mailboxes?.every((mailbox) => mailbox !== undefined) ? mailboxes : undefined;
}

/** One address, with or without a name, as in `Refunds <refunds@shop.example>`; undefined for anything else. */
export function parseAddress(value: string): MailAddress | undefined {
  const [address, ...more] = parseAddresses(value) ?? [];
  return more.length === 0 ? address : undefined;
}

function mailboxOf(item: readonly HeaderToken[], decode: DecodeWords): MailAddress | undefined {
  const open = isSpecial(item.at(-1), '>') ? item.findIndex((token) => isSpecial(token, '<')) : undefined;
  const address = bareAddress(open === undefined ? item : item.slice(open + 1, -1));
  const name = nameOf(item.slice(0, open ?? 0), decode);
  if (address === undefined || name === undefined || open === -1) return undefined;
  return name === '' ? { address } : { address, name };
}

function bareAddress(tokens: readonly HeaderToken[]): string | undefined {
  const [local, at, domain, ...more] = tokens;
  if (local === undefined || at === undefined || domain === undefined || more.length > 0) return undefined;
  // white space and comments within an address are allowed by the RFC, and read in different ways
  if (!isSpecial(at, '@') || at.isApart || domain.isApart || domain.type !== 'word') return undefined;
  return local.type === 'special' ? undefined : normalised(local.text, local.type === 'quoted', domain.text);
}

/** The words of a name; undefined if they are none. A full stop without quotes is common: `Anna B. Smith`. */
function nameOf(phrase: readonly HeaderToken[], decode: DecodeWords): string | undefined {
  let name = '';
  for (const { type, text, isApart } of phrase) {
    if (type === 'special' || (type === 'word' && !atom.test(text.replaceAll('.', '') || '-'))) return undefined;
    name += (isApart ? ' ' : '') + text;
  }
  return headerText(decode(name.slice(0, longestPhrase)), longestName);
}

function normalised(local: string, isQuoted: boolean, domain: string): string | undefined {
  const host = asciiDomain(domain);
  const written = local.normalize('NFC').toLowerCase().normalize('NFC');
  // some programs decode encoded words in an address, where they mean nothing
  if (host === undefined || readsAsAscii(local) || local.includes('=?')) return undefined;
  const atoms = written.split('.');
  const isPlain = atoms.every((each) => atom.test(each));
  if (!isPlain && !(isQuoted && written.split(/[. ]/).every((each) => each === '' || atom.test(each))))
    return undefined;
  const part = isPlain ? written : `"${written}"`;
  if (written === '' || Buffer.byteLength(part) > longestLocalPart) return undefined;
  const address = `${part}@${host}`;
  return Buffer.byteLength(address) > longestAddress ? undefined : address;
}

/**
 * A domain in ASCII and lower case; undefined if it is none, or an address literal such as `[192.0.2.1]`. An international domain must be
 * written as it is registered: what IDNA would first map to something else is refused.
 */
export function asciiDomain(domain: string): string | undefined {
  if (domain.length > 253 || !domainName.test(domain) || readsAsAscii(domain)) return undefined;
  const written = domain.normalize('NFC').toLowerCase();
  if (/(?:^|\.)\d+$/.test(written)) return undefined; // a number would be read as an IPv4 address
  if (/^\p{ASCII}*$/u.test(written)) return written;
  const ascii = domainToASCII(written);
  return ascii !== '' && ascii.length <= 253 && domainToUnicode(ascii) === written ? ascii : undefined;
}

/** One of the characters is not ASCII but is mapped to ASCII by some programs: the Kelvin sign to `k`, the Greek question mark to `;`. */
function readsAsAscii(text: string): boolean {
  if (/^\p{ASCII}*$/u.test(text)) return false;
  return [...text].some((each) => each > '\u007f' && /\p{ASCII}/u.test(each.normalize('NFKC').toLowerCase()));
}

/** What stands before the @ of an address. */
export function localPart(address: string): string {
  return address.slice(0, address.lastIndexOf('@'));
}

/** The domain of an address that was parsed. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** The id of the person who writes from an address: `mail:anna@example.com`. */
export function participantIdOf(address: string): string {
  return `${realm}${address}`;
}

/** The address of a participant; undefined for somebody who is not known by mail. */
export function addressOfParticipant(id: string): string | undefined {
  const address = id.startsWith(realm) ? id.slice(realm.length) : '';
  return parseAddress(address)?.address === address ? address : undefined;
}

/**
 * Any text as the value of a header field or as a name: one line, no control characters, no encoded words, at most `longest` characters.
 */
export function headerText(text: string, longest: number = longestHeader): string {
  const line = withoutControls(text).replace(/\s+/g, ' ').replaceAll('=?', '= ?').trim();
  const characters = [...line.slice(0, 2 * longest + 2)]; // at most two UTF-16 units each: one more than `longest` if there are more
  return characters.length <= longest
    ? line
    : `${characters
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`;
}

/** The rule for an option that is an address, such as `from`. */
export const mailAddressOption: OptionRule<MailAddress> = (value, name) => {
  const address = typeof value === 'string' ? parseAddress(value) : undefined;
  if (address !== undefined) return address;
  const [, called = '', bare = ''] =
    (typeof value === 'string' ? /^([^"<>]*[^"<>\s])\s*<([^<>]*)>\s*$/.exec(value) : null) ?? [];
  const quoted = `"${called.replaceAll('\\', '')}" <${bare}>`;
  const advice = `A name with a comma or another special character is put in quotes: ${quoted}`;
  throw wrongOption(name, 'one mail address such as anna@example.com or Refunds <refunds@shop.example>', value, {
    hint: parseAddress(quoted) === undefined ? undefined : advice,
  });
};

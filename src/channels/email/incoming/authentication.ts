/**
 * Who wrote a mail: the address in From, if the server that received the mail says that DMARC has passed for its domain. Nothing else
 * counts, because the sender writes everything else. What the author may do is not decided here.
 */
import { expecting, type OptionRule, object, optional } from '../../../core/check-options.js';
import { AgentError } from '../../../core/errors.js';
import { asciiDomain, domainOf, type MailAddress, parseAddresses } from '../addresses.js';
import { parseAuthenticationResults } from './authentication-results.js';
import { type HeaderField, valuesOf } from './header-fields.js';

/**
 * Whose word about a mail is taken: that of the server which received it.
 *
 * - `authservId`: the name at the start of its Authentication-Results fields, such as `mx.google.com`. The server must remove fields with
 *   its own name from what senders send, as RFC 8601 demands.
 * - `microsoft`: the mailbox is in Exchange Online, which writes no name.
 */
export type MailTrust = { readonly authservId: string } | { readonly microsoft: true };

/** Who wrote a mail; or a word for the log why nobody knows. The word is one of a few, never a part of the mail. */
export type MailAuthor =
  | { readonly ok: true; readonly address: MailAddress }
  | { readonly ok: false; readonly why: UnprovedAuthor };

/** Why the author of a mail is not known. */
export type UnprovedAuthor =
  | 'no-from'
  | 'two-from'
  | 'bad-from'
  | 'long-headers'
  | 'no-authentication-results'
  | 'bad-authentication-results'
  | 'other-server'
  | 'no-dmarc'
  | 'two-dmarc'
  | 'dmarc-fail'
  | 'dmarc-none'
  | 'dmarc-error'
  | 'dmarc-unknown'
  | 'no-header-from'
  | 'other-domain';

/** Longer headers may be cut where the mail was read, and a second From might stand in the rest. */
const longestHeaders = 262_144;

const refusals: Readonly<Record<string, UnprovedAuthor>> = {
  fail: 'dmarc-fail',
  none: 'dmarc-none',
  temperror: 'dmarc-error',
  permerror: 'dmarc-error',
};

/** The author of a mail, by its header fields from the top. */
export function authorOf(
  { headers }: { readonly headers: readonly { readonly name: string; readonly value: string }[] },
  trust: MailTrust,
): MailAuthor {
  let length = 0;
  for (const { name, value } of headers) length += name.length + value.length;
  if (length > longestHeaders) return refused('long-headers');
  const values = (wanted: string) =>
    headers.filter(({ name }) => name.trim().toLowerCase() === wanted).map(({ value }) => value);
  const from = writtenBy(values('from'));
  if (typeof from === 'string') return refused(from);
  // only the topmost: a receiver writes above what was there, so a field below may be the sender's
  const problem = problemOf(values('authentication-results')[0], trust, domainOf(from.address));
  return problem === undefined ? { ok: true, address: from } : refused(problem);
}

/**
 * The name of the server that wrote the topmost Authentication-Results field, for the log: whoever sets `trust` looks for it. Undefined if
 * it wrote none, or one that is no name.
 */
export function serverNamedIn({ headers }: { readonly headers: readonly HeaderField[] }): string | undefined {
  const { authservId = '' } = parseAuthenticationResults(valuesOf(headers, 'authentication-results')[0] ?? '') ?? {};
  return serverName.test(authservId) ? authservId : undefined;
}

function refused(why: UnprovedAuthor): MailAuthor {
  return { ok: false, why };
}

function writtenBy([value, ...more]: readonly string[]): MailAddress | UnprovedAuthor {
  if (value === undefined) return 'no-from';
  if (more.length > 0) return 'two-from';
  const { addresses = [], hasGroup = false } = parseAddresses(value) ?? {};
  const [address, second] = addresses;
  if (second !== undefined) return 'two-from';
  return address === undefined || hasGroup ? 'bad-from' : address;
}

/** Why the field does not prove the domain; undefined if it does. */
function problemOf(field: string | undefined, trust: MailTrust, domain: string): UnprovedAuthor | undefined {
  if (field === undefined) return 'no-authentication-results';
  const { authservId, results } = parseAuthenticationResults(field) ?? {};
  if (results === undefined) return 'bad-authentication-results';
  const expected = 'authservId' in trust ? trust.authservId.toLowerCase() : undefined;
  if (authservId?.toLowerCase() !== expected) return 'other-server';
  const [dmarc, second] = results.filter(({ method }) => method === 'dmarc');
  if (dmarc === undefined) return 'no-dmarc';
  if (second !== undefined) return 'two-dmarc';
  if (dmarc.result !== 'pass') return Object.hasOwn(refusals, dmarc.result) ? refusals[dmarc.result] : 'dmarc-unknown';
  const [checked, another] = dmarc.properties.filter(({ name }) => name === 'header.from');
  if (checked === undefined || another !== undefined) return 'no-header-from';
  return asciiDomain(checked.value) === domain ? undefined : 'other-domain';
}

/** Also what a log shows of a mail: short, and no white space or control characters. */
const serverName = /^[!-:<-~]{1,255}$/;

const trustRules = {
  authservId: optional(
    expecting<string>(
      "a name such as 'mx.example.com', without white space",
      (value) => typeof value === 'string' && serverName.test(value) && !/:\/\/|\.$/.test(value),
      'Take what stands before the first ; of the topmost Authentication-Results field of a mail in the mailbox.',
    ),
  ),
  microsoft: optional(expecting<true>('true, or left out', (value) => value === true)),
};

/** The rule for the option that says whose word is taken. */
export const mailTrustOption: OptionRule<MailTrust> = (value, name) => {
  const { authservId, microsoft } = object(trustRules, "{ authservId: 'mx.example.com' } or { microsoft: true }")(
    value,
    name,
  );
  if (authservId !== undefined && microsoft === undefined) return { authservId };
  if (authservId === undefined && microsoft === true) return { microsoft };
  throw new AgentError(
    'bad-option',
    `${name} must be either { authservId: 'mx.example.com' } or { microsoft: true }, got ${microsoft ? 'both' : 'neither'}. Take the name at the start of the topmost Authentication-Results field of a mail in the mailbox.`,
  );
};

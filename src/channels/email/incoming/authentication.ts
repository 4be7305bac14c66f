/**
 * Who wrote a mail: the address in From, if the server that received the mail says that DMARC has passed for its domain. Nothing else
 * counts, because the sender writes everything else. What the author may do is not decided here.
 */
import { expecting, matching, type OptionRule, object, optional } from '../../../core/check-options.js';
import { badOption } from '../../../core/errors.js';
import { asciiDomain, domainOf, type MailAddress } from '../addresses.js';
import { type HeaderToken, headerTokens, isSpecial, splitAt } from '../header-tokens.js';
import { valuesOf } from './header-fields.js';
import type { MailHead } from './mime.js';

/**
 * Whose word about a mail is taken: that of the server which received it.
 *
 * - `authservId`: the name at the start of its Authentication-Results fields, such as `mx.google.com`. The server must remove fields with
 *   its own name from what senders send, as RFC 8601 demands.
 * - `microsoft`: the mailbox is in Exchange Online, which writes no name.
 */
export type MailTrust = { readonly authservId: string } | { readonly microsoft: true };

/**
 * Who wrote a mail; or a word for the log why nobody knows. The word is one of those that are explained in docs/email.md, never a part of
 * the mail.
 */
export type MailAuthor =
  | { readonly ok: true; readonly address: MailAddress }
  | { readonly ok: false; readonly why: string };

const refusals: Readonly<Record<string, string>> = {
  fail: 'dmarc-fail',
  none: 'dmarc-none',
  temperror: 'dmarc-error',
  permerror: 'dmarc-error',
};

/** The author of a mail, by its header. */
export function authorOf({ headers, from }: Pick<MailHead, 'headers' | 'from'>, trust: MailTrust): MailAuthor {
  const fields = valuesOf(headers, 'from').length;
  const [author, second] = from;
  if (fields > 1 || second !== undefined) return { ok: false, why: 'two-from' };
  if (author === undefined) return { ok: false, why: fields === 0 ? 'no-from' : 'bad-from' };
  // only the topmost: a receiver writes above what was there, so a field below may be the sender's
  const [results] = valuesOf(headers, 'authentication-results');
  const why = problemOf(results, trust, domainOf(author.address));
  return why === undefined ? { ok: true, address: author } : { ok: false, why };
}

/**
 * The name of the server that wrote the topmost Authentication-Results field, for the log: whoever sets `trust` looks for it. Undefined if
 * it wrote none, or one that is no name.
 */
export function serverNamedIn({ headers }: Pick<MailHead, 'headers'>): string | undefined {
  const { authservId = '' } = parseAuthenticationResults(valuesOf(headers, 'authentication-results')[0] ?? '') ?? {};
  return serverName.test(authservId) ? authservId : undefined;
}

/** Why the field does not prove the domain; undefined if it does. */
function problemOf(field: string | undefined, trust: MailTrust, domain: string): string | undefined {
  if (field === undefined) return 'no-authentication-results';
  const { authservId, dmarc: results } = parseAuthenticationResults(field) ?? {};
  if (results === undefined) return 'bad-authentication-results';
  const expected = 'authservId' in trust ? trust.authservId.toLowerCase() : undefined;
  if (authservId?.toLowerCase() !== expected) return 'other-server';
  const [dmarc, second] = results;
  if (dmarc === undefined) return 'no-dmarc';
  if (second !== undefined) return 'two-dmarc';
  if (dmarc.result !== 'pass') return Object.hasOwn(refusals, dmarc.result) ? refusals[dmarc.result] : 'dmarc-unknown';
  const [checked, another] = dmarc.properties.filter(({ name }) => name === 'header.from');
  if (checked === undefined || another !== undefined) return 'no-header-from';
  return asciiDomain(checked.value) === domain ? undefined : 'other-domain';
}

/** An Authentication-Results field (RFC 8601). Nothing here says whether its writer is to be believed. */
interface AuthenticationResults {
  /** The server that wrote the field; Exchange Online writes none. */
  readonly authservId?: string;
  /** What it says by DMARC, such as `dmarc=pass header.from=example.com`. Names and results are in lower case. */
  readonly dmarc: readonly DmarcResult[];
}

interface DmarcResult {
  readonly result: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

const longestField = 65_536;
const keyword = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\/(\d+))?$/;
/** A result that stands in a comment or a quoted string. No server writes that; a sender's value that was not escaped makes it. */
const hidden = /;\s*dmarc/i;

/**
 * The results of an unfolded field; undefined if it cannot be read without doubt. Those of other methods are not looked at: servers take
 * liberties with the RFC there. For DMARC itself there are none.
 */
export function parseAuthenticationResults(value: string): AuthenticationResults | undefined {
  const { tokens, comments } = (value.length > longestField ? undefined : headerTokens(value, /([;=])/)) ?? {};
  if (tokens === undefined || comments === undefined) return undefined;
  const quoted = tokens.filter(({ type }) => type === 'quoted').map(({ text }) => text);
  if ([...comments, ...quoted].some((text) => hidden.test(text))) return undefined;
  const parts = splitAt(tokens, ';');
  const [first = []] = parts;
  const hasId = !first.some((token) => isSpecial(token, '='));
  const authservId = hasId ? idOf(first) : undefined;
  if (hasId && authservId === undefined) return undefined;
  const dmarc: DmarcResult[] = [];
  for (const part of hasId ? parts.slice(1) : parts) {
    if (!/^dmarc/i.test(part[0]?.text ?? '')) continue;
    const result = resultOf(part);
    if (result === undefined) return undefined;
    if (result.method === 'dmarc') dmarc.push(result);
  }
  return authservId === undefined ? { dmarc } : { authservId, dmarc };
}

/** The id of the server. A version may follow it, and there is only one. */
function idOf([id, version, ...more]: readonly HeaderToken[]): string | undefined {
  if (id === undefined || id.text === '' || more.length > 0) return undefined;
  const isVersion = version === undefined || (version.type === 'word' && version.isApart && version.text === '1');
  return isVersion ? id.text : undefined;
}

function resultOf([first, equals, outcome, ...rest]: readonly HeaderToken[]) {
  if (first?.type !== 'word' || !isSpecial(equals, '=') || outcome?.type !== 'word') return undefined;
  const [, method, version = '1'] = keyword.exec(first.text.toLowerCase()) ?? [];
  const [, result, resultVersion] = keyword.exec(outcome.text.toLowerCase()) ?? [];
  const properties = propertiesOf(rest);
  if (method === undefined || version !== '1' || result === undefined || resultVersion !== undefined) return undefined;
  return properties === undefined ? undefined : { method, result, properties };
}

/** `reason="…"`, `header.from=example.com`, and `action=none` as Exchange Online writes it. */
function propertiesOf(tokens: readonly HeaderToken[]): DmarcResult['properties'] | undefined {
  const properties: { name: string; value: string }[] = [];
  let at = 0;
  while (at < tokens.length) {
    const [name, equals] = [tokens[at], tokens[at + 1]];
    if (name?.type !== 'word' || !name.isApart || !isSpecial(equals, '=')) return undefined;
    at += 2;
    // in `header.from= header.d=x` the value of the first could be nothing or the rest
    if (tokens[at]?.isApart === true && isSpecial(tokens[at + 1], '=')) return undefined;
    let value = tokens[at]?.text ?? '';
    for (at += 1; tokens[at]?.isApart === false; at += 1) value += tokens[at]?.text;
    properties.push({ name: name.text.toLowerCase(), value });
  }
  return properties;
}

/** Also what a log shows of a mail: short, and no white space or control characters. */
const serverName = /^[!-:<-~]{1,255}$/;

const trustRules = {
  authservId: optional(
    matching(
      "a name such as 'mx.example.com', without white space",
      (name) => serverName.test(name) && !/:\/\/|\.$/.test(name),
      {
        hint: 'Take what stands before the first ; of the topmost Authentication-Results field of a mail in the mailbox.',
      },
    ),
  ),
  microsoft: optional(expecting<true>('true, or left out', (value) => value === true)),
};

/** The rule for the option that says whose word is taken. */
export const mailTrustOption: OptionRule<MailTrust> = (value, name) => {
  const trust = object(trustRules, "{ authservId: 'mx.example.com' } or { microsoft: true }")(value, name);
  const given = Object.keys(trust).length;
  if (given === 1) return trust as MailTrust; // one of the two
  throw badOption(
    `${name} must be either { authservId: 'mx.example.com' } or { microsoft: true }, got ${given === 0 ? 'neither' : 'both'}. Take the name at the start of the topmost Authentication-Results field of a mail in the mailbox.`,
  );
};

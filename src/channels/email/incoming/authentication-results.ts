/**
 * The Authentication-Results header field (RFC 8601), taken apart. Who wrote the field, and whether its writer is to be believed, is not
 * decided here.
 */
import { type HeaderToken, headerTokens } from '../header-tokens.js';

/** What a server says about a mail by one method, such as `dmarc=pass header.from=example.com`. Names and results are in lower case. */
export interface AuthenticationResult {
  readonly method: string;
  readonly result: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

/** The field. */
export interface AuthenticationResults {
  /** The server that wrote the field; Exchange Online writes none. */
  readonly authservId?: string;
  readonly results: readonly AuthenticationResult[];
}

const longestField = 65_536;
const keyword = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\/(\d+))?$/;
/** A result that stands in a comment or a quoted string. No server writes that; a sender's value that was not escaped makes it. */
const hidden = /;\s*dmarc/i;

/**
 * The results of an unfolded field; undefined if it cannot be read without doubt. Results of other methods that are not written as the RFC
 * has it are left out: servers take liberties, and only DMARC is asked for. For DMARC itself there are none.
 */
export function parseAuthenticationResults(value: string): AuthenticationResults | undefined {
  const { tokens, comments } = (value.length > longestField ? undefined : headerTokens(value, ';=')) ?? {};
  if (tokens === undefined || comments === undefined) return undefined;
  const quoted = tokens.filter(({ type }) => type === 'quoted').map(({ text }) => text);
  if ([...comments, ...quoted].some((text) => hidden.test(text))) return undefined;
  const parts = partsOf(tokens);
  const [first = []] = parts;
  const hasId = !first.some((token) => isSpecial(token, '='));
  const authservId = hasId ? idOf(first) : undefined;
  if (hasId && authservId === undefined) return undefined;
  const results: AuthenticationResult[] = [];
  for (const part of hasId ? parts.slice(1) : parts) {
    const result = resultOf(part);
    if (result !== undefined) results.push(result);
    else if (/^dmarc/i.test(part[0]?.text ?? '')) return undefined;
  }
  return authservId === undefined ? { results } : { authservId, results };
}

function isSpecial(token: HeaderToken | undefined, text: string): boolean {
  return token?.type === 'special' && token.text === text;
}

function partsOf(tokens: readonly HeaderToken[]): readonly (readonly HeaderToken[])[] {
  const parts: HeaderToken[][] = [[]];
  for (const token of tokens) {
    if (isSpecial(token, ';')) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** The id of the server. A version may follow it, and there is only one. */
function idOf([id, version, ...more]: readonly HeaderToken[]): string | undefined {
  if (id === undefined || id.text === '' || more.length > 0) return undefined;
  const isVersion = version === undefined || (version.type === 'word' && version.isApart && version.text === '1');
  return isVersion ? id.text : undefined;
}

function resultOf([first, equals, outcome, ...rest]: readonly HeaderToken[]): AuthenticationResult | undefined {
  if (first?.type !== 'word' || !isSpecial(equals, '=') || outcome?.type !== 'word') return undefined;
  const [, method, version = '1'] = keyword.exec(first.text.toLowerCase()) ?? [];
  const [, result, resultVersion] = keyword.exec(outcome.text.toLowerCase()) ?? [];
  const properties = propertiesOf(rest);
  if (method === undefined || version !== '1' || result === undefined || resultVersion !== undefined) return undefined;
  return properties === undefined ? undefined : { method, result, properties };
}

/** `reason="…"`, `header.from=example.com`, and `action=none` as Exchange Online writes it. */
function propertiesOf(tokens: readonly HeaderToken[]): AuthenticationResult['properties'] | undefined {
  const properties: { name: string; value: string }[] = [];
  let at = 0;
  while (at < tokens.length) {
    const [name, equals] = [tokens[at], tokens[at + 1]];
    if (name?.type !== 'word' || !name.isApart || !isSpecial(equals, '=')) return undefined;
    at += 2;
    // in `header.from= header.d=x` the value of the first could be nothing or the rest
    if (tokens[at]?.isApart === true && isSpecial(tokens[at + 1], '=')) return undefined;
    let value = '';
    for (let isFirst = true; at < tokens.length && (isFirst || tokens[at]?.isApart === false); at += 1) {
      value += tokens[at]?.text ?? '';
      isFirst = false;
    }
    properties.push({ name: name.text.toLowerCase(), value });
  }
  return properties;
}

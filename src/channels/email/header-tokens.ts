/**
 * The tokens of a structured header field (RFC 5322, section 3.2): words, quoted strings, comments and special characters. One pass, so a
 * hostile value takes no longer than a plain one. What the tokens mean is up to who asks.
 */

/** One token. `isApart`: white space or a comment stands before it, so it does not belong to the token on its left. */
export interface HeaderToken {
  readonly type: 'word' | 'quoted' | 'special';
  /** The text; that of a quoted string without its quotes and backslashes. */
  readonly text: string;
  readonly isApart: boolean;
}

/** The tokens of a value, and the texts of its comments, which are no tokens because they mean nothing. */
export interface HeaderTokens {
  readonly tokens: readonly HeaderToken[];
  readonly comments: readonly string[];
}

/** CR, LF, NUL and every other control character but the tab. A value that is unfolded has none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
const controls = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/;

/** White space, a quoted string, or the characters up to something else. */
const piece = /([ \t]+)|"([^"\\]*(?:\\.[^"\\]*)*)"|[^ \t("]+/sy;

/**
 * The tokens of an unfolded value; undefined if it has control characters, half a character, or a quoted string or a comment without its
 * end. What the one group of `specials` finds is a token of its own.
 */
export function headerTokens(value: string, specials: RegExp): HeaderTokens | undefined {
  if (controls.test(value) || !value.isWellFormed()) return undefined;
  const tokens: HeaderToken[] = [];
  const comments: string[] = [];
  let isApart = false;
  const add = (type: HeaderToken['type'], text: string) => {
    tokens.push({ type, text, isApart });
    isApart = false;
  };
  for (let at = 0; at < value.length; ) {
    if (value[at] === '(') {
      const end = commentEnd(value, at);
      if (end === undefined) return undefined;
      comments.push(value.slice(at + 1, end - 1));
      [at, isApart] = [end, true];
      continue;
    }
    piece.lastIndex = at;
    const [text, space, quoted] = piece.exec(value) ?? [];
    if (text === undefined) return undefined;
    at += text.length;
    if (space !== undefined) isApart = true;
    else if (quoted !== undefined) add('quoted', quoted.replace(/\\(.)/gsu, '$1'));
    else
      for (const [i, part] of text.split(specials).entries())
        if (part !== '') add(i % 2 === 0 ? 'word' : 'special', part);
  }
  return { tokens, comments };
}

/** Whether a token is this special character. */
export function isSpecial(token: HeaderToken | undefined, text: string): boolean {
  return token?.type === 'special' && token.text === text;
}

/** The tokens between these special characters. */
export function splitAt(tokens: readonly HeaderToken[], special: string): readonly (readonly HeaderToken[])[] {
  const parts: HeaderToken[][] = [[]];
  for (const token of tokens) {
    if (isSpecial(token, special)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** Where the comment that begins at `start` is over. Comments may stand in comments. */
function commentEnd(value: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === '(') depth += 1;
    else if (value[at] === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}

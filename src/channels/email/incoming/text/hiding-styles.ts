/**
 * Styles by which a text in HTML is not seen, or is struck out. Style sheets are not applied here: of those it is only known which elements
 * they may hide.
 */

const hiding =
  /display:none|visibility:hidden|mso-hide:all|line-through|opacity:0(?![.\d])|font-size:0(?![.\d])|max-height:0(?![.\d])/i;

/** Whether declarations, such as the value of an attribute `style`, hide an element. */
export function isHidingStyle(declarations: string): boolean {
  return hiding.test(declarations.replace(/\s+/g, ''));
}

/** Stands for every element. */
export const anyElement = '*';

/**
 * The classes and ids of elements that style sheets may hide, `tag:p` for a rule that has only the names of elements, and `anyElement` for
 * one that cannot be told. Whether a rule applies on a screen, and whether another one takes it back, is not looked at.
 */
export function hiddenMarks(sheet: string): ReadonlySet<string> {
  const marks = new Set<string>();
  for (const rule of withoutComments(sheet).split('}')) {
    const open = rule.lastIndexOf('{');
    if (open < 0 || !isHidingStyle(rule.slice(open + 1))) continue;
    const selectors = rule.slice(rule.lastIndexOf('{', open - 1) + 1, open).trim();
    if (selectors.startsWith('@')) continue; // a rule about no element, such as a font
    for (const selector of selectors.split(',')) for (const mark of marksIn(selector.trim())) marks.add(mark);
  }
  return marks;
}

/** Without a pattern for a whole comment: one that is never ended would take quadratic time. */
function withoutComments(sheet: string): string {
  const [first = '', ...more] = sheet.replace(/<!--|-->/g, '').split('/*');
  const rests = more.map((piece) => (piece.includes('*/') ? piece.slice(piece.indexOf('*/') + 2) : ''));
  return [first, ...rests].join('');
}

const longestSelector = 200;

function marksIn(selector: string): readonly string[] {
  if (selector.length > longestSelector) return [anyElement];
  if (!/^[\w\s.#:>+~-]+$/.test(selector) || /:(?:not|is|where|has)\b/i.test(selector)) return [anyElement];
  const named = [...selector.matchAll(/[.#]([\w-]+)/g)].map(([, name = '']) => name);
  if (named.length > 0) return named;
  const tag = /([a-z][\w-]*)(?::[\w:-]*)?$/i.exec(selector)?.[1];
  return [tag === undefined ? anyElement : `tag:${tag.toLowerCase()}`];
}

/**
 * Styles by which a text in HTML is not seen, or is struck out. Style sheets are not applied here: of those it is only known which elements
 * they may hide.
 */

/** Whether somebody sees a text: `doubtful` where that depends on more than is looked at here. */
export type Visibility = 'shown' | 'hidden' | 'doubtful';

/** Smaller letters are not read, in pixels or points. */
const smallestLetter = 2;
/** What is hardly there at all, as a part of 1. */
const faintest = 0.1;
/** What stands so far to the left, or so far up, is outside of the window. A list in Word goes back by 18 points. */
const outside = -200;

/** What declarations, such as the value of an attribute `style`, do to an element. Colours are not looked at. */
export function visibilityOf(declarations: string): Visibility {
  const all = declared(declarations);
  const isClipped = all.some(({ name, value }) => name.startsWith('overflow') && /hidden|clip/.test(value));
  const counts = new Map<string, number>();
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  const found = all.flatMap(({ name, value }) => {
    const visibility = effectOf(name, value, isClipped);
    if (visibility === 'shown') return [];
    return [counts.get(name) === 1 ? visibility : 'doubtful']; // which of two counts is up to the program
  });
  return found.includes('hidden') ? 'hidden' : (found[0] ?? 'shown');
}

function effectOf(name: string, value: string, isClipped: boolean): Visibility {
  const size = sizeIn(value);
  const when = (isSo: boolean, so: Visibility): Visibility => (isSo ? so : 'shown');
  switch (name) {
    case 'display':
      return when(value === 'none', 'hidden');
    case 'visibility':
      return when(value === 'hidden' || value === 'collapse', 'hidden');
    case 'mso-hide':
      return when(value === 'all', 'hidden');
    case 'text-decoration':
    case 'text-decoration-line':
      return when(value.includes('line-through'), 'hidden');
    case 'opacity':
      return size === 0 ? 'hidden' : when(size !== undefined && size < faintest, 'doubtful');
    case 'font-size':
      return size === 0
        ? 'hidden'
        : when(size !== undefined && size <= smallestLetter && isAbsolute(value), 'doubtful');
    case 'font':
      return when(/(?:^|\s)0+(?:\.0+)?[a-z%]*[\s/]/.test(value), 'doubtful');
    case 'height':
    case 'width':
    case 'max-height':
    case 'max-width':
      return when(size === 0, isClipped ? 'hidden' : 'doubtful');
    case 'left':
    case 'right':
    case 'top':
    case 'bottom':
    case 'text-indent':
    case 'margin-left':
    case 'margin-top':
      return when(size !== undefined && size <= outside, 'doubtful');
    case 'clip':
    case 'clip-path':
      return when(!/^(?:auto|none|initial|unset)$/.test(value), 'doubtful');
    default:
      return 'shown';
  }
}

const unseen =
  /^(?:transparent|white|#f{3,4}|#f{6}|#[\da-f]{3}0|#[\da-f]{6}00|rgba?\(255[,\s]+255[,\s]+255(?:[,\s/]+[\d.%]+)?\)|rgba\(.*,\s*0(?:\.0+)?%?\))$/;

/** Whether letters have the colour of an empty page, or none. `color` is that of an element `font`. */
export function isPale(declarations: string, color = ''): boolean {
  const colors = declared(`color:${color};${declarations}`).filter(({ name }) =>
    /^(?:color|-webkit-text-fill-color)$/.test(name),
  );
  return colors.some(({ value }) => unseen.test(value));
}

/** Whether an element gives its letters another ground than that of an empty page. `color` is that of its attribute `bgcolor`. */
export function hasGround(declarations: string, color = ''): boolean {
  const grounds = declared(`background:${color};${declarations}`).filter(({ name }) =>
    /^background(?:-color)?$/.test(name),
  );
  return grounds.some(
    ({ value }) => value !== '' && !unseen.test(value) && !/^(?:none|initial|inherit|unset)$/.test(value),
  );
}

interface StyleDeclaration {
  readonly name: string;
  readonly value: string;
}

function declared(declarations: string): readonly StyleDeclaration[] {
  return withoutComments(declarations)
    .toLowerCase()
    .split(';')
    .map((each) => {
      const colon = each.indexOf(':');
      const value = each.slice(colon + 1).replace(/!\s*important/, '');
      return { name: each.slice(0, Math.max(0, colon)).trim(), value: value.trim() };
    });
}

/** The number of `0.5em` or `50%`, as a part of 1 with a percent sign. */
function sizeIn(value: string): number | undefined {
  const [, number, unit] = /^([+-]?(?:\d+\.?\d*|\.\d+))([a-z%]*)$/.exec(value) ?? [];
  return number === undefined ? undefined : Number(number) / (unit === '%' ? 100 : 1);
}

function isAbsolute(value: string): boolean {
  return /(?:px|pt)$/.test(value);
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
    if (open < 0 || visibilityOf(rule.slice(open + 1)) === 'shown') continue;
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

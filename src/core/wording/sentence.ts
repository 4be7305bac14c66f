/**
 * A sentence of a language as data, and the text that it becomes. Knows no sentence and no language: plural forms are those of
 * Intl.PluralRules.
 */
import { grouped } from './list.js';

/**
 * A text with places, such as `Please pick one of: {labels}.`; or several texts, of which the first is said whose places can all be filled.
 * Behind a bar a place says how it is shown:
 * - `{meanings| or }`: what stands between the items of a list, else a comma;
 * - `{least|one=# character|other=# characters}`: its forms. Shown is the form for the value itself, else that for the plural category of the
 *   number, else `other`; `#` is the value. A place that has no form for its value cannot be filled.
 */
export type Sentence = string | readonly string[];

/** What fills the places of a sentence, by their names. Undefined fills none. */
export type Filling = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export const placeForm = /\{(\w+)(?:\|([^}]*))?\}/g;

/** The forms behind the bar of a place; undefined if it has none there. */
export function formsOf(behindBar = ''): ReadonlyMap<string, string> | undefined {
  if (!behindBar.includes('=')) return undefined;
  return new Map(behindBar.split('|').map((form) => form.split('=', 2) as [string, string]));
}

/** Returns what says the sentences of a language. `thousands` is its mark between the thousands of a number. */
export function speaker(locale: string, thousands: string): (sentence: Sentence, filling: Filling) => string {
  let plural: Intl.PluralRules | undefined; // made for the first form: few programs ever need it
  const categoryOf = (count: number) => {
    plural ??= new Intl.PluralRules(locale);
    return plural.select(count);
  };

  const shown = (value: Filling[string], behindBar: string | undefined): string | undefined => {
    if (value === undefined || typeof value === 'object') return value?.join(behindBar ?? ', ');
    const text = typeof value === 'number' ? grouped(value, thousands) : value;
    const forms = formsOf(behindBar);
    if (forms === undefined) return text;
    const category = typeof value === 'number' ? categoryOf(value) : 'other';
    const form = forms.get(String(value)) ?? forms.get(category) ?? forms.get('other');
    return form?.replaceAll('#', () => text);
  };

  return (sentence, filling) => {
    let text = '';
    for (const each of typeof sentence === 'string' ? [sentence] : sentence) {
      let isWhole = true;
      text = each.replace(placeForm, (_, name: string, behindBar?: string) => {
        const filled = shown(filling[name], behindBar);
        isWhole &&= filled !== undefined;
        return String(filled);
      });
      if (isWhole) break;
    }
    return text;
  };
}

/**
 * A question and how its answer is read: the port that every answer type implements.
 * A type is drawn as one of three shapes, so no channel ever learns a kind.
 */
import type { Json } from './json.js';
import type { Wording } from './wording.js';

export interface Choice {
  readonly id: string;
  readonly label: string;
}

export interface Field {
  readonly name: string;
  readonly text: string;
  readonly shape: Shape;
  readonly optional: boolean;
}

/**
 * How the answer can be given, which is all a channel needs to know to draw a question.
 *
 * @example
 * const stars: Shape = { type: 'choices', choices: [{ id: '1', label: '★' }], many: false };
 */
export type Shape =
  | { readonly type: 'text'; readonly input?: 'number' | 'date' | 'email' }
  | { readonly type: 'choices'; readonly choices: readonly Choice[]; readonly many: boolean }
  | { readonly type: 'fields'; readonly fields: readonly Field[] };

/**
 * What a reply was read as: a value, or why it is none.
 *
 * @example
 * const refused: Parsed<number> = { ok: false, why: 'not-valid', problem: 'Please pick a number from 1 to 5.' };
 */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly problem: string;
      readonly why: 'not-understood' | 'not-valid';
      /** The problem in the registry's own words, where the type knows a sentence of the wording table. */
      readonly say?: (wording: Wording) => string;
    };

/**
 * How a reply becomes a value. `D` is the data stored with the question; it must be plain JSON.
 * `parse` must not throw and must not guess; it may be asynchronous so that costly work can leave the main loop.
 *
 * @example
 * const rating: AnswerType<number, null> = {
 *   kind: 'rating',
 *   shape: () => ({ type: 'choices', choices: ['1', '2', '3'].map((n) => ({ id: n, label: n })), many: false }),
 *   parse: (reply) => (/^[1-3]$/.test(reply) ? { ok: true, value: Number(reply) }
 *     : { ok: false, why: 'not-valid', problem: 'Please pick a number from 1 to 3.' }),
 * };
 */
export interface AnswerType<T, D = Json> {
  readonly kind: string;
  shape(data: D): Shape;
  parse(reply: string, data: D, locale?: string): Parsed<T> | Promise<Parsed<T>>;
  /** True if any text with something in it fits, so that a model or the letter rule judges whether it answers. */
  isOpen?(data: D): boolean;
}

/**
 * A question as it is declared: a text, the type that reads its answer, and the data stored for that type.
 *
 * @example
 * const stars: Question<number> = { text: 'How was it?', type: rating, data: null };
 */
export interface Question<T = string> {
  readonly text: string;
  readonly type: AnswerType<T, never>;
  readonly data: Json;
}

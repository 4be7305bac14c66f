/**
 * A question and how its answer is read: the port that every answer type implements.
 * A type is drawn as one of three shapes, so no channel ever learns a kind.
 */
import type { Json } from '../json.js';
import { folded } from '../text.js';
import type { Language } from '../wording/language.js';
import type { Wording } from '../wording/wording.js';

/**
 * One of the answers that a person can pick: what a button sends, and what it says.
 *
 * @example
 * import { type Choice, choice } from 'askback';
 *
 * const small: Choice = { id: 's', label: 'Small' };
 * const size = choice('Which size?', [small, { id: 'l', label: 'Large' }]);
 */
export interface Choice {
  /** The value that the handler gets. */
  readonly id: string;
  /** What the person sees. */
  readonly label: string;
}

/** One field of a form, as a channel draws it. */
export interface Field {
  /** The name of the field in the answer. */
  readonly name: string;
  /** The question of the field. */
  readonly text: string;
  /** How it can be answered. */
  readonly shape: Shape;
  /** True if people may skip it. */
  readonly optional: boolean;
}

/**
 * How the answer can be given, which is all a channel needs to know to draw a question.
 *
 * @example
 * import type { Shape } from 'askback';
 *
 * const stars: Shape = { type: 'choices', choices: [{ id: '1', label: '★' }], many: false };
 */
export type Shape =
  | { readonly type: 'text'; readonly input?: 'number' | 'date' | 'datetime' | 'email' }
  /**
   * With `many` the answer is a list: of at most `max`, where that is fewer than all. `numbered` says whether the options are shown with the
   * numbers 1 to n, by which they may be typed; it is stored when the question is asked. Without it they are, unless a label begins with a
   * number.
   */
  | {
      readonly type: 'choices';
      readonly choices: readonly Choice[];
      readonly many: boolean;
      readonly max?: number;
      readonly numbered?: boolean;
    }
  /** `current` is the field that a typed reply answers; a page draws all of them. */
  | { readonly type: 'fields'; readonly fields: readonly Field[]; readonly current: string };

/** The field that a typed reply answers, in a question that has fields. */
export function currentField(shape: Shape): Field | undefined {
  return shape.type === 'fields' ? shape.fields.find((field) => field.name === shape.current) : undefined;
}

/** The shape of a question with options. */
export type ChoicesShape = Extract<Shape, { type: 'choices' }>;

/** What a typed reply chooses from now; undefined if it does not. */
export function currentChoices(shape: Shape): ChoicesShape | undefined {
  const shown = currentField(shape)?.shape ?? shape;
  return shown.type === 'choices' ? shown : undefined;
}

/** The options that a typed reply may name now. */
export function choicesOf(shape: Shape): readonly Choice[] {
  return currentChoices(shape)?.choices ?? [];
}

/** Whether the options are shown with the numbers 1 to n. */
export function isNumbered({ choices, numbered }: Pick<ChoicesShape, 'choices' | 'numbered'>): boolean {
  return numbered ?? !choices.some(({ label }) => /^[+−-]?\d/.test(folded(label)));
}

/** The shape with its numbering decided, as it is stored when the question is asked: every channel and every reading takes it from there. */
export function withNumbers(shape: Shape): Shape {
  if (shape.type === 'choices') return { ...shape, numbered: isNumbered(shape) };
  if (shape.type === 'text') return shape;
  return { ...shape, fields: shape.fields.map((field) => ({ ...field, shape: withNumbers(field.shape) })) };
}

/**
 * The options that a typed reply may name now, as a channel shows them, on buttons too: "2. Large". A reply may name an option by its number,
 * so the number is always shown.
 *
 * @example
 * import { shownChoices } from 'askback/channels/plain';
 *
 * const choices = [{ id: 's', label: 'Small' }, { id: 'l', label: 'Large' }];
 * console.log(shownChoices({ type: 'choices', choices, many: false }).map(({ label }) => label)); // [ '1. Small', '2. Large' ]
 */
export function shownChoices(shape: Shape): readonly Choice[] {
  const shown = currentChoices(shape);
  if (shown === undefined || !isNumbered(shown)) return shown?.choices ?? [];
  return shown.choices.map(({ id, label }, i) => ({ id, label: `${i + 1}. ${label}` }));
}

/** The same as lines of a text: "2. Large", or "- Yes" without numbers. */
export function listedChoices(shape: Shape): readonly string[] {
  const shown = currentChoices(shape);
  const mark = shown !== undefined && isNumbered(shown) ? '' : '- ';
  return shownChoices(shape).map(({ label }) => `${mark}${label}`);
}

/**
 * What a reply was read as: a value, why it is none, or a part of the answer after which something more is asked.
 *
 * @example
 * import type { Parsed } from 'askback';
 *
 * const refused: Parsed<number> = { ok: false, why: 'not-valid', problem: 'Please pick a number from 1 to 5.' };
 */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly problem: string;
      readonly why: 'not-understood' | 'not-valid';
      /** The problem in the person's language, where the type knows a sentence of the wording table. */
      readonly say?: (wording: Wording) => string;
    }
  | {
      readonly ok: false;
      readonly why: 'more';
      /** What is known so far; stored with the ask and handed to the next `parse`. */
      readonly partial: Json;
      /** What is asked next, and how that is drawn. */
      readonly prompt: string;
      readonly say?: (wording: Wording) => string;
      readonly shape: Shape;
    };

/** What a type may need beside the reply: the words of the person's language, what was shown, and what earlier replies gave. */
export interface ReplyContext {
  /** How the question was shown. */
  readonly shape?: Shape;
  /** What was asked. */
  readonly question?: string;
  /** The name of the agent that asks: courtesy, where a reply is addressed to it. */
  readonly agentName?: string;
  /** The person's language: its words and sentences. */
  readonly language?: Language;
  /** What earlier replies have given, as this type returned it. */
  readonly partial?: Json;
  /** Whose reply it is: costly work is shared fairly between conversations. */
  readonly conversationId?: string;
}

/**
 * How a reply becomes a value. `D` is the data stored with the question; it must be plain JSON.
 * `parse` must not throw and must not guess; it may be asynchronous so that costly work can leave the main loop.
 *
 * @example
 * import type { AnswerType } from 'askback';
 *
 * const rating: AnswerType<number, null> = {
 *   kind: 'rating',
 *   shape: () => ({ type: 'choices', choices: ['1', '2', '3'].map((n) => ({ id: n, label: n })), many: false }),
 *   parse: (reply) =>
 *     /^[1-3]$/.test(reply)
 *       ? { ok: true, value: Number(reply) }
 *       : { ok: false, why: 'not-valid', problem: 'Please pick a number from 1 to 3.' },
 * };
 */
export interface AnswerType<T, D = Json> {
  /** The name of the type. Asks are stored with it, so it must not change while asks are open. */
  readonly kind: string;
  /**
   * Raised when the stored data changes its meaning; an older release then leaves such a question alone.
   *
   * @default 1
   */
  readonly version?: number;
  /** How the question is drawn. */
  shape(data: D): Shape;
  /** What a person typed. */
  parse(reply: string, data: D, locale?: string, context?: ReplyContext): Parsed<T> | Promise<Parsed<T>>;
  /**
   * What a program or a page gave: the value itself, of the exact kind. Without it such a value is read as if it were
   * typed and must come out unchanged.
   */
  accept?(value: Json, data: D, context?: ReplyContext): Parsed<T> | Promise<Parsed<T>>;
  /** True if any text with something in it fits, so that a model or the letter rule judges whether it answers. */
  isOpen?(data: D): boolean;
  /** The data with the labels that the author left to the language of whoever is asked. It is stored like that. */
  worded?(data: D, wording: Wording): Json;
  /** What whoever answered is told where nothing else follows; undefined says nothing. */
  told?(value: T, data: D, wording: Wording): string | undefined;
  /** What is shown when the question is first put, where that is more than its text. */
  opening?(text: string, data: D): string;
  /** What is asked again after a check refused the whole value, so that `fields` (all, if empty) can be corrected. */
  reopen?(value: T, data: D, fields: readonly string[]): Extract<Parsed<T>, { why: 'more' }>;
}

/**
 * A question as it is declared: a text, the type that reads its answer, and the data stored for that type.
 *
 * @example
 * import { agent, type Question, text } from 'askback';
 *
 * const order: Question = text('Which order?');
 * agent('support').onMessage(({ ask }) => ask(order));
 */
export interface Question<T = string> {
  /** What the person is asked. */
  readonly text: string;
  /** The type that reads the answer. */
  readonly type: AnswerType<T, never>;
  /** What the type needs to read it. It is stored with the ask. */
  readonly data: Json;
}

/**
 * Several questions in one ask, answered together or one after the other. Answered fields are kept, and each field
 * has its own attempts. form-reading.ts parses the replies.
 */

import type { AnswerType, Question } from '../core/ask/answer-type.js';
import { assertObject, expecting } from '../core/check-options.js';
import { badOption } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { folded } from '../core/text.js';
import { builtInType } from './built-in-types.js';
import { checkedQuestion, typeOf } from './question.js';
import type { FormData, StoredField } from './reading/form-reading.js';
import { FormReading } from './reading/form-reading.js';

/** A field that people may skip. */
export interface OptionalQuestion<T> extends Question<T> {
  /** Tells the form that the field may be left out. */
  readonly optional: true;
}

/** The answer to a form with the fields `F`: one property for each field, an optional one where the field may be skipped. */
export type FormValue<F> = {
  readonly [K in keyof F as F[K] extends { readonly optional: true } ? never : K]: F[K] extends {
    readonly type: AnswerType<infer T, never>;
  }
    ? T
    : never;
} & {
  readonly [K in keyof F as F[K] extends { readonly optional: true } ? K : never]?: F[K] extends {
    readonly type: AnswerType<infer T, never>;
  }
    ? T
    : never;
} extends infer V
  ? { [K in keyof V]: V[K] }
  : never;

const mostFields = 20;
const example = "{ order: text('Which order?') }";

const isQuestion = expecting<Question<unknown>>(
  "a question such as text('Which order?')",
  (value) => typeof (value as Partial<Question> | null | undefined)?.type?.kind === 'string',
);

/**
 * Makes a field optional. A skipped field is not in the answer.
 *
 * @example
 * import { form, optional, text } from 'askback';
 *
 * const refund = form('Your refund', { order: text('Which order?'), reason: optional(text('Why?')) });
 */
export function optional<T>(question: Question<T>): OptionalQuestion<T> {
  return { ...checkedQuestion(question), optional: true };
}

/**
 * Several questions that belong together. The handler gets one object, typed by its fields. In a chat they are asked one
 * after the other; a page shows them together.
 *
 * @example
 * import { agent, confirm, form, number, text } from 'askback';
 *
 * const fields = { order: text('Which order?'), amount: number('How much?'), sure: confirm('Refund it?') };
 * agent('shop').question('refund', form('Your refund', fields), { onAnswer: ({ order, amount }) => `${order}: ${amount}` });
 */
export function form<F extends { readonly [K in keyof F]: Question<unknown> }>(
  question: string,
  fields: F,
): Question<FormValue<F>> {
  const what = `form(${describe(question)})`;
  const named = Object.entries<Question<unknown>>(
    assertObject(fields, `${what}: the fields`, `an object such as ${example}`),
  );
  if (named.length === 0 || named.length > mostFields)
    throw badOption(`${what} must have 1 to ${mostFields} fields such as ${example}, got ${named.length}.`);
  for (const [i, [name, field]] of named.entries()) {
    if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) || name === '__proto__')
      throw badOption(`${what}: the field name ${JSON.stringify(name)} must be a word of letters, digits, _ and -.`);
    const twin = named.slice(0, i).find(([other]) => folded(other) === folded(name));
    if (twin !== undefined) throw badOption(`${what}: the fields ${twin[0]} and ${name} cannot be told apart by name.`);
    if (checkedQuestion(isQuestion(field, `${what}: the field ${name}`)).type.kind === 'form')
      throw badOption(`${what}: the field ${name} is a form itself. Put its fields in this one.`);
  }
  const stored = named.map(([name, field]): StoredField => {
    const base = { name, text: field.text, kind: field.type.kind, data: field.data };
    return 'optional' in field ? { ...base, optional: true } : base;
  });
  const types = new Map(named.map(([, field]) => [field.type.kind, typeOf(field)]));
  const data: FormData = { fields: stored };
  // FormReading returns one value for each field, by the field's own type: this is what the mapped type says
  const type = new FormReading((kind) => types.get(kind) ?? builtInType(kind)) as unknown as AnswerType<
    FormValue<F>,
    FormData
  >;
  // strings, booleans and the data of the fields, which is Json; an interface has no index signature
  return checkedQuestion({ text: question, type, data: data as unknown as Json });
}

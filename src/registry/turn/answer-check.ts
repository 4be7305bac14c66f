/**
 * The author's check of an answer: a function or a schema, and what it objects to. It decides nothing: a refused answer is
 * asked for again by the caller.
 */
import { badOption } from '../../core/errors.js';
import { describe } from '../../core/ids.js';

/** What a schema says of a value: `issues` is absent where it fits. */
export interface SchemaResult {
  /** What is wrong, and in which field. */
  readonly issues?: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] | undefined;
}

/**
 * The part of the Standard Schema interface that is used: zod, valibot and arktype have it. It must take what the
 * question gives; what it makes of it is not used.
 */
export interface StandardSchema<T> {
  /** The key of the specification (standardschema.dev). */
  readonly '~standard': {
    readonly types?: { readonly input: T } | undefined;
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
  };
}

/** A function or a Standard Schema. The function returns true, or the reason why the answer cannot be right. */
export type AnswerCheck<T> = ((answer: T) => true | string | Promise<true | string>) | StandardSchema<T>;

interface Objection {
  readonly problem: string;
  /** The fields of a form that it is about; none: all of it. */
  readonly fields: readonly string[];
}

/** What the check has against the answer; undefined if nothing. */
export async function objectionOf<T>(check: AnswerCheck<T>, value: T): Promise<Objection | undefined> {
  if (typeof check === 'function') {
    const verdict = await check(value);
    if (verdict === true) return undefined;
    if (typeof verdict === 'string') return { problem: verdict, fields: [] };
    throw badOption(`check() must return true or the reason as a string, got ${describe(verdict)}.`);
  }
  const result = await check['~standard'].validate(value);
  const got: unknown = result;
  if (got === null || typeof got !== 'object')
    throw badOption(`check: the schema must give { value } or { issues }, got ${describe(got)}.`);
  const { issues } = result;
  if (issues === undefined || issues.length === 0) return undefined;
  return {
    problem: issues.map((issue) => issue.message).join(' '),
    fields: issues.flatMap(({ path }) => fieldOf(path)),
  };
}

/** A path of a Standard Schema issue begins with a key, or an object that has one. */
function fieldOf(path: readonly unknown[] | undefined): string[] {
  const first = path?.[0];
  const key: unknown = typeof first === 'object' && first !== null && 'key' in first ? first.key : first;
  return typeof key === 'string' ? [key] : [];
}

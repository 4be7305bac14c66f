/**
 * Fields of requests, as schemas. Each error message says what is expected, to be read after "must be".
 */
import { z } from '../packages.js';

const longestText = 512;

/** An id or a name, as a caller gives it. Whether there is one is not a question of its form. */
export const name = () =>
  z
    .string({ error: 'a string' })
    .min(1, { error: 'a string that is not empty' })
    .max(longestText, { error: `a string of at most ${longestText} characters` });

export function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

/** A whole number in a query, where everything is a string. */
export function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error })
    .openapi({ type: 'integer', minimum: min, maximum: max });
}

/** A time in a query. */
export function time() {
  const error = 'a time such as 2026-01-31T12:00:00Z';
  return z
    .string({ error })
    .refine((value) => /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(value) && Date.parse(value) >= 0, { error })
    .transform((value) => Date.parse(value))
    .openapi({ type: 'string', format: 'date-time' });
}

/** A flag in a query. */
export const flag = () =>
  oneOf('true', 'false')
    .transform((value) => value === 'true')
    .openapi({ type: 'boolean' });

export const pageFields = {
  limit: wholeNumber(1, 100).optional(),
  cursor: z.string({ error: 'the cursor of the page before' }).optional(),
};

const longestReason = 1_000;

export const reason = () =>
  z.string({ error: 'a string' }).max(longestReason, { error: `a string of at most ${longestReason} characters` });

/**
 * What the page of the web chat posts: a message, a press or the values of a form, checked field by field. Who sent it is not in it.
 */
import { describe } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { isBlank } from '../../core/text.js';
import { refusal } from '../http.js';

export interface PostedMessage {
  /** Made by the page: the same for every try. */
  readonly id: string;
  readonly text: string;
  readonly askId?: string;
  readonly choice?: string | readonly string[];
  readonly value?: Json;
  /** How long ago it was written, by the clock of the browser. */
  readonly sentAt?: { readonly age: number };
}

const known = ['id', 'text', 'askId', 'choice', 'value', 'age'];
const longestId = 128;

export function postedMessage(body: unknown): PostedMessage {
  const fields = fieldsOf(body, known);
  const { id, text = '', age, ...given } = fields;
  const { askId, choice, value } = given;
  if (typeof id !== 'string' || id === '' || id.length > longestId)
    throw refusal(
      400,
      `id must be a string of 1 to ${longestId} characters, got ${describe(id)}. Make a new one for each message.`,
    );
  if (typeof text !== 'string') throw refusal(400, `text must be a string, got ${describe(text)}.`);
  const isPressed = choice !== undefined || value !== undefined;
  if (isPressed && askId === undefined)
    throw refusal(400, 'choice and value need the askId of the question that they answer.');
  if (!isPressed && isBlank(text)) throw refusal(400, 'text is blank. Send what the person wrote, or a choice.');
  const sentAt = age === undefined ? {} : { sentAt: { age } };
  return { id, text, ...given, ...sentAt } as PostedMessage; // the registry checks the rest, as for every channel
}

/** The language that a new visitor's browser names. */
export function postedLocale(body: unknown): string | undefined {
  const { locale } = fieldsOf(body, ['locale']);
  if (locale === undefined) return undefined;
  if (typeof locale === 'string' && /^[\w-]{2,35}$/.test(locale)) return locale;
  throw refusal(400, `locale must be a language tag such as de or en-GB, got ${describe(locale)}.`);
}

/** One of several conversations of a visitor. */
export function namedConversation(name: string | null): string | undefined {
  if (name === null) return undefined;
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw refusal(400, `conversation must have 1 to 64 letters, digits, _, - or ., got ${describe(name)}.`);
}

function fieldsOf(body: unknown, names: readonly string[]): { readonly [name: string]: unknown } {
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw refusal(400, `The body must be an object with ${names.join(', ')}, got ${describe(body)}.`);
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown === undefined) return body as { readonly [name: string]: unknown };
  throw refusal(400, `The field ${describe(unknown)} is unknown. Known are ${names.join(', ')}.`);
}

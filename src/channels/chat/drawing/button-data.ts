/**
 * What a button carries, written and read in one place: the ask and the option. It must be short: with what an adapter puts around it,
 * Telegram takes 64 bytes and Discord 100 characters. Whoever presses it is not in it.
 */
import { Buffer } from 'node:buffer';
import { parse, stringify, validate } from 'uuid';
import type { Shape } from '../../../core/ask/answer-type.js';
import { digest } from '../../../core/ids.js';

/** What a button that was pressed is about. */
export interface ReadButton {
  readonly askId: string;
  /** The option itself where it is short, else its digest. */
  readonly option: { readonly id: string } | { readonly digest: string };
}

const prefix = { id: 'ab.', digest: 'ab~', open: 'ab!' } as const;
/** The 16 bytes of an ask's id in base64url. */
const askCharacters = 22;
/** Telegram's adapter writes `chat:{"a":"…"}` around it. */
const mostBytes = 64 - Buffer.byteLength('chat:{"a":""}');
const mostOption = mostBytes - prefix.id.length - askCharacters;
const digestCharacters = 16;

/** The id of a button that opens a modal; undefined for an ask whose id is none of ours. */
export function openData(askId: string): string | undefined {
  return validate(askId) ? `${prefix.open}${Buffer.from(parse(askId)).toString('base64url')}` : undefined;
}

/** The ask whose modal a button opens; undefined for any other button. */
export function readOpen(data: string): string | undefined {
  return data.startsWith(prefix.open) ? askIn(data.slice(prefix.open.length)) : undefined;
}

/** The id of a button; undefined for an ask whose id is none of ours. */
export function buttonData(askId: string, optionId: string): string | undefined {
  if (!validate(askId)) return undefined;
  const ask = Buffer.from(parse(askId)).toString('base64url');
  const isShort = optionId.length <= mostOption && /^[\w .:/+-]+$/.test(optionId); // no character that JSON or a form escapes
  return isShort ? `${prefix.id}${ask}${optionId}` : `${prefix.digest}${ask}${optionDigest(askId, optionId)}`;
}

/** Undefined for a button that is not ours. */
export function readButton(data: string): ReadButton | undefined {
  const kind = data.startsWith(prefix.id) ? 'id' : data.startsWith(prefix.digest) ? 'digest' : undefined;
  if (kind === undefined) return undefined;
  const start = prefix[kind].length;
  const askId = askIn(data.slice(start, start + askCharacters));
  const option = data.slice(start + askCharacters);
  if (askId === undefined || option === '') return undefined;
  return { askId, option: kind === 'id' ? { id: option } : { digest: option } };
}

function askIn(data: string): string | undefined {
  const bytes = Buffer.from(data, 'base64url');
  if (bytes.length !== 16) return undefined;
  try {
    return stringify(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The option that a button means, in the question as it is now. A digest never means another option than the one that was drawn: where
 * the question has none with it, as after the next field of a form was asked, nothing is found.
 */
export function optionIn(shape: Shape, { askId, option }: ReadButton): string | undefined {
  if ('id' in option) return option.id;
  const drawn = shape.type === 'fields' ? shape.fields.map((field) => field.shape) : [shape];
  const choices = drawn.flatMap((each) => (each.type === 'choices' ? each.choices : []));
  return choices.find(({ id }) => optionDigest(askId, id) === option.digest)?.id;
}

function optionDigest(askId: string, optionId: string): string {
  return digest('option', askId, optionId).slice(0, digestCharacters);
}

/**
 * Ids: what is a usable one, which bucket a conversation lives in, and how an ask gets its id.
 * All of it is computed from what it is given; nothing here draws random numbers.
 */
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { validate } from 'uuid';
import { AgentError } from './errors.js';

/** A constant of the stored format: changing it would lose every key. */
export const buckets = 64;

const longestId = 512;

/** The id itself, or an error that names what it is the id of. */
export function checkedId(id: unknown, name: string): string {
  if (typeof id !== 'string' || id === '') {
    throw new AgentError('bad-message', `${name} must be a non-empty string, got ${describe(id)}.`);
  }
  const bytes = 3 * id.length > longestId ? Buffer.byteLength(id) : 0; // a UTF-16 unit has at most three
  if (bytes > longestId) {
    throw new AgentError(
      'bad-message',
      `${name} is ${bytes} bytes long, at most ${longestId} are accepted. Use a digest of it.`,
    );
  }
  if (!id.isWellFormed()) throw new AgentError('bad-message', `${name} contains half a character (a lone surrogate).`);
  return id;
}

const bytes = Buffer.alloc(16);

/** An id that looks like ours in 22 signs instead of 36, as there may be a million of them; undefined for any other text. */
export function packed(id: string): string | undefined {
  if (id.length !== 36) return undefined;
  let half = 0; // of a byte
  for (let i = 0; i < 36; i += 1) {
    const sign = id.charCodeAt(i);
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (sign !== 45) return undefined;
      continue;
    }
    const digit = sign >= 48 && sign <= 57 ? sign - 48 : sign >= 97 && sign <= 102 ? sign - 87 : -1;
    if (digit < 0) return undefined;
    bytes[half >> 1] = (half & 1) === 0 ? digit << 4 : (bytes[half >> 1] as number) | digit;
    half += 1;
  }
  return bytes.toString('base64url');
}

/** The id that was packed. */
export function unpacked(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A value in an error message. It may be a Proxy, which throws. */
export function describe(value: unknown): string {
  try {
    return described(value);
  } catch {
    return 'an object that cannot be read';
  }
}

/** The same without the value itself, for what people write: it may be the answer to a sensitive question. */
export function describeKind(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return typeof value === 'number' || typeof value === 'boolean' ? `a ${typeof value}` : describe(value);
}

function described(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return value === '' ? 'an empty string' : JSON.stringify(value.slice(0, 60));
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return kind === 'Object' ? 'an object' : `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function sha256(parts: readonly string[], encoding: 'hex' | 'base64url'): string {
  let text = '';
  // each part with its length, so that no two lists of parts give the same string
  for (const part of parts) text += `${part.length}:${part}`;
  return hash('sha256', text, encoding);
}

export function digest(...parts: readonly string[]): string {
  return sha256(parts, 'base64url');
}

/** Returns the key under which a conversation is listed where something is asked or said for a participant who has not written there. */
export function askedForKey(participantId: string): string {
  return digest('asked for', participantId);
}

/**
 * Under which the conversations of questions are listed that were put to a place where each has one of its own: all of them, or those
 * `about` one thing. `conversationId` is the place's own.
 */
export function questionsKey(conversationId: string, ...about: readonly string[]): string {
  return digest('questions at', conversationId, ...about);
}

/**
 * The id under which a message is recorded: it keeps the ids of two channels, and the library's own, apart. A colon in the
 * channel's name is escaped, because the first one ends the name.
 */

export function messageEntryId(channel: string, id: string): string {
  return `m:${channel.replace(/[%:]/g, encodeURIComponent)}:${id}`;
}

/** Whether an entry came as a message of a channel, and not over the API. */
export function isMessageEntry(entryId: string): boolean {
  return entryId.startsWith('m:');
}

/** Spreads conversations evenly (FNV-1a). It keeps nothing secret, so a cheap hash will do. */
export function bucketOf(conversationId: string): number {
  let mixed = 0x811c9dc5;
  for (let i = 0; i < conversationId.length; i += 1)
    mixed = Math.imul(mixed ^ conversationId.charCodeAt(i), 0x01000193);
  return (mixed ^ (mixed >>> 7) ^ (mixed >>> 15) ^ (mixed >>> 23)) & (buckets - 1);
}

/**
 * An id that leads to its conversation's bucket (first byte) and is otherwise a digest of `parts`. With a secret among
 * the parts it cannot be guessed; with the same parts it is the same, so a re-run finds what it made before.
 */
export function routedId(conversationId: string, ...parts: readonly string[]): string {
  const hex = sha256([conversationId, ...parts], 'hex');
  const bucket = bucketOf(conversationId).toString(16).padStart(2, '0');
  const variant = '89ab'[hex.charCodeAt(16) & 0x3];
  return `${bucket}${hex.slice(2, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Where a question is put: the conversation of the place, and whether each question there has a conversation of its own. */
export interface QuestionPlace {
  readonly conversationId: string;
  readonly isApart: boolean;
}

/**
 * The conversation in which a question is asked, and the id of its ask, by what makes it this question and no other: the same parts are
 * the same ask, so a re-run finds what it made before.
 */
export function askIdentity(
  { conversationId: there, isApart }: QuestionPlace,
  ...parts: readonly string[]
): { readonly id: string; readonly conversationId: string } {
  const conversationId = isApart ? ownConversation(there, ...parts) : there;
  return { id: routedId(conversationId, ...parts), conversationId };
}

/** The conversation of one question at a place: no other question is in it, so none waits for another. */
export function ownConversation(there: string, ...parts: readonly string[]): string {
  return `${there}/${digest(...parts)}`;
}

/** The bucket that an ask's or a parked entry's id leads to, or undefined if it is no such id. */
export function bucketOfId(id: string): number | undefined {
  if (!validate(id)) return undefined;
  const bucket = Number.parseInt(id.slice(0, 2), 16);
  return bucket < buckets ? bucket : undefined;
}

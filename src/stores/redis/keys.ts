/**
 * Every key name of the Redis store is made here, and ids become parts of keys here. Nothing here talks to Redis.
 *
 * All keys of a bucket carry its tag (`{7}`), so that one script may touch them all, also on a Cluster:
 *
 * | key | type | what |
 * |---|---|---|
 * | `askback:format` | string | the format's name and version |
 * | `askback:{7}:c:<conversation>` | string | a stamp and the record, with a document that is not long (lifecycle/record-text.ts) |
 * | … `:d` `:q` `:h` | string, list, list | a long document, entries behind the front one, history |
 * | … `:n` | string | the number of the oldest history item, once older ones were dropped |
 * | … `:a` | zset | short ids of settled asks, by the end of their record |
 * | … `:o` `:b` `:s` | hash | data of unsent outputs, bookkeeping of those that the record has no room for, the channels' ids of what was sent |
 * | … `:r` `:m:<turn>` | hash | dedupe marks, what `remember` kept |
 * | `askback:{7}:due` | zset | conversations that want a holder, by time |
 * | `askback:{7}:unsent:<channel>` | zset | conversations with outputs to push, by when the first is free |
 * | `askback:{7}:open`, `:parked` | zset | open asks, parked entries, by time |
 * | `askback:{7}:deadline` | zset | open asks, by `deadlineRank` |
 * | `askback:{7}:changes` | zset | `<short id>:<conversation>` of asks that changed, without the conversation once that is erased, by the time in microseconds |
 * | `askback:{7}:v:<key>` | string | a value of `swap` |
 * | `askback:{7}:settled` | zset | `<short id>:<end of its record>` of settled asks, by the time of the decision |
 * | `askback:{7}:p:<participant>` | string | the conversation of a participant |
 * | `askback:{7}:also:<participant>` | zset | further ones, by the end of their retention |
 * | `askback:{7}:a:<short id>` | string | `>conversation` of an open ask or parked entry, or `=record` of a settled ask |
 *
 * reads-writes.ts names the suffixed keys, and the script continues the first key by them; a client may put a prefix before it.
 */
import { Buffer } from 'node:buffer';
import { bucketOf, bucketOfId, buckets } from '../../core/ids.js';

const safe = /^[\w.~-]+$/;
const safeButColons = /^[\w.~:-]+$/;

/** An id as part of a key: the same only for the same id, and free of everything that means something in a key. */
export function encoded(id: string): string {
  if (safe.test(id)) return id;
  if (safeButColons.test(id)) return id.replaceAll(':', '%3A'); // as most ids of people are
  return encodeURIComponent(id).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

export function decoded(part: string): string {
  return part.includes('%') ? decodeURIComponent(part) : part;
}

const bytes = Buffer.alloc(16);

/** The 16 bytes of an id that looks like ours, in a place that the next call uses too; undefined for any other text. */
function bytesOf(id: string): Buffer | undefined {
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
  return bytes;
}

/** The id of an ask or a parked entry as part of a key: 22 signs for 36, as there may be a million of them. */
export function shortened(id: string): string {
  return bytesOf(id)?.toString('base64url') ?? `~${encoded(id)}`;
}

export function lengthened(part: string): string {
  if (part.startsWith('~')) return decoded(part.slice(1));
  const hex = Buffer.from(part, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export class Keys {
  readonly format: string;
  readonly hints: string;
  private readonly roots: readonly string[];

  constructor(prefix: string) {
    this.format = `${prefix}:format`;
    this.hints = `${prefix}:hints`;
    this.roots = Array.from({ length: buckets }, (_, bucket) => `${prefix}:{${bucket}}:`);
  }

  conversation(conversationId: string): string {
    return `${this.roots[bucketOf(conversationId)]}c:${encoded(conversationId)}`;
  }

  /** What the keys of a conversation's bucket begin with. */
  rootOf(conversationId: string): string {
    const key = this.conversation(conversationId);
    return key.slice(0, key.indexOf('}:') + 2);
  }

  /** The key that an ask's or a parked entry's id leads to; undefined if it is no such id. */
  pointer(id: string): string | undefined {
    const bucket = bucketOfId(id);
    return bucket === undefined ? undefined : `${this.roots[bucket]}a:${shortened(id)}`;
  }

  /** The settled asks of a conversation, and those of its bucket. */
  settledOf(conversationId: string): string[] {
    return [`${this.conversation(conversationId)}:a`, `${this.rootOf(conversationId)}settled`];
  }

  due(bucket: number): string {
    return `${this.roots[bucket]}due`;
  }

  unsent(bucket: number, channel: string): string {
    return `${this.roots[bucket]}unsent:${encoded(channel)}`;
  }

  /** A value of `swap`. */
  value(key: string): string {
    return `${this.roots[bucketOf(key)]}v:${encoded(key)}`;
  }

  listing(bucket: number, what: 'open' | 'parked' | 'deadline' | 'changes' | 'settled'): string {
    return `${this.roots[bucket]}${what}`;
  }

  participant(bucket: number, participantId: string): string[] {
    const participant = encoded(participantId);
    return [`${this.roots[bucket]}p:${participant}`, `${this.roots[bucket]}also:${participant}`];
  }
}

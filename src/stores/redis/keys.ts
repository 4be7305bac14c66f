/**
 * Every key name of the Redis store is made here, and ids become parts of keys here. Nothing here talks to Redis.
 *
 * All keys of a bucket carry its tag (`{7}`), so that one script may touch them all, also on a Cluster:
 *
 * | key | type | what |
 * |---|---|---|
 * | `askback:format` | string | the format's name and version |
 * | `askback:{7}:c:<conversation>` | string | a stamp, where the document is, the record (rules/record-text.ts), a document that is not long |
 * | … `:d` `:q` `:h` | string, list, list | a long document, entries behind the front one, history |
 * | … `:n` | string | the number of the oldest history item, once older ones were dropped |
 * | … `:a` | zset | short ids of settled asks, by the end of their record |
 * | … `:o` `:s` | hash | unsent outputs as `place:channel:data`, the channels' ids of what was sent |
 * | … `:e` | string | what ends, and after how long, when the last of those outputs has gone out |
 * | … `:p` | set | participants that the record has no room for |
 * | … `:r` `:m:<turn>` | hash | dedupe marks, what `remember` kept |
 * | `askback:{7}:due` | zset | conversations that want a holder, by time |
 * | `askback:{7}:unsent:<channel>` | zset | `<conversation>:<place>:<key>` of outputs, by when they are free |
 * | `askback:{7}:open`, `:deadline` | zset | open asks that have a deadline, by time and by deadline |
 * | `askback:{7}:undated`, `:parked` | zset | other open asks, parked entries, by time |
 * | `askback:{7}:changes` | list | `<time>,<short id>:<conversation>` of asks that changed, without the conversation once that is erased |
 * | … `:dropped` | string | the place before the first of them |
 * | `askback:{7}:v:<key>` | string | a value of `swap` |
 * | `askback:{7}:settled` | zset | `<short id>:<end of its record>` of settled asks, by the time of the decision |
 * | `askback:{7}:p:<participant>` | string | the conversation of a participant |
 * | `askback:{7}:also:<participant>` | zset | further ones, by the end of their retention |
 * | `askback:{7}:a:<short id>` | string | `>conversation` of an open ask or parked entry, or `=record` of a settled ask |
 *
 * plan.ts names the keys of a step, and a client may put a prefix before each.
 */
import { bucketOf, bucketOfId, buckets, packed, unpacked } from '../../core/ids.js';

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

/** The id of an ask or a parked entry as part of a key. */
export function shortened(id: string): string {
  return packed(id) ?? `~${encoded(id)}`;
}

export function lengthened(part: string): string {
  return part.startsWith('~') ? decoded(part.slice(1)) : unpacked(part);
}

/** An ask or a parked entry as lists name it: `<short id>:<conversation>`. */
export function listedAsk(member: string): { id: string; conversationId: string } {
  const [id = '', conversationId = ''] = member.split(':');
  return { id: lengthened(id), conversationId: decoded(conversationId) };
}

/** A bucket, and the keys that it has once. What all of them begin with is their root. */
const keysOfBucket = (root: string, number: number) => ({
  number,
  root,
  due: `${root}due`,
  open: `${root}open`,
  undated: `${root}undated`,
  deadline: `${root}deadline`,
  parked: `${root}parked`,
  changes: `${root}changes`,
  settled: `${root}settled`,
});

export type BucketKeys = Readonly<ReturnType<typeof keysOfBucket>>;

/** Where a conversation is in Redis. */
export interface KeyPlace {
  readonly bucket: BucketKeys;
  /** The conversation's id as part of a key. */
  readonly id: string;
  /** Of the record. */
  readonly key: string;
}

/** The outputs for a channel in a bucket. */
export const unsentKey = ({ root }: BucketKeys, channel: string): string => `${root}unsent:${encoded(channel)}`;

/** A participant's conversation in a bucket, and further ones. */
export function personKeys({ root }: BucketKeys, participantId: string): [first: string, further: string] {
  const participant = encoded(participantId);
  return [`${root}p:${participant}`, `${root}also:${participant}`];
}

export class Keys {
  readonly format: string;
  readonly hints: string;
  /** All of them, in the order of their numbers. */
  readonly buckets: readonly BucketKeys[];

  constructor(prefix: string) {
    this.format = `${prefix}:format`;
    this.hints = `${prefix}:hints`;
    this.buckets = Array.from({ length: buckets }, (_, number) => keysOfBucket(`${prefix}:{${number}}:`, number));
  }

  place(conversationId: string): KeyPlace {
    const bucket = this.buckets[bucketOf(conversationId)] as BucketKeys;
    const id = encoded(conversationId);
    return { bucket, id, key: `${bucket.root}c:${id}` };
  }

  conversation(conversationId: string): string {
    return this.place(conversationId).key;
  }

  /** The key that an ask's or a parked entry's id leads to; undefined if it is no such id. */
  pointer(id: string): string | undefined {
    const bucket = bucketOfId(id);
    return bucket === undefined ? undefined : `${this.buckets[bucket]?.root}a:${shortened(id)}`;
  }

  /** A value of `swap`. */
  value(key: string): string {
    return `${this.buckets[bucketOf(key)]?.root}v:${encoded(key)}`;
  }
}

/**
 * The Redis store: conversations for many machines. Each step of the port is one rule of stores/rules, applied by one
 * script, so it cannot be half done. No rules live here.
 */
import { StoredRecord } from '../../core/format/stored.js';
import { buckets } from '../../core/ids.js';
import { systemClock } from '../../machine/clock.js';
import {
  afterDeadlines,
  comesBefore,
  historyPage,
  itemNumberOf,
  limitOf,
  listPage,
  numberIn,
  type PagePosition,
  positionOf,
  settledStart,
} from '../pages.js';
import type * as port from '../port.js';
import * as rules from '../rules/index.js';
import { changesCursor, changesPage, type GroupChanges } from './changes.js';
import { Conversations, takeTraits } from './conversations.js';
import { type BucketKeys, decoded, encoded, Keys, lengthened, listedAsk, personKeys, unsentKey } from './keys.js';
import { mergedListing } from './merged-listing.js';
import { decodeQueued, decodeValue, pairs } from './plan.js';
import {
  keepValue,
  lendOutputs,
  markSent,
  readChanges,
  readConversation,
  readHistory,
  readHistoryFrom,
  readListing,
  readPerson,
  readSettledOf,
  swapValue,
  upToNow,
} from './script.js';
import { Connections, checkedRedisOptions, type RedisStoreOptions } from './transport/connections.js';

/** Lists of the buckets, and by how much later they come in the order of a list of the port. */
interface ListPart {
  readonly lists: readonly ('open' | 'undated' | 'parked' | 'deadline')[];
  readonly later: number;
}

/** Where the lists of the port are kept; each part comes after the one before. */
const listings: Readonly<Record<port.ListName, readonly ListPart[]>> = {
  open: [{ lists: ['open', 'undated'], later: 0 }],
  parked: [{ lists: ['parked'], later: 0 }],
  deadline: [
    { lists: ['deadline'], later: 0 },
    { lists: ['undated'], later: afterDeadlines },
  ],
};

/**
 * Keeps conversations in Redis, so that any replica can go on with them.
 *
 * @example
 * import { Redis } from 'ioredis';
 * import { RedisStore } from 'askback/stores/redis';
 * const store = new RedisStore({ client: new Redis('redis://localhost:6379') });
 */
export class RedisStore implements port.Store {
  private readonly keys: Keys;
  private readonly connections: Connections;
  private readonly conversations: Conversations;
  /** The bucket to begin with: another each time, so that under load each has its turn. */
  private first = 0;
  readonly settlesWithin: number;

  constructor(options: RedisStoreOptions) {
    const checked = checkedRedisOptions(options);
    this.keys = new Keys(checked.prefix);
    this.settlesWithin = 4 * checked.commandTimeout; // it is tried for twice that, and a try before and one after may hang
    this.connections = new Connections(checked, this.keys);
    this.conversations = new Conversations(this.keys, this.connections, systemClock, 2 * checked.commandTimeout);
  }

  open(): Promise<void> {
    return this.connections.open();
  }

  take(call: port.Take): Promise<port.Taken> {
    return this.conversations.run(call.conversationId, rules.take, call, takeTraits(call));
  }

  save(call: port.Save): Promise<port.Saved> {
    return this.conversations.run(call.conversationId, rules.save, call);
  }

  async remember(call: port.Remember): Promise<port.Remembered> {
    return this.conversations.run(call.conversationId, rules.remember, call);
  }

  async renew(holds: readonly port.Hold[], lease: number): Promise<readonly port.Renewed[]> {
    return Promise.all(
      holds.map((hold) => this.conversations.run(hold.conversationId, rules.renew, { ...hold, lease })),
    );
  }

  async due(most: number): Promise<{ conversations: readonly string[]; now: number }> {
    const limit = limitOf(most);
    await this.connections.recheckFormat();
    const answers = await Promise.all(
      this.together().map(async (group) => {
        const keys = group.map(({ due }) => due);
        return (await this.run(upToNow, keys, [limit])) as [number, ...string[]];
      }),
    );
    const conversations = answers.flatMap(([, ...ids]) => ids).slice(0, limit);
    return { conversations: conversations.map(decoded), now: Math.max(...answers.map(([now]) => now)) };
  }

  async unsent(call: port.Borrow): Promise<readonly port.Lent[]> {
    const { channels, sendLease, conversationId } = call;
    const limit = limitOf(call.limit);
    if (channels.length === 0 || limit === 0) return [];
    const place = conversationId === undefined ? undefined : this.keys.place(conversationId);
    const lent: port.Lent[] = [];
    for (const group of place === undefined ? this.together() : [[place.bucket]]) {
      if (lent.length >= limit) break;
      const places = group.flatMap((bucket) => channels.map((channel) => unsentKey(bucket, channel)));
      const answer = await this.run(lendOutputs, places, [limit - lent.length, sendLease, place?.id ?? '']);
      const [now, ...found] = answer as [number, ...[id: string, key: string, channel: string, kept: string][]];
      for (const [id, key, channel, kept] of found) {
        const data = StoredRecord.ofText(kept.slice(kept.indexOf(':', kept.indexOf(':') + 1) + 1));
        lent.push({ conversationId: decoded(id), key, channel: decoded(channel), data, now });
      }
    }
    return lent;
  }

  async sent(marks: readonly port.Mark[]): Promise<void> {
    const groups = new Map<string, [keys: string[], args: (string | number)[]]>();
    const values: Promise<unknown>[] = []; // in slots of their own; they leave before the marks
    for (const { conversationId, key: name, channel, again, sentAs, kept } of marks) {
      if (kept !== undefined) values.push(this.keep(kept));
      const { bucket, id, key } = this.keys.place(conversationId);
      const group = this.connections.isCluster ? bucket.root : '';
      const [keys, args] = groups.get(group) ?? [[], []];
      groups.set(group, [keys, args]);
      keys.push(`${key}:o`, unsentKey(bucket, channel), `${key}:s`, key, `${key}:e`);
      args.push(
        name,
        encoded(channel),
        id,
        again?.in ?? '',
        again?.data.text ?? '',
        sentAs?.name ?? '',
        sentAs?.id ?? '',
      );
    }
    await Promise.all([...values, ...[...groups.values()].map(([keys, args]) => this.run(markSent, keys, args))]);
  }

  private keep({ key, value, ttl }: NonNullable<port.Mark['kept']>): Promise<unknown> {
    return this.run(keepValue, [this.keys.value(key)], [value, Math.max(1, Math.ceil(ttl))]);
  }

  async conversation(conversationId: string, skip = 0): Promise<port.ConversationState | null> {
    const start = String(rules.queueStart(skip));
    const { record, now, beside } = await this.read(conversationId, ':q', 'LRANGE', start, '-1');
    return record === undefined ? null : rules.stateOf(record, (beside as string[]).map(decodeQueued), now, skip);
  }

  async outcome(conversationId: string, entryId: string): Promise<port.Stored | null> {
    const { record, now, beside } = await this.read(conversationId, ':r', 'HGET', entryId);
    return rules.outcomeOf(record, entryId, now, {
      mark: beside === null ? undefined : rules.decodeMark(beside as string),
    });
  }

  async find(id: string): Promise<{ conversationId: string } | { record: port.Stored } | null> {
    const key = this.keys.pointer(id);
    const found = key === undefined ? null : await this.connections.commands.send((redis) => redis.get(key));
    if (found === null) return null;
    return found.startsWith('>')
      ? { conversationId: decoded(found.slice(1)) }
      : { record: StoredRecord.ofText(found.slice(1)) };
  }

  async list(what: port.ListName, page: port.Page): Promise<{ items: readonly port.Listed[]; cursor?: string }> {
    const limit = limitOf(page.limit);
    const found: port.Listed[] = [];
    for (const { lists, later } of listings[what]) {
      if (found.length > limit) break;
      const keys = lists.flatMap((list) => this.keys.buckets.map((bucket) => bucket[list]));
      const read = async (key: string, from: number | undefined, count: number): Promise<readonly port.Listed[]> => {
        const start = from === undefined || from < later ? '-inf' : from - later;
        const answer = await this.run(readListing, [key], ['ZRANGEBYSCORE', start, '+inf', count]);
        return pairs(answer as string[]).map(([member, at]) => ({ ...listedAsk(member), at: Number(at) + later }));
      };
      found.push(...(await mergedListing(keys, positionOf(page), limit + 1 - found.length, read)));
    }
    return listPage(found, limit);
  }

  async changes(page: port.Page): Promise<port.ChangePage> {
    const limit = limitOf(page.limit);
    const after = changesCursor(page);
    const answers = await Promise.all(
      this.groups(0).map((group) => {
        const keys = group.flatMap((bucket) => [bucket.changes, `${bucket.changes}:dropped`]);
        return this.run(readChanges, keys, [limit, ...group.map(({ number }) => after?.places[number] ?? -1)]);
      }),
    );
    return changesPage(answers as GroupChanges[], after, limit);
  }

  async swap(call: port.Swap): Promise<port.Swapped> {
    const { key, expected, value, ttl } = call;
    const told = (text: string | null) => (text === null ? '' : `=${text}`);
    const args = [told(expected), told(value), Math.max(1, Math.ceil(ttl))];
    const found = (await this.run(swapValue, [this.keys.value(key)], args)) as string;
    const current = found === '' ? null : found.slice(1);
    return { swapped: current === value, current };
  }

  async settled(page: port.SettledPage): Promise<{ items: readonly port.ListedRecord[]; cursor?: string }> {
    const limit = limitOf(page.limit);
    const before = settledStart(page);
    const { since = 0, conversationId } = page;
    const args = ['ZREVRANGEBYSCORE', before?.at ?? '+inf', since, limit + 1];
    const answers =
      conversationId === undefined
        ? await this.inAll(async ({ settled }) => settledAsks(await this.run(readListing, [settled], args)))
        : [await this.settledIn(conversationId)];
    const found = answers
      .flat()
      .filter((item) => item.at >= since && (before === undefined || comesBefore(item, before)))
      .sort((one, other) => (comesBefore(one, other) ? 1 : -1));
    const { items, ...more } = listPage(found, limit);
    const records = await Promise.all(items.map(({ id }) => this.find(id)));
    const kept = items.flatMap((item, i) => {
      const record = records[i];
      return record != null && 'record' in record ? [{ ...item, record: record.record }] : [];
    });
    return { items: kept, ...more };
  }

  async settledAsks(conversationId: string): Promise<readonly string[]> {
    return (await this.settledIn(conversationId)).map(({ id }) => id);
  }

  private async settledIn(conversationId: string): Promise<PagePosition[]> {
    const { bucket, key } = this.keys.place(conversationId);
    return settledAsks(await this.run(readSettledOf, [`${key}:a`, bucket.settled]));
  }

  async history(conversationId: string, page: port.Page): Promise<{ items: readonly port.Stored[]; cursor?: string }> {
    const key = this.keys.conversation(conversationId);
    const args = [limitOf(page.limit), numberIn(page) ?? -1];
    const answer = await this.run(readHistory, [`${key}:h`, `${key}:n`], args);
    const [start, first, items] = answer as [number, number, string[]];
    return historyPage(items.map(StoredRecord.ofText), start, first);
  }

  async historyFrom(conversationId: string, from: number, limit: number): Promise<port.HistoryPart> {
    const key = this.keys.conversation(conversationId);
    const answer = await this.run(readHistoryFrom, [`${key}:h`, `${key}:n`], [itemNumberOf(from), limitOf(limit)]);
    const [first, items] = answer as [number, string[]];
    return { items: items.map(StoredRecord.ofText), first };
  }

  async conversationsOf(participantId: string): Promise<readonly string[]> {
    const found = await this.inAll((bucket) => this.run(readPerson, personKeys(bucket, participantId)));
    return [...new Set((found as string[][]).flat())].map(decoded);
  }

  async sentAs(conversationId: string, name: string): Promise<string | null> {
    const key = `${this.keys.conversation(conversationId)}:s`;
    return this.connections.commands.send((redis) => redis.hget(key, name));
  }

  async erase(call: port.Erase): Promise<boolean> {
    return this.conversations.run(call.conversationId, rules.erase, call);
  }

  hint(hint: port.Hint): void {
    this.connections.hint(hint);
  }

  watch(listener: (hint: port.Hint) => void): Promise<() => Promise<void>> {
    return this.connections.watch(listener);
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  /** Reads a record and what a command finds beside it, both of one moment. A record that this process has is not sent again. */
  private async read(
    conversationId: string,
    suffix: string,
    ...command: readonly string[]
  ): Promise<{ record: rules.ConversationRecord | undefined; now: number; beside: unknown }> {
    const key = this.keys.conversation(conversationId);
    const known = this.conversations.recordOf(conversationId);
    const answer = await this.run(readConversation, [key, `${key}:d`, key + suffix], [known?.stamp ?? '', ...command]);
    const [now, text, beside] = answer as [number, string | null, unknown];
    return { record: text === null ? undefined : text === '' ? known : decodeValue(text), now, beside };
  }

  private run(script: string, keys: readonly string[], args: readonly (string | number)[] = []): Promise<unknown> {
    return this.connections.commands.run(script, keys, args);
  }

  /** Asks every bucket in the same tick. */
  private inAll<T>(ask: (bucket: BucketKeys) => Promise<T>): Promise<T[]> {
    return Promise.all(this.keys.buckets.map(ask));
  }

  /** All buckets, each time from another one on, in the groups that one call may look at. */
  private together(): (readonly BucketKeys[])[] {
    this.first = (this.first + 1) % buckets;
    return this.groups(this.first);
  }

  private groups(first: number): (readonly BucketKeys[])[] {
    const all = [...this.keys.buckets.slice(first), ...this.keys.buckets.slice(0, first)];
    return this.connections.isCluster ? all.map((bucket) => [bucket]) : [all];
  }
}

/** Asks of a list of settled ones. `at` is no number where the list does not say when one was decided. */
function settledAsks(answer: unknown): PagePosition[] {
  return pairs(answer as string[]).map(([member, at]) => ({
    id: lengthened(member.slice(0, member.lastIndexOf(':'))),
    at: Number.parseFloat(at),
  }));
}

/**
 * The Redis store: conversations for many machines. Each step is one script, so it cannot be half done.
 * No rules live here; what may happen to an ask is decided in core.
 */
import { buckets } from '../../core/ids.js';
import { time } from '../call-check.js';
import { badCursor } from '../pages.js';
import type * as port from '../port.js';
import { chunks, lentOf, queueOf, ttl } from './codec.js';
import { decoded, encoded, Keys, lengthened, shortened } from './keys.js';
import { gone, lend, lendOf, ready, sent } from './scripts/outbox.js';
import { conversation, erase, history, list, outcome, participant } from './scripts/read.js';
import { due, remember, renew } from './scripts/work.js';
import { Steps } from './steps.js';
import { Connections, checkedRedisOptions, type RedisStoreOptions } from './transport/connections.js';

/** More at once would keep the server from others for too long. */
const mostInOneCall = 100;
const allBuckets = Array.from({ length: buckets }, (_, bucket) => bucket);

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
  private readonly steps: Steps;
  /** The bucket to begin with: another each time, so that under load each has its turn. */
  private first = 0;

  constructor(options: RedisStoreOptions) {
    const checked = checkedRedisOptions(options);
    this.keys = new Keys(checked.prefix);
    this.connections = new Connections(checked, this.keys);
    this.steps = new Steps(this.keys, () => this.connections.steps);
  }

  open(): Promise<void> {
    return this.connections.open();
  }

  take(call: port.Take): Promise<port.Taken> {
    return this.steps.take(call);
  }

  save(call: port.Save): Promise<port.Saved> {
    return this.steps.save(call);
  }

  async remember(call: port.Remember): Promise<port.Remembered> {
    const key = this.keys.conversation(call.conversationId);
    this.steps.known.forget(call.conversationId);
    const value = (await this.run(remember, [key], [call.turn, call.key, call.value])) as string | null;
    return value === null ? { type: 'ended' } : { type: 'kept', value };
  }

  async renew(holds: readonly port.Hold[], lease: number): Promise<readonly port.Renewed[]> {
    time('lease', lease);
    const renewed: port.Renewed[] = new Array(holds.length);
    await this.perCall(holds, async (group, keys) => {
      for (const { item } of group) this.steps.known.forget(item.conversationId);
      const answers = (await this.run(renew, keys, [
        Math.ceil(lease),
        ...group.map(({ item }) => item.token),
      ])) as number[][];
      group.forEach(({ item, at }, i) => {
        const [held, queue, now] = answers[i] as [number, number, number];
        renewed[at] = { conversationId: item.conversationId, token: item.token, held: held === 1, queue, now };
      });
    });
    return renewed;
  }

  async due(limit: number): Promise<{ conversations: readonly string[]; now: number }> {
    const answers = await Promise.all(
      this.together().map(async (group) => {
        const keys = group.map((bucket) => this.keys.due(bucket));
        return (await this.run(due, keys, [limit])) as [number, ...string[]];
      }),
    );
    const conversations = answers.flatMap(([, ...ids]) => ids).slice(0, limit);
    return { conversations: conversations.map(decoded), now: Math.max(...answers.map(([now]) => now)) };
  }

  async unsent({ channels, limit, loan, conversationId }: port.Borrow): Promise<readonly port.Lent[]> {
    time('loan', loan);
    if (channels.length === 0 || limit <= 0) return [];
    const names = channels.map(encoded);
    if (conversationId !== undefined) {
      return lentOf(await this.run(lendOf, [this.keys.conversation(conversationId)], [limit, loan, ...names]));
    }
    const keys = (bucket: number) => channels.map((channel) => this.keys.unsent(bucket, channel));
    // looked for first: what is lent and not returned would lie idle until its loan is over
    const looks = this.together().map(async (group) => {
      const counts = (await this.run(ready, group.flatMap(keys))) as number[];
      return group.filter((_, i) => channels.some((_name, k) => counts[i * channels.length + k] !== 0));
    });
    const lent: port.Lent[] = [];
    for (const bucket of (await Promise.all(looks)).flat()) {
      if (lent.length >= limit) break;
      lent.push(...lentOf(await this.run(lend, keys(bucket), [limit - lent.length, loan, ...names])));
    }
    return lent;
  }

  async sent(marks: readonly port.Mark[]): Promise<void> {
    for (const { again } of marks) if (again) time('again.in', again.in);
    const isPlain = ({ again, sentAs }: port.Mark) => again === undefined && sentAs === undefined;
    const plain = this.perCall(marks.filter(isPlain), async (group, keys) => {
      await this.run(
        gone,
        keys,
        group.flatMap(({ item: { key, channel } }) => [key, encoded(channel)]),
      );
    });
    const rest = this.perCall(
      marks.filter((mark) => !isPlain(mark)),
      async (group, keys) => {
        const args = group.flatMap(({ item: { key, channel, again, sentAs } }) => {
          return [key, encoded(channel), again?.in ?? '', again?.data ?? '', sentAs?.name ?? '', sentAs?.id ?? ''];
        });
        await this.run(sent, keys, args);
        for (const { item } of group) if (item.sentAs !== undefined) this.steps.known.named(item.conversationId);
      },
    );
    await Promise.all([plain, rest]);
  }

  async conversation(conversationId: string): Promise<port.ConversationState | null> {
    const answer = await this.run(conversation, [this.keys.conversation(conversationId)]);
    if (answer === null) return null;
    const [now, incarnation, revision, document, held, begun, ...queue] = answer as [
      number,
      string,
      number,
      string | null,
      number,
      number,
      ...(string | number)[],
    ];
    return { incarnation, revision, document, queue: queueOf(queue), held: held === 1, begun: begun === 1, now };
  }

  async outcome(conversationId: string, entryId: string): Promise<string | null> {
    return (await this.run(outcome, [this.keys.conversation(conversationId)], [entryId])) as string | null;
  }

  async find(id: string): Promise<{ conversationId: string } | { record: string } | null> {
    const key = this.keys.pointer(id);
    const found = key === undefined ? null : await this.connections.commands.send((redis) => redis.get(key));
    if (found === null) return null;
    return found.startsWith('>') ? { conversationId: decoded(found.slice(1)) } : { record: found.slice(1) };
  }

  async list(what: 'open' | 'parked', page: port.Page): Promise<{ items: readonly port.Listed[]; cursor?: string }> {
    const after = page.cursor === undefined ? undefined : position(page.cursor);
    const args = [page.limit + 1, after?.at ?? '-inf'];
    const answers = await this.inAll((bucket) => this.run(list, [this.keys.listing(bucket, what)], args));
    const found = answers
      .flatMap((answer) => chunks(answer as string[], 2))
      .map(([member = '', at]): port.Listed => {
        const [id = '', conversationId = ''] = member.split(':');
        return { id: lengthened(id), conversationId: decoded(conversationId), at: Number(at) };
      })
      .filter((item) => after === undefined || order(after, item) < 0)
      .sort(order);
    const items = found.slice(0, page.limit);
    const last = items.at(-1);
    return { items, ...(last && found.length > items.length && { cursor: `${last.at}:${last.id}` }) };
  }

  async history(conversationId: string, page: port.Page): Promise<{ items: readonly string[]; cursor?: string }> {
    const before = page.cursor === undefined ? -1 : Number(page.cursor || Number.NaN);
    if (!Number.isSafeInteger(before)) throw badCursor(page.cursor);
    const key = this.keys.conversation(conversationId);
    const [start, items] = (await this.run(history, [key], [page.limit, before])) as [number, string[]];
    return { items, ...(start > 0 && { cursor: String(start) }) };
  }

  async conversationsOf(participantId: string): Promise<readonly string[]> {
    const found = await this.inAll((bucket) => this.run(participant, this.keys.participant(bucket, participantId)));
    return [...new Set((found as string[][]).flat())].map(decoded);
  }

  async sentAs(conversationId: string, name: string): Promise<string | null> {
    const key = `${this.keys.conversation(conversationId)}:s`;
    return this.connections.commands.send((redis) => redis.hget(key, name));
  }

  async erase(call: port.Erase): Promise<boolean> {
    time('retention', call.retention);
    const args = [call.incarnation, call.revision, ttl(call.retention), call.asks.length, call.parked.length];
    for (const { id, tombstone } of call.asks) args.push(shortened(id), tombstone);
    args.push(...call.parked.map(shortened), ...call.people.map(encoded));
    return (await this.run(erase, [this.keys.conversation(call.conversationId)], args)) === 1;
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

  private run(script: string, keys: readonly string[], args: readonly (string | number)[] = []): Promise<unknown> {
    return this.connections.commands.run(script, keys, args, (answer) => answer);
  }

  /** Asks every bucket in the same tick. */
  private inAll<T>(ask: (bucket: number) => Promise<T>): Promise<T[]> {
    return Promise.all(allBuckets.map(ask));
  }

  /** All buckets, in the groups that one call may look at. */
  private together(): number[][] {
    this.first = (this.first + 1) % buckets;
    const all = [...allBuckets.slice(this.first), ...allBuckets.slice(0, this.first)];
    return this.connections.isCluster ? all.map((bucket) => [bucket]) : [all];
  }

  /** As few calls as may be: one for all, but one per bucket on a Cluster. `at` is an item's place in the list. */
  private async perCall<T extends { readonly conversationId: string }>(
    items: readonly T[],
    work: (group: { item: T; at: number }[], keys: string[]) => Promise<void>,
  ): Promise<void> {
    const { isCluster } = this.connections;
    const groups = new Map<string, { item: T; at: number }[]>();
    items.forEach((item, at) => {
      const where = isCluster ? this.keys.rootOf(item.conversationId) : String(Math.floor(at / mostInOneCall));
      const group = groups.get(where);
      if (group === undefined) groups.set(where, [{ item, at }]);
      else group.push({ item, at });
    });
    await Promise.all(
      [...groups.values()].map((group) =>
        work(
          group,
          group.map(({ item }) => this.keys.conversation(item.conversationId)),
        ),
      ),
    );
  }
}

type Position = Pick<port.Listed, 'at' | 'id'>;

function order(one: Position, other: Position): number {
  return one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

function position(cursor: string): Position {
  const colon = cursor.indexOf(':');
  const at = Number(cursor.slice(0, Math.max(colon, 0)) || Number.NaN);
  if (!Number.isFinite(at)) throw badCursor(cursor);
  return { at, id: cursor.slice(colon + 1) };
}

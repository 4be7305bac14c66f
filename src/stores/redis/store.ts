/**
 * The Redis store: conversations for many machines. Each step of the port is one rule of stores/lifecycle, applied by one
 * script, so it cannot be half done. No rules live here.
 */
import type { Mutable } from '../../core/defined-fields.js';
import { buckets } from '../../core/ids.js';
import { systemClock } from '../../machine/clock.js';
import {
  checkBorrow,
  checkErase,
  checkList,
  checkRead,
  checkRemember,
  checkRenew,
  checkSave,
  checkSent,
  checkSettledPage,
  checkSkip,
  checkSwap,
  checkTake,
} from '../call-check.js';
import { applyRemember } from '../lifecycle/effects.js';
import { applyErase } from '../lifecycle/erase.js';
import { applyRenew } from '../lifecycle/lease.js';
import { applyLend, applySent } from '../lifecycle/outbox.js';
import type { Applied } from '../lifecycle/ports.js';
import { outcomeOf, queueStart, stateOf } from '../lifecycle/queries.js';
import type { ConversationRecord } from '../lifecycle/record.js';
import { applySave } from '../lifecycle/save.js';
import { applyTake } from '../lifecycle/take.js';
import {
  comesBefore,
  historyEnd,
  historyPage,
  itemNumberOf,
  limitOf,
  listPage,
  positionOf,
  settledStart,
} from '../pages.js';
import type * as port from '../port.js';
import { OptimisticApply } from './apply.js';
import { changesCursor, changesPage, type GroupChanges } from './changes.js';
import { decoded, Keys, lengthened } from './keys.js';
import { mergedListing } from './merged-listing.js';
import { decodeQueued, StepPlan } from './reads-writes.js';
import {
  readChanges,
  readConversation,
  readHistory,
  readHistoryFrom,
  readListing,
  readPerson,
  readSettled,
  readSettledDown,
  readSettledOf,
  relistDeadlines,
  swapValue,
  upToNow,
} from './script.js';
import { readRecord } from './stamps.js';
import type { StepOptions } from './step.js';
import { Connections, checkedRedisOptions, type RedisStoreOptions } from './transport/connections.js';
import { Packer } from './transport/pack.js';

const allBuckets = Array.from({ length: buckets }, (_, bucket) => bucket);

/** By how much the time that a rule is given may be late, in ms: a lease must not lose more than a tenth of its time. */
const mostLate = 1_000;
const leastLate = 5;
const latenessOf = (lease: number): number =>
  lease > 0 ? Math.min(mostLate, Math.max(leastLate, Math.floor(lease / 10))) : mostLate;

/** A step of work that was taken: it gets through when Redis is out of memory. */
const ofWork = (name: string): StepOptions => ({ name, lateness: mostLate, mayBeNew: false, isUrgent: true });

/** Reads what a claim lacks: the memo, and a document that has a key of its own unless the caller wrote it just now. */
function complete<A>(
  answer: A,
  claim: Mutable<port.Claim>,
  record: ConversationRecord,
  written: string | undefined,
  plan: StepPlan,
): void {
  const isBeside = record.document === undefined;
  if (isBeside && written !== undefined) claim.document = written;
  const memo = record.hasMemo ? plan.want('memo', ['HGETALL', `:m:${record.turn}`]) : -1;
  const document = isBeside && written === undefined ? plan.want('document', ['GET', ':d']) : -1;
  if (memo < 0 && document < 0) return;
  plan.finish = (found) => {
    if (memo >= 0) claim.memo = Object.fromEntries(pairs(found[memo] as string[]));
    if (document >= 0) claim.document = found[document] as string | null;
    return answer;
  };
}

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
  private readonly conversations: OptimisticApply;
  private readonly packer = new Packer();
  /** What an earlier build has opened is listed by deadline. */
  private isRelisted = false;
  /** The bucket to begin with: another each time, so that under load each has its turn. */
  private first = 0;

  constructor(options: RedisStoreOptions) {
    const checked = checkedRedisOptions(options);
    this.keys = new Keys(checked.prefix);
    this.connections = new Connections(checked, this.keys);
    this.conversations = new OptimisticApply(
      this.keys,
      () => this.connections,
      (error) => this.connections.error(error),
      systemClock,
    );
  }

  async open(): Promise<void> {
    await this.connections.open();
    if (this.isRelisted) return;
    this.isRelisted = true;
    await this.inAll((bucket) => {
      const keys = [this.keys.listing(bucket, 'open'), this.keys.listing(bucket, 'deadline')];
      return this.run(relistDeadlines, keys);
    });
  }

  take(call: port.Take): Promise<port.Taken> {
    const refused = rejectionOf(() => checkTake(call));
    if (refused !== undefined) return refused;
    const { conversationId, entry, lease } = call;
    const options = { name: 'take', lateness: latenessOf(lease), mayBeNew: entry !== undefined, isUrgent: false };
    return this.conversations.run(
      conversationId,
      (found, now, plan) => {
        const applied = applyTake(found, call, now, plan, plan);
        const { answer, record } = applied;
        if (answer.claim !== undefined && record !== undefined) {
          complete(answer, answer.claim, record, answer.claim.document ?? undefined, plan);
        }
        return applied;
      },
      options,
    );
  }

  save(call: port.Save): Promise<port.Saved> {
    const refused = rejectionOf(() => checkSave(call));
    if (refused !== undefined) return refused;
    return this.conversations.run(
      call.conversationId,
      (found, now, plan): Applied<port.Saved> => {
        const applied = applySave(found, call, now, plan, plan);
        const { answer, record } = applied;
        if (answer.type === 'saved' && answer.next !== undefined && record !== undefined) {
          complete(answer, answer.next, record, call.document, plan);
        }
        return applied;
      },
      ofWork(`save ${call.then.type}`),
    );
  }

  async remember(call: port.Remember): Promise<port.Remembered> {
    checkRemember(call);
    return this.conversations.run(
      call.conversationId,
      (found, _now, plan) => applyRemember(found, call, plan, plan),
      ofWork('remember'),
    );
  }

  async renew(holds: readonly port.Hold[], lease: number): Promise<readonly port.Renewed[]> {
    checkRenew(holds, lease);
    return Promise.all(
      holds.map(({ conversationId, token }) =>
        this.conversations.run(
          conversationId,
          (found, now, plan): Applied<port.Renewed> => {
            const { answer, ...applied } = applyRenew(found, token, lease, now, plan);
            const front = found?.front === undefined ? 0 : 1;
            const renewed = { conversationId, token, ...answer, queue: front };
            const behind = plan.want('waiting', ['LLEN', ':q']);
            plan.finish = (values) => ({ ...renewed, queue: front + (values[behind] as number) });
            return { ...applied, answer: renewed };
          },
          ofWork('renew'),
        ),
      ),
    );
  }

  async due(most: number): Promise<{ conversations: readonly string[]; now: number }> {
    const limit = limitOf(most);
    await this.connections.recheckFormat();
    const answers = await Promise.all(
      this.together().map(async (group) => {
        const keys = group.map((bucket) => this.keys.due(bucket));
        return (await this.run(upToNow, keys, [limit])) as [number, ...string[]];
      }),
    );
    const conversations = answers.flatMap(([, ...ids]) => ids).slice(0, limit);
    return { conversations: conversations.map(decoded), now: Math.max(...answers.map(([now]) => now)) };
  }

  async unsent(call: port.Borrow): Promise<readonly port.Lent[]> {
    checkBorrow(call);
    const { channels, conversationId } = call;
    const limit = limitOf(call.limit);
    if (channels.length === 0 || limit === 0) return [];
    if (conversationId !== undefined) return this.lend(conversationId, { ...call, limit });
    // looked for first: what is lent and not returned would lie idle until its lease to send is over
    const looks = this.together().map(async (group) => {
      const keys = group.flatMap((bucket) => channels.map((channel) => this.keys.unsent(bucket, channel)));
      const [, ...ids] = (await this.run(upToNow, keys, [limit])) as [number, ...string[]];
      return ids;
    });
    const lent: port.Lent[] = [];
    for (const id of new Set((await Promise.all(looks)).flat())) {
      if (lent.length >= limit) break;
      lent.push(...(await this.lend(decoded(id), { ...call, limit: limit - lent.length })));
    }
    return lent;
  }

  async sent(marks: readonly port.Mark[]): Promise<void> {
    checkSent(marks);
    const groups = new Map<string, port.Mark[]>();
    for (const mark of marks) {
      const group = groups.get(mark.conversationId);
      if (group === undefined) groups.set(mark.conversationId, [mark]);
      else group.push(mark);
    }
    await Promise.all(
      [...groups].map(([id, group]) =>
        this.conversations.run(id, (found, now, plan) => applySent(found, group, now, plan, plan), ofWork('sent')),
      ),
    );
  }

  async conversation(conversationId: string, skip = 0): Promise<port.ConversationState | null> {
    checkRead({ conversationId });
    checkSkip(skip);
    const { record, now, values } = await this.read(conversationId, [
      ['LRANGE', ':q', String(queueStart(skip)), '-1'],
      ['GET', ':d'],
    ]);
    if (record === undefined) return null;
    const [queue, document] = values as [string[], string | null];
    return stateOf(record, { document, queue: queue.map(decodeQueued) }, now, skip);
  }

  async outcome(conversationId: string, entryId: string): Promise<string | null> {
    checkRead({ conversationId, entryId });
    const { record, now, values } = await this.read(conversationId, [
      ['HGET', ':r', entryId],
      ['HLEN', ':r'],
    ]);
    const plan = new StepPlan();
    const found = new Map([
      [`mark ${entryId}`, values[0]],
      ['marks', values[1]],
    ]);
    plan.begin({ key: '', root: '', id: '' }, found, undefined);
    return outcomeOf(record, entryId, now, plan);
  }

  async find(id: string): Promise<{ conversationId: string } | { record: string } | null> {
    checkRead({ id });
    const key = this.keys.pointer(id);
    const found = key === undefined ? null : await this.connections.commands.send((redis) => redis.get(key));
    if (found === null) return null;
    return found.startsWith('>') ? { conversationId: decoded(found.slice(1)) } : { record: found.slice(1) };
  }

  async list(what: port.ListName, page: port.Page): Promise<{ items: readonly port.Listed[]; cursor?: string }> {
    checkList(what);
    const limit = limitOf(page.limit);
    const after = positionOf(page);
    const found = await mergedListing(allBuckets, after, limit + 1, async (bucket, from, count) => {
      const answer = await this.run(readListing, [this.keys.listing(bucket, what)], [count, from ?? '-inf']);
      return pairs(answer as string[]).map(([member, at]): port.Listed => {
        const [id = '', conversationId = ''] = member.split(':');
        return { id: lengthened(id), conversationId: decoded(conversationId), at: Number(at) };
      });
    });
    return listPage(found, limit);
  }

  async changes(page: port.Page): Promise<port.ChangePage> {
    const limit = limitOf(page.limit);
    const after = changesCursor(page);
    const groups = this.connections.isCluster ? allBuckets.map((bucket) => [bucket]) : [allBuckets];
    const answers = await Promise.all(
      groups.map((group) => {
        const keys = group.map((bucket) => this.keys.listing(bucket, 'changes'));
        return this.run(readChanges, keys, [limit, ...group.map((bucket) => after?.places[bucket] ?? -1)]);
      }),
    );
    return changesPage(answers as GroupChanges[], after, limit);
  }

  async swap(call: port.Swap): Promise<port.Swapped> {
    checkSwap(call);
    const { key, expected, value, ttl } = call;
    const told = (text: string | null) => (text === null ? '' : `=${text}`);
    const args = [told(expected), told(value), Math.max(1, Math.ceil(ttl))];
    const found = (await this.run(swapValue, [this.keys.value(key)], args)) as string;
    const current = found === '' ? null : found.slice(1);
    return { swapped: current === value, current };
  }

  async settled(page: port.SettledPage): Promise<{ items: readonly port.ListedRecord[]; cursor?: string }> {
    checkSettledPage(page);
    const limit = limitOf(page.limit);
    const before = settledStart(page);
    const { since = 0, conversationId } = page;
    const args = [limit + 1, before?.at ?? '+inf', since];
    const answers =
      conversationId === undefined
        ? await this.inAll((bucket) => this.run(readSettledDown, [this.keys.listing(bucket, 'settled')], args))
        : [await this.run(readSettledOf, this.keys.settledOf(conversationId))];
    const found = answers
      .flatMap((answer) => pairs(answer as string[]))
      .map(([member, at]) => ({ id: lengthened(member.slice(0, member.lastIndexOf(':'))), at: Number(at) }))
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
    checkRead({ conversationId });
    const found = await this.run(readSettled, [`${this.keys.conversation(conversationId)}:a`]);
    return (found as string[]).map(lengthened);
  }

  async history(conversationId: string, page: port.Page): Promise<{ items: readonly string[]; cursor?: string }> {
    checkRead({ conversationId });
    const key = this.keys.conversation(conversationId);
    const args = [limitOf(page.limit), historyEnd(page) ?? -1];
    const answer = await this.run(readHistory, [`${key}:h`, `${key}:n`], args);
    const [start, first, items] = answer as [number, number, string[]];
    return historyPage(items, start, first);
  }

  async historyFrom(conversationId: string, from: number, limit: number): Promise<port.HistoryPart> {
    checkRead({ conversationId });
    const key = this.keys.conversation(conversationId);
    const answer = await this.run(readHistoryFrom, [`${key}:h`, `${key}:n`], [itemNumberOf(from), limitOf(limit)]);
    const [first, items] = answer as [number, string[]];
    return { items, first };
  }

  async conversationsOf(participantId: string): Promise<readonly string[]> {
    checkRead({ participantId });
    const found = await this.inAll((bucket) => this.run(readPerson, this.keys.participant(bucket, participantId)));
    return [...new Set((found as string[][]).flat())].map(decoded);
  }

  async sentAs(conversationId: string, name: string): Promise<string | null> {
    checkRead({ conversationId, name });
    const key = `${this.keys.conversation(conversationId)}:s`;
    return this.connections.commands.send((redis) => redis.hget(key, name));
  }

  async erase(call: port.Erase): Promise<boolean> {
    checkErase(call);
    return this.conversations.run(
      call.conversationId,
      (found, now, plan) => applyErase(found, call, now, plan, plan),
      ofWork('erase'),
    );
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

  private lend(conversationId: string, call: port.Borrow): Promise<port.Lent[]> {
    return this.conversations.run(
      conversationId,
      (found, clock, plan): Applied<port.Lent[]> => {
        const { answer, ...applied } = applyLend(found, call, clock, plan, plan);
        const items = answer.items.map((each) => ({ conversationId, ...each, data: '', now: answer.now }));
        if (items.length > 0) {
          const data = plan.want('outputs', ['HMGET', ':o', ...items.map(({ key }) => key)]);
          plan.finish = (values) =>
            items.map((item, i) => ({ ...item, data: (values[data] as string[])[i] as string }));
        }
        return { ...applied, answer: items };
      },
      ofWork('lend'),
    );
  }

  /** A record and what is beside it, all of one moment. */
  private async read(
    conversationId: string,
    reads: readonly (readonly string[])[],
  ): Promise<{ record: ConversationRecord | undefined; now: number; values: readonly unknown[] }> {
    const key = this.keys.conversation(conversationId);
    for (const read of reads) this.packer.texts(read);
    const packed = this.packer.taken(reads.length);
    const others = this.connections.isCluster ? reads.map(([, suffix]) => `${key}${suffix}`) : [];
    const answer = await this.connections.commands.run(readConversation, [key, ...others], [packed]);
    const [now, text, ...values] = answer as [number, string | null, ...unknown[]];
    return { record: text === null ? undefined : readRecord(text), now, values };
  }

  private run(script: string, keys: readonly string[], args: readonly (string | number)[] = []): Promise<unknown> {
    return this.connections.commands.run(script, keys, args);
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
}

/** The rejection that a failed check is told by. Without an async frame: every step of every turn passes here. */
function rejectionOf(check: () => void): Promise<never> | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** A flat list of names and values as pairs. */
function pairs(flat: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) found.push([flat[i] as string, flat[i + 1] as string]);
  return found;
}

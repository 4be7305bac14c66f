/**
 * Calls of the port as arguments of scripts, and answers of scripts as the port's. The order here is the scripts' order.
 */
import type { Claim, Lent, QueuedText, Save, Saved, Take, Taken } from '../port.js';
import { decoded, encoded } from './keys.js';

/** Redis wants whole milliseconds, and a time to live of at least one. */
export const ttl = (ms: number): number => Math.max(1, Math.ceil(ms));

export function takeArgs({ token, turn, lease, claimBefore, entry }: Take): (string | number)[] {
  const args = [token, turn, lease, claimBefore ?? -1];
  if (entry !== undefined) args.push(entry.id, entry.data, entry.room, entry.turn ?? '');
  return args;
}

const said = [undefined, 'recorded', 'repeat', 'full'] as const;

export function taken(answer: unknown): Taken {
  const [now, state, outcome, claim] = answer as [number, number, string | null, unknown];
  const entry = said[state];
  return {
    now,
    ...(entry && { entry }),
    ...(outcome !== null && { outcome }),
    ...(claim !== null && { claim: claimOf(claim) }),
  };
}

/** `known` is the document that the caller has sent and the script does not send back. */
function claimOf(answer: unknown, known?: string): Claim {
  const [token, turn, attempt, strikes, revision, incarnation, now, document, memo, id, at, data] = answer as [
    string,
    string,
    number,
    number,
    number,
    string,
    number,
    string | number | null,
    string[] | null,
    string | null,
    number,
    string,
  ];
  return {
    token,
    turn,
    attempt,
    strikes,
    revision,
    incarnation,
    now,
    ...(id !== null && { entry: { id, at, data } }),
    document: typeof document === 'number' ? (known as string) : document,
    memo: memo === null ? {} : Object.fromEntries(chunks(memo, 2) as [string, string][]),
  };
}

const receivers = { saver: '>', anyone: '=', puller: '<' } as const;
const afterwards = { hold: 0, next: 1, release: 2 } as const;

export function saveArgs(call: Save): (string | number)[] {
  const { then, closes, asks, parked } = call;
  const numbers = [
    call.revision,
    call.loan,
    ttl(call.retention),
    ttl(call.repeatMarks),
    call.due === undefined ? -1 : (call.due ?? -2),
    call.open === undefined ? 2 : Number(call.open),
    afterwards[then.type],
    then.type === 'next' ? then.lease : then.type === 'release' ? then.wait : 0,
    then.type === 'release' && then.returnStrike ? 1 : 0,
    call.document === undefined ? 0 : 1,
    closes === undefined ? 0 : closes.keepMemo ? 2 : 1,
    call.outputs.length,
    call.withdraw.length,
    call.history.length,
    asks.opened.length,
    asks.settled.length,
    parked.added.length,
    parked.removed.length,
    call.people.length,
  ];
  const args: (string | number)[] = [call.token, call.call, JSON.stringify(numbers)];
  if (then.type === 'next') args.push(then.turn);
  if (call.document !== undefined) args.push(call.document);
  if (closes !== undefined) args.push(closes.entryId, closes.outcome);
  for (const { key, channel, data, to } of call.outputs) args.push(key, `${receivers[to]}${encoded(channel)}`, data);
  args.push(...call.withdraw, ...call.history);
  for (const { id, at } of asks.opened) args.push(encoded(id), at);
  for (const { id, record } of asks.settled) args.push(encoded(id), record);
  for (const { id, at } of parked.added) args.push(encoded(id), at);
  for (const id of parked.removed) args.push(encoded(id));
  for (const id of call.people) args.push(encoded(id));
  return args;
}

export function saved(answer: unknown, call: Save): Saved {
  const [done, now, revision, next] = answer as [number, number, number, unknown];
  if (done === 0) return { type: 'refused' };
  return { type: 'saved', now, revision, ...(next !== null && { next: claimOf(next, call.document) }) };
}

export function lentOf(answer: unknown): Lent[] {
  const [now, ...rest] = answer as [number, ...string[]];
  return (chunks(rest, 4) as [string, string, string, string][]).map(([id, key, channel, data]) => ({
    conversationId: decoded(id),
    key,
    channel: decoded(channel),
    data,
    now,
  }));
}

export function queueOf(items: readonly (string | number)[]): QueuedText[] {
  return (chunks(items, 3) as [string, number, string][]).map(([id, at, data]) => ({ id, at, data }));
}

export function chunks<T>(list: readonly T[], size: number): T[][] {
  const all: T[][] = [];
  for (let i = 0; i < list.length; i += size) all.push(list.slice(i, i + size));
  return all;
}

/**
 * Calls of the port as arguments of scripts, and answers of scripts as the port's. The order here is the scripts' order.
 */

import type { Mutable } from '../../core/defined-fields.js';
import { flat } from '../../core/flat.js';
import type { Claim, Lent, NewEntry, Predecided, QueuedText, Save, Saved, Take, Taken } from '../port.js';
import { decoded, encoded, shortened } from './keys.js';
import { briefCall } from './record.js';
import { saveNumbers } from './scripts/save.js';
import { takeNumbers } from './scripts/take.js';
import { withinNumbers } from './scripts/within.js';
import type { Args } from './transport/args.js';

/** Redis wants whole milliseconds, and a time to live of at least one. */
export const ttl = (ms: number): number => Math.max(1, Math.ceil(ms));

export function writeTake(to: Args, { token, turn, lease, claimBefore, entry, predecided }: Take): void {
  // 0 stands for no limit, so a limit is at least 1, and no time of a server is that early
  const before = claimBefore === undefined ? 0 : Math.max(1, Math.floor(claimBefore));
  if (entry === undefined) {
    to.step(takeNumbers, [lease, before, 0, 0, 0, 0], [token, turn, '', '', ''], none);
    return;
  }
  const { id, data, room, turn: own = '' } = entry;
  const { incarnation = '', revision = 0, document } = predecided ?? {};
  const numbers = [lease, before, room, 1, document === undefined ? 0 : 1, revision];
  to.step(
    takeNumbers,
    numbers,
    [token, turn, id, own, incarnation],
    document === undefined ? [data] : [data, document],
  );
}

const none: readonly string[] = [];
const said = [undefined, 'recorded', 'repeat', 'full'] as const;

type Given = string | null;

export function taken(answer: unknown, { token, turn, entry: own, predecided }: Take): Taken {
  if ((answer as unknown[]).length === 4) {
    const [now, revision, incarnation, said] = answer as [number, number, string, Given | 1];
    const document = said === 1 ? (predecided as Predecided).document : said;
    const { id, data } = own as NewEntry;
    const entry = { id, at: now, data };
    const claim = { token, turn, attempt: 1, strikes: 1, revision, incarnation, now, document, memo: nothing, entry };
    return { now, entry: 'recorded', claim };
  }
  const list = answer as [number, number, Given, ...unknown[]];
  const [now, state, outcome] = list;
  const entry = said[state];
  const told: Mutable<Taken> = { now };
  if (entry !== undefined) told.entry = entry;
  if (outcome !== null) told.outcome = outcome;
  if (list.length === 3) return told;
  const [, , , revision, incarnation, attempt, strikes, begun, document, memo, at, id = own?.id, data = own?.data] =
    list as [
      ...[number, number, Given, number, string, number, number, Given, Given, string[] | null],
      ...[number?, string?, string?],
    ];
  const claim: Mutable<Claim> = {
    token,
    turn: begun ?? turn,
    attempt,
    strikes,
    revision,
    incarnation,
    now,
    document,
    memo: memoOf(memo),
  };
  if (at !== undefined) claim.entry = { id: id as string, at, data: data as string };
  told.claim = claim;
  return told;
}

const nothing = {};

function memoOf(memo: string[] | null): Claim['memo'] {
  return memo === null ? nothing : Object.fromEntries(chunks(memo, 2) as [string, string][]);
}

const receivers = { saver: '>', anyone: '=', puller: '<' } as const;
const afterwards = { hold: 0, next: 1, release: 2 } as const;

/** True if a save changes the document and nothing else, inside a turn. */
export function isWithin({
  then,
  document,
  due,
  open,
  closes,
  outputs,
  withdraw,
  history,
  asks,
  parked,
  people,
}: Save) {
  if (then.type !== 'hold' || document === undefined || due !== undefined || open !== undefined || closes) return false;
  const lists = [outputs, withdraw, history, asks.opened, asks.settled, parked.added, parked.removed, people];
  return lists.every((list) => list.length === 0);
}

export function writeWithin(to: Args, { revision, token, call, document }: Save): void {
  to.step(withinNumbers, [revision], [token, briefCall(call)], [document as string]);
}

/** Numbers here and there are in one order: that of `saveNumbers`. */
export function writeSave(to: Args, call: Save): void {
  const { then, closes, asks, parked, due } = call;
  const numbers = [
    afterwards[then.type], // after
    then.type === 'next' ? then.lease : then.type === 'release' ? then.wait : 0, // span
    then.type === 'release' && then.returnStrike ? 1 : 0, // strike
    call.document === undefined ? 0 : 1,
    closes === undefined ? 0 : closes.keepMemo ? 2 : 1,
    call.open === undefined ? 2 : Number(call.open),
    due === undefined ? 0 : due === null ? 1 : 2, // ends
    due ?? 0,
    call.revision,
    call.loan,
    ttl(call.retention),
    ttl(call.repeatMarks),
    call.outputs.length,
    call.withdraw.length, // withdrawn
    call.history.length,
    asks.opened.length,
    asks.settled.length,
    parked.added.length,
    parked.removed.length, // unparked
    call.people.length,
  ];
  const turn = then.type === 'next' ? then.turn : '';
  const short = [
    call.token,
    briefCall(call.call),
    turn,
    closes?.entryId ?? '',
    closes?.outcome ?? '',
    ...call.withdraw,
  ];
  const long: string[] = [];
  if (call.document !== undefined) long.push(call.document);
  for (const { key, channel, data, to } of call.outputs) {
    short.push(key, `${receivers[to]}${encoded(channel)}`);
    long.push(data);
  }
  for (const item of call.history) long.push(item);
  for (const { id, at } of asks.opened) short.push(shortened(id), String(at));
  for (const { id, record } of asks.settled) {
    short.push(shortened(id));
    long.push(`=${flat(record)}`);
  }
  for (const { id, at } of parked.added) short.push(shortened(id), String(at));
  for (const id of parked.removed) short.push(shortened(id));
  for (const id of call.people) short.push(encoded(id));
  to.step(saveNumbers, numbers, short, long);
}

export function saved(answer: unknown, { revision: before, token, then, document: known }: Save): Saved {
  if (answer === 0) return { type: 'refused' };
  const revision = before + 1;
  if (typeof answer === 'number') return { type: 'saved', now: answer, revision };
  const [now, incarnation, attempt, strikes, begun, document, memo, id, at, data] = answer as [
    ...[number, string, number, number, Given, string | 1 | null, string[] | null, Given, number, string],
  ];
  const turn = begun ?? (then.type === 'next' ? then.turn : '');
  const next: Mutable<Claim> = {
    token,
    turn,
    attempt,
    strikes,
    revision,
    incarnation,
    now,
    document: document === 1 ? (known as string) : document,
    memo: memoOf(memo),
  };
  if (id !== null) next.entry = { id, at, data };
  return { type: 'saved', now, revision, next };
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

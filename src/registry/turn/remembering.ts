/**
 * What a turn remembers for its re-runs: the results of once(), and notes of its own. Each is written to the store before it counts,
 * and the first value stays.
 */
import type { AskOwn } from '../../core/ask/ask.js';
import { wrongOption } from '../../core/check-options.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { badOption, mayHaveHappened } from '../../core/errors.js';
import { readItem } from '../../core/format/document.js';
import { plainData } from '../../core/json.js';
import { retried } from '../retry.js';
import type { Turn, TurnMemo } from './turn.js';

export interface OnceWork<T> {
  readonly key: string;
  readonly run: (key: string) => Promise<T>;
  /** How long its result may be. */
  readonly bytes?: number;
  /** The agent that wants it: one that another agent runs in its turn has keys of its own. */
  readonly by?: string | undefined;
}

/** The work's result, done once and kept for this turn and its re-runs: written before it is returned. */
export async function once<T>(turn: Turn, work: OnceWork<T>): Promise<T> {
  turn.assertOpen('once()');
  assertOnce(work);
  const { key, by = turn.agentName } = work;
  const storeKey = keyOf(turn, by === turn.agentName ? key : JSON.stringify([by, key]));
  const { kept, running } = memoOf(turn);
  const known = kept.get(storeKey);
  if (known !== undefined) return unwrapped<T>(known);
  const result = running.get(storeKey) ?? ran(turn, storeKey, work);
  running.set(storeKey, result);
  try {
    return unwrapped<T>(await result);
  } finally {
    running.delete(storeKey); // after an error the next call runs the work again
  }
}

/**
 * Its code is told an outcome that it waited for. With `onCrash: 'park'` that is written first, so a re-run which would act on it
 * again goes to a person; only the run that an operator asked for is told again.
 */
export async function tellsOutcome(turn: Turn, id: string, onCrash: AskOwn['onCrash']): Promise<void> {
  if (onCrash !== 'park' || turn.waited.told.has(id)) return;
  const isAskedFor = turn.attempt === 1 + (turn.parked?.attempts ?? 0);
  const note = keyOf(turn, `told ${id}`);
  const isTold = memoOf(turn).kept.has(note);
  if (isTold && !isAskedFor) {
    turn.repeated = mayHaveHappened(id);
    throw turn.repeated;
  }
  turn.waited.told.add(id);
  turn.mustNotRepeat = true;
  if (!isTold) await remember(turn, note, '');
}

/** What the conversation has said so far, oldest first, at most `limit` items. */
export async function historyOf({ context, conversationId }: Turn, limit: number): Promise<readonly HistoryItem[]> {
  const page = await context.store.history(conversationId, { limit });
  return page.items.map((item) => readItem(item, conversationId));
}

function memoOf(turn: Turn): TurnMemo {
  turn.memo ??= { kept: new Map(Object.entries(turn.claim.memo)), running: new Map() };
  return turn.memo;
}

/** The key that the store has. Where other work shares the turn id, the keys of this one begin with its scope. */
function keyOf({ scope }: Turn, key: string): string {
  return scope === undefined ? key : `${scope} ${key}`;
}

/** Runs the work, and writes its result down. */
async function ran(turn: Turn, storeKey: string, { key, run, bytes }: OnceWork<unknown>): Promise<string> {
  turn.lease.assertHeld();
  const result = await run(key);
  const { textBytes, depth } = turn.context.settings;
  const limits = { textBytes: bytes ?? textBytes, depth };
  const plain = result === undefined ? '' : plainData(result, `The result of once(${JSON.stringify(key)})`, limits);
  return remember(turn, storeKey, result === undefined ? '' : JSON.stringify(plain));
}

async function remember(turn: Turn, key: string, value: string): Promise<string> {
  const { context, conversationId, claim } = turn;
  const call = { conversationId, turn: claim.turn, key, value };
  const step = () => context.store.remember(call);
  const remembered = await retried(context, 'remember', context.settings.lease, step);
  if (remembered.type === 'ended') return value;
  memoOf(turn).kept.set(key, remembered.value);
  return remembered.value;
}

function assertOnce({ key, run }: OnceWork<unknown>): void {
  if (typeof key !== 'string' || key === '') throw wrongOption('once(): the key', 'a non-empty string', key);
  if (!key.isWellFormed()) {
    const what = `once(): the key ${JSON.stringify(key)} contains half a character (a lone surrogate)`;
    throw badOption(`${what}, which no store keeps as it is. Use a digest of what it is made of.`);
  }
  if (typeof run !== 'function') throw wrongOption('once(): the work', 'a function', run);
}

/** What the author's own work returned. */
const unwrapped = <T>(value: string): T => (value === '' ? undefined : JSON.parse(value)) as T;

/**
 * When a question is shown again because nobody has answered. Only the question that is put to a human is; times that
 * passed while no process ran count as one.
 */
import type { Ask } from './ask.js';
import { showsOf } from './ask.js';

/** When the ask is shown again, if it is not answered before; undefined if it is not. */
export function nextReminder(ask: Ask | undefined): number | undefined {
  if (ask?.remindAfter === undefined || ask.status !== 'pending' || ask.shownAt === undefined) return undefined;
  const after = ask.remindAfter[ask.reminded ?? 0];
  if (after === undefined) return undefined;
  const at = Math.max(ask.shownAt + after, ask.remindNotBefore ?? 0);
  return ask.expiresAt !== undefined && at >= ask.expiresAt ? undefined : at;
}

/** The ask shown again at `now`. */
export function reminded(ask: Ask, now: number): Ask {
  const { remindAfter = [], shownAt = now } = ask;
  const over = remindAfter.filter((after) => shownAt + after <= now).length;
  return { ...ask, reminded: Math.max(over, (ask.reminded ?? 0) + 1), shows: showsOf(ask) + 1 };
}

/** The ask whose reminder has to wait for the end of quiet hours. */
export function hushed(ask: Ask, until: number): Ask {
  return { ...ask, remindNotBefore: until };
}

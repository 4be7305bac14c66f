/**
 * Reminders: when a question is shown again because nobody has answered. Only the head of a conversation is shown again.
 * Several reminders that came due while no process ran are one.
 */
import type { Ask } from './ask.js';
import { showsOf } from './ask.js';

/** When the ask is shown again unless it is answered before; undefined if it is not shown again. */
export function nextReminder(ask: Ask | undefined): number | undefined {
  if (ask?.remindAfter === undefined || ask.status !== 'pending' || ask.shownAt === undefined) return undefined;
  const after = ask.remindAfter[ask.reminded ?? 0];
  if (after === undefined) return undefined;
  const at = Math.max(ask.shownAt + after, ask.remindNotBefore ?? 0);
  return ask.expiresAt !== undefined && at >= ask.expiresAt ? undefined : at;
}

/** The ask shown again at `now`. */
export function withReminderShown(ask: Ask, now: number): Ask {
  const { remindAfter = [], shownAt = now } = ask;
  const passed = remindAfter.filter((after) => shownAt + after <= now).length;
  return { ...ask, reminded: Math.max(passed, (ask.reminded ?? 0) + 1), shows: showsOf(ask) + 1 };
}

/** The ask whose reminder waits for the end of quiet hours. */
export function withReminderPostponed(ask: Ask, until: number): Ask {
  return { ...ask, remindNotBefore: until };
}

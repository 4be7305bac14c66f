/**
 * Reminders: when a question is shown again because nobody has answered. Only the head of a conversation is shown again.
 * Several reminders that came due while no process ran are one.
 */
import type { Ask } from './ask.js';
import { isExpiredAt, showsOf } from './ask.js';

/** When the ask is shown again unless it is answered before; undefined if it is not shown again. */
export function nextReminder(ask: Ask | undefined): number | undefined {
  if (ask?.timing.remindAfter === undefined || ask.status !== 'pending') return undefined;
  const { remindAfter, shownAt, remindNotBefore = 0 } = ask.timing;
  const after = remindAfter[ask.progress.reminded ?? 0];
  if (shownAt === undefined || after === undefined) return undefined;
  const at = Math.max(shownAt + after, remindNotBefore);
  return isExpiredAt(ask, at) ? undefined : at;
}

/** The ask shown again at `now`. */
export function withReminderShown(ask: Ask, now: number): Ask {
  const { remindAfter = [], shownAt = now } = ask.timing;
  const { progress } = ask;
  const passed = remindAfter.filter((after) => shownAt + after <= now).length;
  const reminded = Math.max(passed, (progress.reminded ?? 0) + 1);
  return { ...ask, progress: { ...progress, reminded, shows: showsOf(ask) + 1 } };
}

/** The ask whose reminder waits for the end of quiet hours. */
export function withReminderPostponed(ask: Ask, until: number): Ask {
  return { ...ask, timing: { ...ask.timing, remindNotBefore: until } };
}

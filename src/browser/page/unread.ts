/**
 * Marks the questions in the list that were never opened in this browser.
 */
import { all, find } from './dom.js';
import { keep, kept } from './kept.js';

const longest = 500;
const seen = new Set(seenBefore());

function seenBefore(): readonly unknown[] {
  const ids = kept('seen');
  return Array.isArray(ids) ? ids : [];
}

/** Remembers that the open question was seen. */
export function noteSeen(): void {
  const id = find('#ask')?.dataset.id;
  if (id === undefined) return;
  seen.delete(id);
  seen.add(id); // as the latest one
  keep('seen', [...seen].slice(-longest));
}

export function markUnread(): void {
  for (const row of all('#rows > li')) row.classList.toggle('unread', !seen.has(row.dataset.id));
}

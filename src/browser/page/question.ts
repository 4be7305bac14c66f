/**
 * The question that is open: its deadline, and what happens to it elsewhere. What was typed always stays. It decides nothing, and fetches
 * nothing.
 */
import { now } from '../machine.js';
import { all, find, part, replaceChildren, setText } from './dom.js';
import { announce, showNotice } from './notices.js';
import { texts } from './settings.js';
import { timeOf } from './times.js';

const isOpen = (ask: HTMLElement): boolean => 'open' in ask.dataset;

/** Nothing can be typed or sent any more. */
function close(ask: HTMLElement, text: string): void {
  delete ask.dataset.open;
  for (const button of all<HTMLButtonElement>('#decision button, .other button', ask)) button.disabled = true;
  const fields = '#decision textarea, #decision input:not([type=hidden])';
  for (const field of all<HTMLInputElement | HTMLTextAreaElement>(fields, ask)) field.readOnly = true;
  showNotice(text);
}

// --- its deadline ---

const announced = new Set<string>();

function announceOnce(text: string): void {
  if (!announced.has(text)) announce(text);
  announced.add(text);
}

/** Another question may be open now: its deadline is announced, too. */
export function forgetAnnounced(): void {
  announced.clear();
}

/** Announces the deadline of the open question as it comes near. Returns true if it has passed now, and closes the question. */
export function watchDeadline(): boolean {
  const time = find<HTMLTimeElement>('#ask[data-open] time.left');
  if (time === null) return false;
  const left = timeOf(time) - now();
  if (left <= 0) {
    const ask = part('#ask');
    close(ask, texts.timeIsOver);
    find('[data-prefix]', ask)?.replaceChildren();
    return true;
  }
  if (left <= 60_000) announceOnce(texts.oneMinute);
  else if (left <= 300_000) announceOnce(texts.fiveMinutes);
  return false;
}

// --- what happens to it elsewhere ---

/** Takes over from the question of a newer page what has changed. */
export function updateQuestion(ask: HTMLElement, next: HTMLElement): void {
  const [votes, nextVotes] = [find('[data-votes]', ask), find('[data-votes]', next)];
  if (votes !== null && nextVotes !== null) setText(votes, nextVotes.textContent);
  const { status, digest } = next.dataset;
  if (status === 'pending') {
    if (digest !== ask.dataset.digest) showNotice(texts.changed, location.href);
  } else if (ask.dataset.status === 'pending') showDecided(ask, next);
  const [said, nextSaid] = [find('.conversation', ask), find('.conversation', next)];
  if (said !== null && nextSaid !== null && all('li', said).length !== all('li', nextSaid).length)
    replaceChildren(said, nextSaid);
}

function showDecided(ask: HTMLElement, next: HTMLElement): void {
  const { status = '' } = next.dataset;
  ask.dataset.status = status;
  find('.expires', ask)?.remove();
  replaceChildren(part('#outcome'), part('#outcome', next));
  if (isOpen(ask)) close(ask, status === 'expired' ? texts.timeIsOver : texts.decided);
  announce(part('#outcome h2').textContent);
}

/** The question does not exist any more, or the person may not see it. */
export function closeGone(ask: HTMLElement): void {
  close(ask, isOpen(ask) ? `${texts.gone} ${texts.goneWritten}` : texts.gone);
  announce(texts.gone);
}

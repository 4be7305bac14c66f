/**
 * What people and models wrote, and times, as HTML. Characters that cannot be seen for what they are, are written as marked escapes.
 * Everything is escaped by the template; nothing here trusts a string.
 */
import type { ShownPerson } from '../../core/participant.js';
import { shapelessIn, withoutControls } from '../../core/text.js';
import { visibleParts, visibleText } from '../../tools/approval/visible-text.js';
import { html } from '../packages.js';
import { texts } from './texts.js';

/** A piece of HTML whose values were escaped. */
export type Html = ReturnType<typeof html>;

export const nothing: Html = html``;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** What somebody wrote: a question, a message, a reason. Usual typography stays, what hides or misleads is marked. */
export function prose(text: string): Html {
  const lines = oneBreak(text);
  const hidden = shapelessIn(lines);
  return html`<bdi class="prose">${marked(lines, (given, at) => hides(given) || isWithin(given, at, hidden))}</bdi>`;
}

/** A value that somebody decides by: every character that is not what it looks like is marked. */
export function exactValue(text: string): Html {
  return html`<bdi class="value">${marked(text, () => true)}</bdi>`;
}

export function personName({ id, name }: ShownPerson): Html {
  return html`<bdi title="${visibleText(id)}">${marked(name ?? id, () => true)}</bdi>`;
}

/** Who asks: an agent by its name, which never starts with an @; whatever else the program has asked by, in words. */
export function agentTitle(agentName: string): string {
  return agentName.startsWith('@') ? texts.program : agentName;
}

const oneBreak = (text: string): string => text.replace(/\r\n?/g, '\n');

function isWithin(given: string, at: number, positions: ReadonlySet<number>): boolean {
  for (let i = 0; i < given.length; i += 1) if (positions.has(at + i)) return true;
  return false;
}

function marked(text: string, isMarked: (given: string, at: number) => boolean): Html[] {
  const parts: Html[] = [];
  let plain = '';
  let at = 0;
  for (const { given, seen } of visibleParts(oneBreak(text))) {
    const isAsGiven = given === '\n' || seen === given || !isMarked(given, at);
    at += given.length;
    if (isAsGiven) plain += given;
    else {
      if (plain !== '') parts.push(html`${plain}`);
      plain = '';
      parts.push(html`<mark title="${texts.unusual}">${seen}</mark>`);
    }
  }
  if (plain !== '') parts.push(html`${plain}`);
  return parts;
}

/** Characters that a terminal or a screen would act on or not show, and words of two alphabets. */
function hides(given: string): boolean {
  if (withoutControls(given) !== given) return true;
  return /\p{Script=Latin}/u.test(given) && /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(given);
}

/** On one line and cut, for lists: the whole text is one click away. */
export function shortText(text: string, most = 140): Html {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line.slice(0, 2 * most)];
  return prose(characters.length > most ? `${characters.slice(0, most).join('')}…` : line);
}

// --- times ---

/** How long something took or takes, in one unit. */
export function duration(ms: number): string {
  if (ms < minute) return texts.justNow;
  if (ms < hour) return texts.minutes(Math.floor(ms / minute));
  return ms < 2 * day ? texts.hours(Math.floor(ms / hour)) : texts.days(Math.floor(ms / day));
}

/** 11:02, or 1:11:02. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (count: number) => `${count}`.padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** How long ago, with the exact time behind it. */
export function ago(iso: string, now: number): Html {
  return html`<time datetime="${iso}" title="${exactTime(iso)}" data-ago>${duration(now - Date.parse(iso))}</time>`;
}

/** The exact time. The script writes it in the reader's own time zone. */
export function exact(iso: string): Html {
  return html`<time datetime="${iso}" data-exact>${exactTime(iso)}</time>`;
}

const format = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

function exactTime(iso: string): string {
  return `${format.format(new Date(iso))} UTC`;
}

/** The time that is left: a countdown in the last quarter, a round number before. */
export function timeLeft({ askedAt, expiresAt }: { askedAt: string; expiresAt: string }, now: number): Html {
  const [from, end] = [Date.parse(askedAt), Date.parse(expiresAt)];
  const isLast = isLastQuarter(from, end, now);
  const left = end - now;
  const text = left <= 0 ? texts.timeIsOver : isLast ? countdown(left) : duration(left);
  const title = exactTime(expiresAt);
  return html`<time class="left${isLast ? ' soon' : ''}" datetime="${expiresAt}" title="${title}" data-from="${from}">${text}</time>`;
}

/** The last quarter of the time to answer: then every second counts. */
function isLastQuarter(askedAt: number, expiresAt: number, now: number): boolean {
  return now >= expiresAt - (expiresAt - askedAt) / 4;
}

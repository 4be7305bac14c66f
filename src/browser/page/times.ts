/**
 * Times on the page: exact ones in the reader's time zone, ages, and what is left to answer. The server writes them first, in the same
 * words (src/server/page/markup.ts).
 */
import { now } from '../machine.js';
import { all, setText } from './dom.js';
import { texts } from './settings.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const exact = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium', timeStyle: 'short' });

/** Writes exact times in the reader's time zone. */
export function showExactTimes(): void {
  for (const time of all<HTMLTimeElement>('time[data-exact]')) time.textContent = exact.format(new Date(time.dateTime));
}

/** Updates ages and what is left to answer. */
export function updateTimes(): void {
  for (const time of all<HTMLTimeElement>('time[data-ago]')) setText(time, duration(now() - timeOf(time)));
  for (const time of all<HTMLTimeElement>('time.left')) {
    const [askedAt, expiresAt] = [Number(time.dataset.from), timeOf(time)];
    const left = expiresAt - now();
    const isLastQuarter = left <= (expiresAt - askedAt) / 4;
    time.classList.toggle('soon', isLastQuarter);
    setText(time, left <= 0 ? texts.over : isLastQuarter ? countdown(left) : duration(left));
  }
}

/** Returns the moment that an element names, in ms. */
export const timeOf = (time: HTMLTimeElement): number => Date.parse(time.dateTime);

function duration(ms: number): string {
  const counted = (unit: string, length: number) => unit.replace('#', `${Math.floor(ms / length)}`);
  if (ms < minute) return texts.now;
  if (ms < hour) return counted(texts.minutes, minute);
  return ms < 2 * day ? counted(texts.hours, hour) : counted(texts.days, day);
}

/** 11:02, or 1:11:02. */
function countdown(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (count: number) => `${count}`.padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

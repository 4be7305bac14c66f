/**
 * What the page says by itself: to screen readers, in the line at its top, and beside the open question.
 */
import { el } from '../elements.js';
import { find, part, setText } from './dom.js';
import { texts } from './settings.js';

/** Has screen readers read the text, also if it is the same as the last one. */
export function announce(text: string): void {
  const line = part('#announce');
  setText(line, '');
  setText(line, text);
}

/** Shows the text in the line at the top. An empty text hides the line. */
export function showStatus(text: string): void {
  const line = part('#status');
  line.hidden = text === '';
  setText(line, text);
}

/** Hides the line at the top if it still shows this text. */
export function hideStatus(text: string): void {
  if (part('#status').textContent === text) showStatus('');
}

let isSignedOut = false;

/** Says so until a request is answered. The link opens a new tab, because leaving the page loses what was typed. */
export function showSignedOut(): void {
  isSignedOut = true;
  showStatus(texts.signedOut);
  part('#status').append(' ', el('a', { href: location.href, target: '_blank' }, texts.signIn));
}

/** Shows how the connection is, unless the person is signed out: that is said first. */
export function showConnection(text: string): void {
  if (!isSignedOut) showStatus(text);
}

/** A request was answered: the person is signed in. */
export function noteSignedIn(): void {
  if (isSignedOut) showStatus('');
  isSignedOut = false;
}

/** Shows a notice above the open question, with a link if there is an address. */
export function showNotice(text: string, href?: string): void {
  const notice = find('#live-notice') ?? el('div', { id: 'live-notice', class: 'notice bad', role: 'status' });
  if (!notice.isConnected) part('#outcome').before(notice);
  notice.replaceChildren(text);
  if (href !== undefined) notice.append(' ', el('a', { href }, texts.look));
}

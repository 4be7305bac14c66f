/**
 * Loads the page again and takes over what has changed, so that rights and markup are made in one place: the server.
 */
import { after, random } from '../machine.js';
import { find, pageIn, setText } from './dom.js';
import { noteSignedIn, showConnection, showSignedOut } from './notices.js';
import { closeGone, updateQuestion, watchDeadline } from './question.js';
import { updateRows } from './rows.js';
import { base, texts } from './settings.js';
import { showExactTimes, updateTimes } from './times.js';
import { markUnread } from './unread.js';

let timer = 0;
let isLoading = false;
/** Something changed while the page was being loaded. */
let isOutdated = false;
/** The open question does not exist any more: from then on the list is loaded instead. */
let isGone = false;

/** Refreshes in a moment, once for all events that come until then. */
export function refreshSoon(ms = 300): void {
  if (timer !== 0) return;
  timer = after(ms + random() * 200, () => {
    timer = 0;
    void refresh();
  });
}

/** Refreshes now. It never rejects: without a connection it says so. */
export async function refresh(): Promise<void> {
  if (isLoading) {
    isOutdated = true;
    return;
  }
  isLoading = true;
  try {
    await load();
  } catch {
    showConnection(texts.reconnecting);
  } finally {
    isLoading = false;
  }
  if (isOutdated) refreshSoon(1000);
  isOutdated = false;
}

async function load(): Promise<void> {
  const url = isGone ? (base || '/') + location.search : location.href;
  const response = await fetch(url, { headers: { accept: 'text/html' }, redirect: 'error' });
  const ask = find('#ask');
  if (response.status === 401) showSignedOut();
  else if (response.status === 404 && ask !== null && !isGone) {
    isGone = isOutdated = true;
    closeGone(ask);
  } else if (response.ok) {
    noteSignedIn();
    update(await pageIn(response));
  }
}

/** Takes over from a newer page what has changed. */
export function update(page: Document): void {
  document.title = page.title;
  const [count, nextCount] = [find('[data-count]'), find('[data-count]', page)];
  if (count !== null && nextCount !== null) setText(count, nextCount.textContent);
  if (find('#rows') !== null && find('#rows', page) !== null) updateRows(page);
  const [ask, nextAsk] = [find('#ask'), find('#ask', page)];
  if (ask !== null && nextAsk !== null) updateQuestion(ask, nextAsk);
  showExactTimes();
  tick();
  markUnread();
}

/** Updates what the passing of time changes. */
export function tick(): void {
  updateTimes();
  if (watchDeadline()) refreshSoon(1500);
}

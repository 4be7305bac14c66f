/**
 * Keeps the page as the server has it: by live events, and by polling while they cannot be had.
 */
import { every } from '../machine.js';
import { find } from './dom.js';
import { openLive } from './live-events.js';
import { hideStatus, noteSignedIn, showConnection, showSignedOut, showStatus } from './notices.js';
import { refresh, refreshSoon } from './refresh.js';
import { base, liveCursor, liveKey, texts } from './settings.js';

const pollInterval = 15_000;

/** Follows the list and the open question. Pages without them do not change. */
export function followLive(): void {
  addEventListener('offline', () => showStatus(texts.offline));
  addEventListener('online', () => {
    showStatus(texts.reconnecting);
    void refresh().then(() => hideStatus(texts.reconnecting));
  });
  if (find('#rows') === null && find('#ask') === null) return;
  let polling = 0;
  openLive({
    url: `${base}/live`,
    key: liveKey,
    after: liveCursor,
    received: () => refreshSoon(),
    changed: (state) => {
      clearInterval(polling);
      if (state === 'signed-out') return showSignedOut();
      if (state === 'live') noteSignedIn();
      else polling = every(pollInterval, poll);
      if (navigator.onLine) showConnection(state === 'live' ? '' : texts.reconnecting);
    },
  });
}

function poll(): void {
  if (!document.hidden) void refresh();
}

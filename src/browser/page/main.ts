/**
 * The script of the inbox page: live updates, countdowns, unread marks, keys, and forms that are sent without leaving the page. The page
 * works without it. It writes no markup of its own: what has changed is taken from the page as the server writes it now.
 */
import { every } from '../machine.js';
import { sendFormsHere } from './forms.js';
import { listenToKeys } from './keys.js';
import { keepListPosition, watchLinks } from './links.js';
import { followLive } from './live.js';
import { tick } from './refresh.js';
import { watchRows } from './rows.js';
import { showExactTimes } from './times.js';
import { markUnread, noteSeen } from './unread.js';

document.documentElement.classList.add('js');
watchRows();
listenToKeys();
sendFormsHere();
watchLinks();
keepListPosition();
noteSeen();
showExactTimes();
markUnread();
tick();
every(1000, () => {
  if (!document.hidden) tick();
});
followLive();

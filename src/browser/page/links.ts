/**
 * Links to other pages: says that loading takes time or that there is no connection, and keeps the position in the list.
 */
import { after } from '../machine.js';
import { find } from './dom.js';
import { showStatus } from './notices.js';
import { texts } from './settings.js';

const scrollKey = 'askback:scroll';

export function watchLinks(): void {
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
    if (link === null || !leavesThisPage(link, event)) return;
    if (navigator.onLine) {
      after(400, () => showStatus(texts.loading));
      return;
    }
    event.preventDefault(); // it would lead to the browser's own page of errors
    showStatus(texts.offline);
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) showStatus('');
  });
}

function leavesThisPage(link: HTMLAnchorElement, event: MouseEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return false;
  if (link.target !== '' || link.origin !== location.origin) return false;
  return link.pathname !== location.pathname || link.hash === '';
}

/** Scrolls the list to where it was on the page before. */
export function keepListPosition(): void {
  const list = find('#list');
  if (list === null) return;
  list.scrollTop = Number(sessionStorage.getItem(scrollKey) ?? 0);
  addEventListener('pagehide', () => sessionStorage.setItem(scrollKey, `${list.scrollTop}`));
}

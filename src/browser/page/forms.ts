/**
 * Sends the forms of the page by a request of its own, so that what was typed is still there if the server cannot be reached.
 */
import { el } from '../elements.js';
import { after } from '../machine.js';
import { find, pageIn, part, replaceChildren } from './dom.js';
import { hideStatus, showStatus } from './notices.js';
import { forgetAnnounced } from './question.js';
import { update } from './refresh.js';
import { texts } from './settings.js';

/** Takes over forms that change something. Those that only look, such as the search, are the browser's. */
export function sendFormsHere(): void {
  const sending = new Set<HTMLFormElement>();
  addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || form.method !== 'post' || !part('#content').contains(form)) return;
    event.preventDefault();
    if (sending.has(form)) return;
    sending.add(form);
    void send(form, submitter).finally(() => sending.delete(form));
  });
}

/** Never rejects: what went wrong is shown in the form. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const slow = after(400, () => showStatus(texts.sending));
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      body: valuesOf(form, submitter),
      headers: { accept: 'text/html' },
    });
    const page = await pageIn(response);
    const message = find('main.message', page);
    if (message === null) show(page, response);
    else showUnsent(form, part('h1', message).textContent, part('p', message).textContent);
  } catch {
    showUnsent(form, texts.noConnection, texts.stillHere);
  } finally {
    clearTimeout(slow);
    hideStatus(texts.sending);
  }
}

function valuesOf(form: HTMLFormElement, submitter: HTMLElement | null): URLSearchParams {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') values.append(name, value);
  if (submitter instanceof HTMLButtonElement && submitter.name !== '') values.append(submitter.name, submitter.value);
  return values;
}

/** Says in the form, which stays as it is, why it was not taken. */
function showUnsent(form: HTMLFormElement, title: string, more: string): void {
  const notice = find('.notice', form) ?? el('div');
  notice.className = 'notice bad';
  notice.setAttribute('role', 'alert');
  notice.replaceChildren(el('b', {}, title), el('br'), more);
  (find('.decide', form) ?? form.lastElementChild)?.before(notice);
  notice.scrollIntoView({ block: 'nearest' });
}

/** Shows the page that came of the form in place of the one from which it was sent. */
function show(page: Document, { url, redirected }: Response): void {
  const content = part('#content');
  replaceChildren(content, part('#content', page));
  if (redirected) history.replaceState(null, '', url);
  forgetAnnounced();
  update(page);
  content.scrollTop = 0;
  scrollTo(0, 0);
  const told = find('[autofocus]', content) ?? find('#outcome > *') ?? part('h1', content);
  if (told.tabIndex < 0) told.tabIndex = -1; // a field has its own position in the order of tabs
  told.focus();
}

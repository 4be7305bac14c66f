/**
 * The script of the web chat: one tag is all that a page needs. It shows the conversation, and takes what the visitor types and presses.
 * It decides nothing, and keeps nothing but the visitor, the draft and what is not sent yet.
 */
import { listenToComposer, restoreDraft } from './composer.js';
import { changed, onChange } from './conversation.js';
import { render } from './drawing/conversation-log.js';
import { closeButton, host, input, launcher, mode, panel, scrollToEnd } from './panel.js';
import { listenToTabs, startReading } from './reading.js';
import { flush } from './sending.js';
import { option, report } from './settings.js';
import { keptToken, onKept } from './storage.js';

function start(): void {
  void startReading(() => {
    restoreDraft();
    void flush();
  });
}

function toggle(isOpen: boolean): void {
  panel.hidden = !isOpen;
  host.classList.toggle('open', isOpen);
  launcher.setAttribute('aria-expanded', String(isOpen));
  launcher.classList.remove('news');
  if (isOpen) {
    start();
    render();
    input.focus();
    scrollToEnd();
  } else launcher.focus();
}

/** Where the chat goes; null if the page has no such element. */
function parent(): Element | null {
  if (mode !== 'inline') return document.body;
  try {
    return document.querySelector(`${option('target')}`);
  } catch {
    return null; // not a selector
  }
}

function mount(): void {
  const found = parent();
  if (found === null) {
    const target = JSON.stringify(option('target'));
    report(`data-target is ${target}, and the page has no such element. Give a selector of one.`);
    return;
  }
  found.append(host);
  render();
  if (mode !== 'float' || keptToken() !== undefined) start();
}

onChange(render);
onKept('outbox', changed);
listenToTabs();
listenToComposer();
launcher.addEventListener('click', () => toggle(panel.hidden === true));
closeButton.addEventListener('click', () => toggle(false));
panel.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' && mode === 'float') toggle(false);
});
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', mount);
else mount();

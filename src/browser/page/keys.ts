/**
 * Single keys, and Ctrl+Enter. A key chooses and moves the focus; it never sends by itself.
 */
import { all, find, part } from './dom.js';
import { keep, kept } from './kept.js';

type Option = HTMLButtonElement | HTMLInputElement;

/** Listens to keys, and shows the button that explains them. */
export function listenToKeys(): void {
  const keysOn = find<HTMLInputElement>('#keys-on');
  if (keysOn !== null) {
    keysOn.checked = Boolean(kept('keys') ?? true);
    keysOn.addEventListener('change', () => keep('keys', keysOn.checked));
    const button = part('#show-keys');
    button.hidden = false;
    button.addEventListener('click', showHelp);
  }
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (!(target instanceof HTMLElement)) return;
    if (key === 'Enter' && (ctrlKey || metaKey)) return send(target);
    if (ctrlKey || metaKey || altKey || event.isComposing) return;
    if (target.matches(typedInto)) {
      if (key === 'Escape') target.blur();
      return;
    }
    if (keysOn?.checked !== true || find('dialog[open]') !== null) return;
    if (key.startsWith('Arrow') && !movesInList(target)) return;
    const act = /^[1-9]$/.test(key) ? () => choose(Number(key)) : acts.get(key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

const typedInto = 'input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]';

/** Whether an arrow key moves in the list: elsewhere it scrolls, or moves within a control. */
function movesInList(target: HTMLElement): boolean {
  if (target.matches('input, summary, select')) return false;
  return target === document.body || find('#list')?.contains(target) === true;
}

const acts = new Map<string, () => void>([
  ['j', () => move(1)],
  ['k', () => move(-1)],
  ['ArrowDown', () => move(1)],
  ['ArrowUp', () => move(-1)],
  ['a', focusAnswer],
  ['n', openNext],
  ['u', () => find('.back a, .brand')?.click()],
  ['/', () => find('#search')?.focus()],
  ['?', showHelp],
]);

function showHelp(): void {
  part<HTMLDialogElement>('#keys').showModal();
}

/** Moves the focus in the list, from the focused or the open question on. */
function move(by: 1 | -1): void {
  const links = all('#rows a');
  const focused = links.indexOf(document.activeElement as HTMLElement);
  const from = focused >= 0 ? focused : links.findIndex((link) => link.hasAttribute('aria-current'));
  const to = from >= 0 ? from + by : by > 0 ? 0 : links.length - 1;
  links[Math.min(links.length - 1, Math.max(0, to))]?.focus();
}

/** Chooses an option by its number, without sending it. */
function choose(number: number): void {
  const option = all<Option>('#decision [data-option]')[number - 1];
  if (option === undefined || option.disabled) return;
  option.focus();
  if (!(option instanceof HTMLInputElement)) return;
  option.checked = option.type === 'radio' || !option.checked;
}

function focusAnswer(): void {
  find('#decision textarea, #decision input:not([type=hidden]), #decision button:not([disabled])')?.focus();
}

function openNext(): void {
  const next = find('#next') ?? find('#rows li:has([aria-current]) + li a') ?? find('#rows a:not([aria-current])');
  next?.click();
}

/** Presses the button that has the focus, or the only one of the form. */
function send(target: HTMLElement): void {
  const button =
    target instanceof HTMLButtonElement
      ? target
      : find<HTMLButtonElement>('[data-send]', target.closest('form') ?? document);
  button?.click(); // a disabled one does nothing
}

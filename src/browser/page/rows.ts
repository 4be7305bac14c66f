/**
 * The list of questions. Nothing in it moves while a person looks: a question that is decided is struck out and leaves later, new ones
 * wait behind a button that says how many there are.
 */
import { after } from '../machine.js';
import { all, find, pageIn, part, setText } from './dom.js';
import { announce } from './notices.js';
import { texts } from './settings.js';
import { timeOf, updateTimes } from './times.js';
import { markUnread } from './unread.js';

/** New questions, by their ids, that are not shown yet. */
let waiting = new Map<string | undefined, HTMLElement>();
let isPointedAt = false;

/** Listens to what a person does with the list. */
export function watchRows(): void {
  find('#rows')?.addEventListener('pointerenter', () => {
    isPointedAt = true;
  });
  find('#rows')?.addEventListener('pointerleave', () => {
    isPointedAt = false;
  });
  find('#pill')?.addEventListener('click', showNew);
}

const rowsIn = (page: ParentNode) =>
  new Map(all('#rows > li', page).map((row): [string | undefined, HTMLElement] => [row.dataset.id, row]));

/** Takes over from the list of a newer page what has changed. */
export function updateRows(page: Document): void {
  const rows = rowsIn(document);
  const incoming = rowsIn(page);
  for (const [id, row] of rows) {
    const next = incoming.get(id);
    if (next !== undefined) {
      row.classList.remove('settled');
      setText(part('.meta', row), part('.meta', next).textContent);
    } else if (!row.classList.contains('settled')) settle(row);
  }
  waiting = new Map([...incoming].filter(([id]) => !rows.has(id)));
  if (rows.size === 0 && waiting.size > 0) showNew();
  else if (waiting.size > 0) announce(`${waiting.size} ${texts.arrived}`);
  if (part('#rows').childElementCount > 0) find('.list .empty')?.remove();
  updatePill();
}

// --- decided ones ---

function settle(row: HTMLElement): void {
  row.classList.add('settled');
  announce(`${part('.q', row).textContent} ${texts.left}`);
  showOutcome(row).catch(() => {}); // the row leaves without saying why
  after(4000, () => leave(row));
}

/** Writes into the row what became of its question, and who decided it. */
async function showOutcome(row: HTMLElement): Promise<void> {
  const page = await pageIn(await fetch(part<HTMLAnchorElement>('a', row).href));
  const title = find('#outcome h2', page);
  const by = find('#outcome p b', page);
  if (title !== null) setText(part('.meta', row), title.textContent + (by === null ? '' : ` · ${by.textContent}`));
}

/** Removes a decided row once nothing points at the list. The focus goes to a row beside it. */
function leave(row: HTMLElement): void {
  if (!row.isConnected || !row.classList.contains('settled')) return;
  if (isPointedAt) {
    after(2000, () => leave(row));
    return;
  }
  const neighbour = row.nextElementSibling ?? row.previousElementSibling;
  if (row.contains(document.activeElement) && neighbour !== null) part('a', neighbour).focus();
  row.remove();
  if (part('#rows').childElementCount === 0 && waiting.size > 0) showNew();
}

// --- new ones ---

function updatePill(): void {
  const pill = part('#pill');
  pill.hidden = waiting.size === 0;
  setText(pill, `${waiting.size} ${texts.showNew}`);
}

function showNew(): void {
  for (const row of waiting.values()) {
    const copy = document.importNode(row, true);
    copy.classList.add('arrived');
    part('#rows').append(copy);
  }
  waiting = new Map();
  sortRows();
  updatePill();
  updateTimes();
  markUnread();
}

/** Sorts as the server does: deadlines first, then age. */
function sortRows(): void {
  const rank = (row: HTMLElement) => {
    const deadline = find<HTMLTimeElement>('time.left', row);
    return deadline === null ? 1e15 + timeOf(part<HTMLTimeElement>('time[data-ago]', row)) : timeOf(deadline);
  };
  part('#rows').append(...all('#rows > li').sort((a, b) => rank(a) - rank(b)));
}

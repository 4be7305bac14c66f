/**
 * What people and agents wrote, as elements: text only, in one direction of its own.
 */
import { el } from '../../elements.js';
import type { PendingMessage } from '../outbox.js';

/** An entry of the conversation as it is shown. */
export interface ShownEntry {
  readonly node: HTMLElement;
  /** Of an open question: shows whether an answer of the visitor is on its way. */
  setPress?(press: PendingMessage | undefined): void;
}

/** Keeps the direction of a text apart from that of the text around it. */
export const words = (text: string): HTMLElement => el('bdi', {}, text);

export function bubble(text: string, look: 'mine' | 'theirs' | 'working'): HTMLElement {
  return el('li', { class: look }, el('div', { class: 'bubble' }, el('p', {}, words(text))));
}

let ids = 0;

/** Makes an id for an element, to name it in an attribute of another one. */
export function newElementId(): string {
  ids += 1;
  return `q${ids}`;
}

/**
 * Shows the conversation and what is not sent yet. Each entry has one element, which is kept while what it shows is the same.
 */
import { el } from '../../elements.js';
import { conversation, isAsked, openQuestion } from '../conversation.js';
import { type PendingMessage, pendingMessages } from '../outbox.js';
import { input, inputLabel, list, log, moveParkedFocus, parkFocus, root, scrollToEnd, stateLine } from '../panel.js';
import { giveUp, sendAgain } from '../sending.js';
import { texts } from '../settings.js';
import type { DecidedItem } from '../wire.js';
import { questionElement } from './question.js';
import { bubble, type ShownEntry, words } from './words.js';

/** An entry as it should be shown. */
interface WantedEntry {
  readonly key: string;
  /** What the element depends on: with the same look it stays. */
  readonly look: string;
  draw(): ShownEntry;
}

/** The entries that are shown, by their keys. */
const shown = new Map<string, ShownEntry & { readonly look: string }>();

/** What the engine writes in place of a sensitive text. */
const hiddenText = '[hidden]';

/** Shows everything as it is now. */
export function render(): void {
  const pending = pendingMessages();
  const pressed = new Map(pending.map((message) => [message.body.askId, message]));
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  place([...wantedItems(), ...wantedMessages(pending), ...wantedProgress(pending)]);
  for (const item of conversation.items) if (isAsked(item)) shown.get(item.key)?.setPress?.(pressed.get(item.ask.id));
  if (isAtEnd) scrollToEnd();
  const open = openQuestion();
  inputLabel.textContent = input.placeholder = open?.ask.mine ? texts.answer : texts.message;
  stateLine.textContent = conversation.connection === 'live' ? '' : texts[conversation.connection];
  const node = open?.ask.mine && !pressed.has(open.ask.id) && shown.get(open.key)?.node;
  if (node) moveParkedFocus(node);
}

/** What happened, with open questions at the end. */
function wantedItems(): readonly WantedEntry[] {
  const { items } = conversation;
  const decisions = new Map(
    items.filter((item): item is DecidedItem => item.type === 'decided').map((item) => [item.askId, item]),
  );
  const last = new Map(items.filter(isAsked).map((item) => [item.ask.id, item]));
  const others: WantedEntry[] = [];
  const open: WantedEntry[] = [];
  for (const item of items) {
    if (item.type === 'in' && !item.control) {
      const text = item.text === hiddenText ? texts.hidden : item.text;
      others.push({ key: `in ${item.id}`, look: 'sent', draw: () => ({ node: bubble(text, 'mine') }) });
    } else if (isAsked(item)) {
      const { key, ask } = item;
      const decision = decisions.get(ask.id) ?? (ask.status === 'pending' ? undefined : ask);
      const isLast = last.get(ask.id) === item;
      const look = [decision?.status, isLast, ask.mine].join();
      const entry = { key, look, draw: () => questionElement(item, decision, isLast) };
      (isLast && decision === undefined ? open : others).push(entry);
    } else if (item.type === 'out') {
      others.push({ key: item.key, look: 'said', draw: () => ({ node: bubble(item.text, 'theirs') }) });
    }
  }
  return [...others, ...open];
}

/** What was sent and has not arrived. The press of a control is shown by its question, unless it failed. */
function wantedMessages(pending: readonly PendingMessage[]): readonly WantedEntry[] {
  const arrived = new Set(conversation.items.map((item) => item.type === 'in' && item.id));
  return pending
    .filter(({ id, body, state }) => !arrived.has(id) && (body.askId === undefined || state === 'failed'))
    .map((message) => ({ key: `in ${message.id}`, look: message.state, draw: () => ({ node: outgoing(message) }) }));
}

function wantedProgress(pending: readonly PendingMessage[]): readonly WantedEntry[] {
  const { progress } = conversation;
  if (progress === '' && !pending.some(({ state }) => state === 'sent')) return [];
  const text = progress || texts.working;
  return [{ key: 'working', look: text, draw: () => ({ node: bubble(text, 'working') }) }];
}

/** Makes the list of these entries. Leaves the elements alone that stay. */
function place(wanted: readonly WantedEntry[]): void {
  const keys = new Set(wanted.map(({ key }) => key));
  for (const [key, { node }] of shown) {
    if (keys.has(key)) continue;
    node.remove();
    shown.delete(key);
  }
  for (const [index, { key, look, draw }] of wanted.entries()) {
    const before = shown.get(key);
    const entry = before?.look === look ? before : { ...draw(), look };
    shown.set(key, entry);
    if (before !== undefined && before !== entry) {
      if (before.node.contains(root.activeElement)) parkFocus();
      before.node.replaceWith(entry.node);
    }
    const there = list.children[index];
    if (there !== entry.node) list.insertBefore(entry.node, there ?? null);
  }
}

/** A message that is not there yet, and why. */
function outgoing(message: PendingMessage): HTMLElement {
  const node = bubble(message.label, 'mine');
  if (message.state === 'sending') node.append(el('p', { class: 'note' }, texts.sending));
  if (message.state === 'failed') {
    const link = (text: string, onclick: () => void) => el('button', { type: 'button', class: 'link', onclick }, text);
    const retry = !message.final && link(texts.retry, () => sendAgain(message));
    const remove = link(texts.remove, () => giveUp(message));
    node.append(el('p', { class: 'note bad' }, `${texts.notSent} `, words(message.problem ?? ''), ' ', retry, remove));
  }
  return node;
}

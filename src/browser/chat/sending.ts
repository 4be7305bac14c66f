/**
 * Sends what the visitor says: with the same id until it is acknowledged, one message at a time, from one tab at a time.
 */
import { Backoff, newId, now } from '../machine.js';
import { changed } from './conversation.js';
import { type PendingMessage, pendingMessages, removePending, savePending, updatePending } from './outbox.js';
import { scrollToEnd } from './panel.js';
import { problemIn } from './readers.js';
import { texts } from './settings.js';
import { alone, storageOwner } from './storage.js';
import { call } from './visitor.js';
import type { PostedMessageBody, PostedReply } from './wire.js';

/** Puts a message into the outbox and sends it. `label` is how it is shown; `secret` keeps it out of the browser's storage. */
export function send(body: PostedReply, { label, secret }: Pick<PendingMessage, 'label' | 'secret'>): void {
  const message: PendingMessage = { id: newId(), body, at: now(), state: 'sending', label, ...(secret && { secret }) };
  savePending([...pendingMessages(), message]);
  changed();
  scrollToEnd();
  void flush();
}

export function sendAgain({ id }: PendingMessage): void {
  change(id, { state: 'sending', at: now() });
  void flush();
}

export function giveUp({ id }: PendingMessage): void {
  removePending(new Set([id]));
  changed();
}

function change(id: string, fields: Partial<PendingMessage>): void {
  updatePending(id, fields);
  changed();
}

let isFlushing = false;

/** Sends the outbox. Does nothing until the visitor is signed in. */
export async function flush(): Promise<void> {
  if (isFlushing || storageOwner() === undefined) return;
  isFlushing = true;
  await alone('send', sendAll);
  isFlushing = false;
}

async function sendAll(): Promise<void> {
  const backoff = new Backoff(500);
  for (;;) {
    const next = pendingMessages().find(({ state }) => state === 'sending');
    if (next === undefined) return;
    const result = await resultOf(next).catch(() => undefined);
    if (result !== undefined) change(next.id, result);
    if (result?.state === 'sent') backoff.reset();
    if (result === undefined) await backoff.wait();
  }
}

/** Posts a message. Returns what became of it, or undefined if it must be tried again. */
async function resultOf(message: PendingMessage): Promise<Pick<PendingMessage, 'state' | 'problem'> | undefined> {
  const response = await call('messages', { body: bodyOf(message) });
  const { status } = response;
  if (status === 202) return { state: 'sent' };
  if (status < 400 || status >= 500 || status === 429) return undefined;
  const problem = problemIn(await response.json());
  return { state: 'failed', problem: status === 401 ? texts.signedOut : problem };
}

/** With the age of what was typed: what was typed without a connection does not answer what was asked since. */
function bodyOf({ id, body, at }: PendingMessage): PostedMessageBody {
  const age = at === undefined || body.askId !== undefined ? {} : { age: Math.max(0, now() - at) };
  return { id, ...body, ...age };
}

/**
 * Who the visitor is, and requests in their name. All tabs of a browser are one visitor. Nothing of one visitor reaches another.
 */
import { newId } from '../machine.js';
import { changed, forgetConversation } from './conversation.js';
import { forgetSecrets, type PendingMessage, pendingMessages, savePending } from './outbox.js';
import { input } from './panel.js';
import { HttpError, namedBy, visitorIn } from './readers.js';
import { base, conversationName, option, report, texts } from './settings.js';
import { changeOwner, keep, keepToken, keptToken, locked, storageOwner, tokenKey } from './storage.js';

/** The token in use. */
let token = '';

/** The page does not say who the visitor is: the channel issues a token for this browser. */
const isAnonymous = () => option('visitor') === undefined;

/** Gets a token and the visitor that it names. `refused` is a token that the server did not accept. */
export async function signIn(refused?: string): Promise<void> {
  const next = await tokenInsteadOf(refused);
  const { tenant, id } = namedBy(next);
  const owner = JSON.stringify([tenant, id, conversationName]);
  const isAnother = storageOwner() !== undefined && storageOwner() !== owner;
  const unsent = isAnother ? leaveOutbox() : [];
  token = next;
  changeOwner(owner);
  if (isAnother) beginAnew(unsent);
}

async function tokenInsteadOf(refused: string | undefined): Promise<string> {
  const given = option('visitor');
  if (given === undefined) return locked(tokenKey, () => issuedToken(refused)); // the lock spares other tabs a request
  return typeof given === 'function' ? given(refused !== undefined) : given;
}

/** Returns the token that this browser keeps, or a new one. */
async function issuedToken(refused: string | undefined): Promise<string> {
  const mirrored = keptToken();
  const token = await keepToken(refused, mirrored === refused ? undefined : mirrored);
  if (token !== undefined) return token;
  const response = await fetch(new URL('visitors', base), {
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ locale: navigator.language }),
  });
  if (!response.ok) throw new HttpError(response);
  const issued = visitorIn(await response.json());
  return (await keepToken(refused, issued)) ?? issued;
}

// --- another visitor ---

/** Returns what the visitor until now could not send. An anonymous one never comes back: nothing of theirs stays in the browser. */
function leaveOutbox(): readonly PendingMessage[] {
  const unsent = pendingMessages().filter(({ state }) => state !== 'sent');
  forgetSecrets();
  if (isAnonymous()) keep('outbox', null);
  return unsent;
}

/** Shows nothing of the visitor until now. What an anonymous one could not send is shown as not sent: it is the same person. */
function beginAnew(unsent: readonly PendingMessage[]): void {
  forgetConversation();
  if (isAnonymous()) savePending([...pendingMessages(), ...unsent.map(asLost)]);
  else input.value = '';
  changed();
}

/** Answers cannot be sent again: their questions were put to another visitor. */
function asLost({ label, secret, body }: PendingMessage): PendingMessage {
  const again = secret || body.askId !== undefined ? { body: {}, final: true } : { body };
  return { id: newId(), label, ...again, state: 'failed', problem: texts.anew };
}

// --- requests ---

interface ChatRequest {
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** The body of a `POST`. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** Requests a route of the channel. A token that was refused is replaced once. */
export async function call(path: string, { query, body, signal }: ChatRequest = {}): Promise<Response> {
  const caller = storageOwner();
  const url = new URL(path, base);
  for (const [name, value] of Object.entries({ conversation: conversationName, ...query }))
    if (value) url.searchParams.set(name, value);
  for (let tries = 0; ; tries += 1) {
    const used = token;
    const response = await fetch(url, {
      credentials: 'omit',
      cache: 'no-store',
      signal: signal ?? null,
      headers: { authorization: `Bearer ${used}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const renewed = response.headers.get('askback-visitor');
    if (renewed !== null && used === token && isAnonymous()) {
      token = renewed;
      await keepToken(used, renewed);
    }
    if (response.status !== 401) return response;
    if (tries > 0) {
      report(await response.clone().text());
      return response;
    }
    if (used === token) await signIn(used);
    if (caller !== storageOwner()) throw new Error('Another visitor'); // what was to be sent or read is not theirs
  }
}

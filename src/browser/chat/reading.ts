/**
 * Reads the conversation: what happened until now, then a stream. One tab reads the stream and passes on what it reads to the others.
 */
import { after, Backoff } from '../machine.js';
import { addBatch, type ConnectionState, changed, conversation, forgetConversation } from './conversation.js';
import { markNews } from './panel.js';
import { batchOf, eventIn, HttpError, progressIn, retryIn } from './readers.js';
import { conversationName } from './settings.js';
import { alone, home, ownPrefix } from './storage.js';
import { call, signIn } from './visitor.js';
import type { ChatBatch } from './wire.js';

/** A stream that was silent for longer is given up: the server sends something every 15 s. */
const longestSilence = 40_000;

let isStarted = false;
/** This tab reads the stream. */
let isReader = false;
/** For how long the server wants this page to stay away, in ms. */
let pause = 0;

/**
 * Signs in, shows what happened until now, and goes on reading. `ready` is called once the visitor is known and the conversation is shown.
 * A repeat does nothing.
 */
export async function startReading(ready: () => void): Promise<void> {
  if (isStarted) return;
  isStarted = true;
  const backoff = new Backoff(500);
  for (;;) {
    try {
      await signIn();
      await catchUp();
      break;
    } catch (error) {
      const refusal = error instanceof HttpError ? refusalFor(error.status) : undefined;
      if (refusal !== undefined) return setConnection(refusal);
      conversation.connection = 'reconnecting'; // of this tab alone
      changed();
      await backoff.wait();
    }
  }
  ready();
  tell({ hello: true });
  conversation.connection = 'live';
  changed();
  await alone('stream', () => {
    isReader = true;
    return readStreams();
  });
}

/** Returns why this visitor cannot read, if trying again does not help. */
function refusalFor(status: number): ConnectionState | undefined {
  if (status === 401) return 'signedOut';
  return [400, 403, 404].includes(status) ? 'refused' : undefined;
}

/** The server refuses a cursor of another conversation, or of an erased conversation. */
const isCursorRefused = ({ status }: Response): boolean => status === 400 && conversation.cursor !== undefined;

function setConnection(live: ConnectionState): void {
  conversation.connection = live;
  tell({ live });
  changed();
}

function take(batch: ChatBatch): void {
  addBatch(batch);
  if (batch.items.some(({ type }) => type === 'out')) markNews();
  changed();
}

async function catchUp(): Promise<void> {
  for (;;) {
    const response = await call('messages', { query: { after: conversation.cursor } });
    if (isCursorRefused(response)) {
      forgetConversation();
      continue;
    }
    if (!response.ok) throw new HttpError(response);
    const batch = batchOf(await response.json());
    if (batch.items.length === 0 && !batch.gap) {
      conversation.cursor = batch.cursor;
      return;
    }
    take(batch);
  }
}

// --- the stream ---

/** Reads one stream after the other, until the server refuses this visitor. */
async function readStreams(): Promise<void> {
  const backoff = new Backoff(300);
  for (;;) {
    pause = 0;
    const end = await readStream(backoff).catch((): ConnectionState => 'reconnecting');
    if (end === 'at-once') continue;
    if (end !== undefined) setConnection(end);
    if (end === 'refused' || end === 'signedOut') return;
    if (pause > 0) setConnection('paused');
    await Promise.race([backoff.wait(pause), backOnline()]);
  }
}

function backOnline(): Promise<Event> {
  return new Promise((resolve) => addEventListener('online', resolve, { once: true }));
}

/**
 * Reads a stream to its end. Rejects if it breaks. Returns the state of the connection if that is another one then; `at-once` if the next
 * one needs no wait.
 */
async function readStream(backoff: Backoff): Promise<ConnectionState | 'at-once' | undefined> {
  const silence = new AbortController();
  const response = await call('stream', { query: { after: conversation.cursor }, signal: silence.signal });
  if (isCursorRefused(response)) {
    forgetConversation();
    return 'at-once';
  }
  const refusal = refusalFor(response.status);
  if (refusal !== undefined) return refusal;
  if (!response.ok || response.body === null) throw new HttpError(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let watchdog = 0;
  setConnection('live');
  try {
    for (;;) {
      clearTimeout(watchdog);
      watchdog = after(longestSilence, () => silence.abort());
      const { done, value } = await reader.read();
      if (done) return undefined;
      backoff.reset();
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) takeEvent(block);
    }
  } finally {
    clearTimeout(watchdog);
  }
}

function takeEvent(block: string): void {
  const event = eventIn(block);
  if (event === undefined) return;
  const { name, data } = event;
  if (name === 'bye') {
    pause = retryIn(data);
  } else if (name === 'progress') {
    const progress = progressIn(data);
    conversation.progress = progress;
    tell({ progress });
    changed();
  } else {
    const batch = batchOf(data);
    const { cursor } = conversation;
    take(batch);
    tell({ batch, after: cursor });
  }
}

// --- the other tabs ---

/** What the tab that reads the stream tells the others, and `hello` of a new one. Tabs with an older script are open, too. */
interface TabMessage {
  readonly batch?: ChatBatch;
  /** The cursor before the batch. */
  readonly after?: string | undefined;
  readonly live?: ConnectionState;
  readonly progress?: string;
  readonly hello?: true;
}

const tabs = 'BroadcastChannel' in window ? new BroadcastChannel(`${home}${conversationName}`) : undefined;

function tell(message: TabMessage): void {
  tabs?.postMessage({ ...message, who: ownPrefix() });
}

/** Takes what other tabs of this visitor read. */
export function listenToTabs(): void {
  tabs?.addEventListener('message', ({ data }: MessageEvent<TabMessage & { readonly who: string }>) => {
    const { who, batch, after: before, live, progress, hello } = data;
    if (who !== ownPrefix()) return;
    if (batch !== undefined) {
      if (before === conversation.cursor && !batch.gap) take(batch);
      else catchUp().catch(() => {}); // the next batch tries again
    }
    if (live !== undefined) conversation.connection = live;
    if (progress !== undefined) conversation.progress = progress;
    if (hello && isReader) tell({ live: conversation.connection });
    changed();
  });
}

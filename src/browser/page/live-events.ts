/**
 * Receives live events over one connection for all tabs of a browser, because over HTTP/1.1 a browser has six for a host. The tab that has
 * the lock is connected and passes on what it receives; when it is closed, another tab goes on from the same cursor. It shows nothing.
 */
import { after, random } from '../machine.js';

const eventTypes = ['ask', 'gone', 'reset'] as const;
type LiveEventType = (typeof eventTypes)[number];

type LiveState = 'live' | 'reconnecting' | 'signed-out';

interface LiveListener {
  /** The address of the stream. */
  readonly url: string;
  /** Tells people apart who share a browser: tabs with the same key share a connection. */
  readonly key: string | undefined;
  /** The cursor with which the page was written. */
  readonly after: string | undefined;
  /** Called for each event. `reset` means that events may be missing. */
  received(type: LiveEventType, data: unknown): void;
  /** Called when the state of the connection changes. */
  changed(state: LiveState): void;
}

/** What the connected tab received, as it passes it on to the others. */
interface Received {
  readonly type?: LiveEventType;
  readonly data?: unknown;
  /** The cursor behind this event. */
  readonly id?: string;
  /** The state of the connection. */
  readonly now?: LiveState | undefined;
}

/** The cursor of the connected tab, which it says to a new one. */
interface Here {
  readonly here: string;
  readonly now: LiveState | undefined;
}

/** What tabs post to each other. Tabs with an older script are open, too: the form of these messages stays. */
type TabMessage = Received | Here | { readonly hello: true };

/** Opens the connection of this tab, or shares the one of another tab, until the page is left. */
export function openLive({ url, key, after: cursorOfPage, received, changed }: LiveListener): void {
  const name = `askback-live:${url}:${key}`;
  const tabs = 'BroadcastChannel' in window && 'locks' in navigator ? new BroadcastChannel(name) : undefined;
  let cursor = cursorOfPage;
  let state: LiveState | undefined;
  let source: EventSource | undefined;
  let release: () => void = () => {};
  let timer = 0;
  let failures = 0;
  let isOver = false;

  const post = (message: TabMessage) => tabs?.postMessage(message);

  function take(news: Received): void {
    if (isOver) return;
    if (news.id) cursor = news.id;
    if (news.type !== undefined) received(news.type, news.data);
    if (!news.now || news.now === state) return;
    state = news.now;
    changed(state);
  }

  function pass(news: Received): void {
    take(news);
    post(news);
  }

  function connect(): void {
    clearTimeout(timer);
    source?.close();
    const opened = new EventSource(url + (cursor ? `?after=${encodeURIComponent(cursor)}` : ''));
    source = opened;
    opened.onopen = () => {
      failures = 0;
      pass({ now: 'live' });
    };
    for (const type of eventTypes)
      opened.addEventListener(type, ({ data, lastEventId }) => pass({ type, data: JSON.parse(data), id: lastEventId }));
    opened.addEventListener('signed-out', () => {
      pass({ now: 'signed-out' });
      leave();
      isOver = true;
    });
    opened.onerror = () => {
      if (isOver) return;
      pass({ now: 'reconnecting' });
      if (opened.readyState !== EventSource.CLOSED) return; // the browser itself connects again
      failures += 1;
      timer = after(Math.min(60, 2 ** failures) * (500 + 500 * random()), connect);
    };
  }

  /** Is connected until it is released. */
  function lead(): Promise<void> {
    connect();
    return new Promise((resolve) => {
      release = resolve;
    });
  }

  /** Connects, or waits until the tab that is connected is closed. */
  function enter(): void {
    const waiting = new AbortController();
    release = () => waiting.abort();
    if (tabs === undefined) {
      void lead();
      return;
    }
    navigator.locks.request(name, { signal: waiting.signal }, lead).catch(() => {}); // aborted by leave()
    post({ hello: true });
  }

  function leave(): void {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    release();
  }

  function takeFromTab(message: TabMessage): void {
    if ('hello' in message) {
      if (source !== undefined) post({ here: cursor ?? '', now: state });
    } else if ('here' in message) {
      take({ now: message.now });
      // this page was written at another time than the connected tab has got to
      if (message.here !== (cursor ?? '')) take({ type: 'reset', data: {}, id: message.here });
    } else take(message);
  }

  if (tabs !== undefined) tabs.onmessage = ({ data }) => takeFromTab(data);
  addEventListener('online', () => {
    if (source !== undefined) connect();
  });
  addEventListener('pagehide', leave);
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted || isOver) return;
    enter();
    take({ type: 'reset', data: {} });
  });
  enter();
}

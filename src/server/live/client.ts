/**
 * The part of the page's script that hears live events, as text: one connection for all tabs of a browser, because over HTTP/1.1 a
 * browser has six for a host. The tab that has the lock is connected and passes on what it hears; when it is closed, another one goes
 * on from where that was. It draws nothing.
 *
 * `openLive({ url, key, after, heard, state })`: `key` tells people apart, `after` is the cursor that the page was drawn with.
 * `heard(type, data)` is called with 'ask', 'gone' or 'reset', `state(name)` with 'live', 'reconnecting' or 'signed-out'.
 */
export const liveClient = `
function openLive({ url, key, after, heard, state }) {
  const name = 'askback-live:' + url + ':' + key;
  const tabs = window.BroadcastChannel && navigator.locks ? new BroadcastChannel(name) : null;
  let last = after, now = '', source, release, timer = 0, failures = 0, over = false;
  function take(message) {
    if (over) return;
    if (message.id) last = message.id;
    if (message.type) heard(message.type, message.data);
    if (message.now && message.now !== now) state(now = message.now);
  }
  function tell(message) { take(message); tabs?.postMessage(message); }
  function connect() {
    clearTimeout(timer);
    source?.close();
    source = new EventSource(url + (last ? '?after=' + encodeURIComponent(last) : ''));
    source.onopen = () => { failures = 0; tell({ now: 'live' }); };
    for (const type of ['ask', 'gone', 'reset'])
      source.addEventListener(type, ({ data, lastEventId }) => tell({ type, data: JSON.parse(data), id: lastEventId }));
    source.addEventListener('signed-out', () => { tell({ now: 'signed-out' }); leave(); over = true; });
    source.onerror = () => {
      if (over) return;
      tell({ now: 'reconnecting' });
      if (source.readyState !== EventSource.CLOSED) return; // else the browser comes back by itself
      failures += 1;
      timer = setTimeout(connect, Math.min(60, 2 ** failures) * (500 + 500 * Math.random()));
    };
  }
  function lead() {
    connect();
    return new Promise((resolve) => { release = resolve; });
  }
  function enter() {
    const waiting = new AbortController();
    release = () => waiting.abort();
    if (!tabs) return lead();
    navigator.locks.request(name, { signal: waiting.signal }, lead).catch(() => {});
    tabs.postMessage({ hello: true });
  }
  function leave() {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    release?.();
  }
  if (tabs) tabs.onmessage = ({ data }) => {
    if (data.hello) { if (source) tabs.postMessage({ here: last ?? '', now }); }
    else if (!('here' in data)) take(data);
    else {
      take({ now: data.now });
      // this tab was drawn at another time than the connected one has got to
      if (data.here !== (last ?? '')) take({ type: 'reset', data: {}, id: data.here });
    }
  };
  addEventListener('online', () => { if (source) connect(); });
  addEventListener('pagehide', leave);
  addEventListener('pageshow', ({ persisted }) => { if (persisted && !over) { enter(); take({ type: 'reset', data: {} }); } });
  enter();
}
`;

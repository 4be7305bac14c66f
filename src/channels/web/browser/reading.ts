/**
 * Part of the script of the web chat, for browsers. What happened in the conversation, in order. One tab reads the stream and tells the others.
 */
export const chatReading = String.raw`
let items = [];
let cursor;
let live = 'connecting';
let progress = '';
const bus = typeof BroadcastChannel === 'function' ? new BroadcastChannel('askback ' + base.href + ' ' + conversation) : null;
const tell = (message) => { if (bus) bus.postMessage({ ...message, who: prefix }); };

function apply(batch) {
  if (batch.gap) items = [];
  const known = new Set(items.map(keyOf));
  for (const item of batch.items) if (!known.has(keyOf(item))) items.push(item);
  const decided = new Set(items.filter((item) => item.type === 'decided').map((item) => item.askId));
  const isOpen = (item) => item.ask && item.ask.status === 'pending' && !decided.has(item.ask.id);
  items = items.filter((item, index) => index >= items.length - 500 || isOpen(item));
  cursor = batch.cursor;
  progress = '';
  const came = new Set(batch.items.filter((item) => item.type === 'in').map((item) => item.id));
  if (came.size > 0) saveOutbox(loadOutbox().filter((message) => !came.has(message.id)));
  if (batch.items.some((item) => item.type === 'out')) noticed();
  render();
}
const keyOf = (item) => item.type + ' ' + (item.key || item.id || item.askId);

async function catchUp() {
  for (;;) {
    const response = await call('messages', { after: cursor });
    if (response.status === 400 && cursor) { cursor = undefined; items = []; continue; }
    if (!response.ok) throw Object.assign(new Error(), { status: response.status });
    const batch = await response.json();
    if (batch.items.length > 0 || batch.gap) apply(batch);
    else { cursor = batch.cursor; return; }
  }
}

function setLive(state) {
  live = state;
  tell({ live });
  render();
}

let pause = 0; // how long the server wants this page to stay away
async function readStream() {
  let wait = 300;
  for (;;) {
    pause = 0;
    const leave = new AbortController();
    let watchdog;
    try {
      const response = await call('stream', { after: cursor }, { signal: leave.signal });
      if (response.status === 400 && cursor) { cursor = undefined; items = []; continue; }
      if ([400, 403, 404].includes(response.status)) return setLive('refused');
      if (response.status === 401) return setLive('signedOut');
      if (!response.ok) throw new Error();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      setLive('live');
      for (;;) {
        clearTimeout(watchdog);
        watchdog = setTimeout(() => leave.abort(), 40000); // a sign of life comes every 15 s
        const { done, value } = await reader.read();
        if (done) break;
        wait = 300;
        const events = (rest + value).split('\n\n');
        rest = events.pop();
        for (const event of events) streamed(event);
      }
    } catch {
      setLive('reconnecting');
    }
    clearTimeout(watchdog);
    if (pause > 0) setLive('paused');
    await Promise.race([sleep(Math.max(wait, pause) * (0.5 + Math.random())), new Promise((resolve) => addEventListener('online', resolve, { once: true }))]);
    wait = Math.min(wait * 2, 15000);
  }
}

function streamed(event) {
  const data = /^data: (.*)$/m.exec(event);
  if (!data) return;
  const message = JSON.parse(data[1]);
  if (/^event: bye$/m.test(event)) {
    pause = message.retry;
    return;
  }
  if (/^event: progress$/m.test(event)) {
    progress = message.text;
    tell({ progress });
    return render();
  }
  const after = cursor;
  apply(message);
  tell({ batch: message, after });
}

if (bus) bus.onmessage = ({ data }) => {
  if (data.who !== prefix) return;
  if (data.batch) {
    if (data.after === cursor && !data.batch.gap) apply(data.batch);
    else catchUp().catch(() => {});
  }
  if (data.live) live = data.live;
  if (data.progress !== undefined) progress = data.progress;
  if (data.hello && isReader) tell({ live });
  render();
};

let isReader = false;
const alone = (name, work) => locked(prefix + name, work);

let started = false;
async function start() {
  if (started) return;
  started = true;
  for (let wait = 500; ; wait = Math.min(wait * 2, 15000)) {
    try {
      await signIn();
      await catchUp();
      break;
    } catch (error) {
      if ([400, 403, 404].includes(error.status)) return setLive('refused');
      if (error.status === 401) return setLive('signedOut');
      live = 'reconnecting';
      render();
      await sleep(wait * (0.5 + Math.random()));
    }
  }
  draft();
  flush();
  tell({ hello: true });
  if (live !== 'live') live = 'live';
  render();
  alone('stream', () => { isReader = true; return readStream(); });
}
`;

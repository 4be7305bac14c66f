/**
 * Part of the script of the web chat, for browsers. What the visitor sends: kept until the conversation has it, sent again with the same id until it is acknowledged.
 */
export const chatSending = `
let secrets = []; // not kept in the browser: answers to sensitive questions, and what is written before it is known by whom
const loadOutbox = () => [...(storage.get('outbox') || []), ...secrets];
function saveOutbox(list) {
  const isKept = (message) => who !== undefined && !message.secret;
  secrets = list.filter((message) => !isKept(message));
  const plain = list.filter(isKept);
  storage.set('outbox', plain.length > 0 ? plain : null);
}
const change = (id, fields) => {
  saveOutbox(loadOutbox().map((message) => (message.id === id ? { ...message, ...fields } : message)));
  render();
};

function send(body, more) {
  saveOutbox([...loadOutbox(), { id: newId(), body, at: Date.now(), state: 'sending', ...more }]);
  render();
  log.scrollTop = log.scrollHeight;
  flush();
}

// What was typed while nobody could be reached answers nothing that is asked before it is sent.
const ageOf = ({ at, body }) => (at && !body.askId ? { age: Math.max(0, Date.now() - at) } : {});

let flushing = false;
async function flush() {
  if (flushing || who === undefined) return; // start() comes back to it
  flushing = true;
  await alone('send', async () => {
    for (let wait = 500; ; ) {
      const next = loadOutbox().find((message) => message.state === 'sending');
      if (!next) return;
      try {
        const response = await call('messages', {}, {
          method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id: next.id, ...next.body, ...ageOf(next) }),
        });
        if (response.status === 202) { change(next.id, { state: 'sent' }); wait = 500; continue; }
        if (response.status >= 400 && response.status < 500 && response.status !== 429) {
          const { error } = await response.json();
          change(next.id, { state: 'failed', problem: response.status === 401 ? texts.signedOut : error.message });
          continue;
        }
      } catch { /* not reached: again below */ }
      await sleep(wait * (0.5 + Math.random()));
      wait = Math.min(wait * 2, 15000);
    }
  });
  flushing = false;
}
addEventListener('storage', ({ key }) => { if (key === prefix + 'outbox') render(); });
`;

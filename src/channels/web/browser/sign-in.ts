/**
 * Part of the script of the web chat, for browsers. Who the visitor is, and what the browser keeps: of several tabs, all are one visitor. Nothing of one visitor reaches another.
 */
export const chatSignIn = `
let visitor;
let prefix = 'askback ' + base.href + ' ';
const unkept = new Map(); // in a browser that keeps nothing, or whose storage is full: the chat works until the page is left
const storage = {
  get(name) { try { return JSON.parse(unkept.get(prefix + name) ?? localStorage.getItem(prefix + name)); } catch { return null; } },
  set(name, value) {
    const key = prefix + name;
    const text = JSON.stringify(value);
    unkept.delete(key);
    try {
      if (value === null || value === '') localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch { unkept.set(key, text); }
  },
};
const issuedKey = prefix + 'visitor';

// The visitor that this browser keeps, unless it was refused; else the given one, which is kept from now on. Of several tabs the first
// one wins: a transaction of IndexedDB sees what every other tab has written, localStorage may show it late.
function compareAndKeep(refused, made) {
  return new Promise((resolve, reject) => {
    setTimeout(reject, 2000); // a browser whose database does not open
    const opening = indexedDB.open('askback', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('visitors');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction('visitors', 'readwrite');
      const visitors = transaction.objectStore('visitors');
      const reading = visitors.get(issuedKey);
      let kept;
      reading.onsuccess = () => {
        kept = reading.result;
        if (kept && kept !== refused) return;
        kept = made;
        if (made) visitors.put(made, issuedKey);
      };
      transaction.oncomplete = () => { database.close(); resolve(kept); };
      transaction.onabort = () => { database.close(); reject(); };
    };
  });
}
async function keepIssued(refused, made) {
  const kept = await compareAndKeep(refused, made).catch(() => made); // no database: one tab alone is still one visitor
  try { if (kept) localStorage.setItem(issuedKey, kept); } catch { /* as above */ }
  return kept;
}

// An anonymous visitor: the one that this browser keeps, or a new one. The lock only spares the other tabs a request.
async function issued(refused) {
  let mirrored;
  try { mirrored = localStorage.getItem(issuedKey); } catch { /* as above */ }
  const kept = await keepIssued(refused, mirrored && mirrored !== refused ? mirrored : undefined);
  if (kept) return kept;
  const response = await fetch(new URL('visitors', base), {
    method: 'POST', credentials: 'omit', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ locale: navigator.language }),
  });
  if (!response.ok) throw Object.assign(new Error(), { status: response.status });
  return keepIssued(refused, (await response.json()).visitor);
}

let who; // the visitor without the signature and the time: another token may be of the same one
async function signIn(refused) {
  const given = option('visitor');
  const token = given === undefined ? await locked(issuedKey, () => issued(refused)) : typeof given === 'function' ? await given(refused !== undefined) : given;
  const payload = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(token.split('.')[0].replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))));
  const next = JSON.stringify([payload.tenant, payload.id, conversation]);
  const before = who === undefined || who === next ? undefined : loadOutbox();
  const kept = prefix;
  visitor = token;
  who = next;
  prefix = 'askback ' + base.href + ' ' + who + ' '; // what is kept belongs to this visitor only
  if (before) becomeAnother(before, kept, given === undefined);
}

// Nothing of one visitor is shown to another, or sent as another. What an anonymous one could not send any more is shown as not sent.
function becomeAnother(unsent, kept, isAnonymous) {
  items = [];
  cursor = undefined;
  progress = '';
  secrets = [];
  if (isAnonymous) {
    unkept.delete(kept + 'outbox');
    try { localStorage.removeItem(kept + 'outbox'); } catch { /* as above */ }
    const lost = unsent.filter((message) => message.state !== 'sent').map((message) => {
      const again = message.secret || message.body.askId ? { body: {}, final: true } : { body: message.body };
      return { id: newId(), label: message.label, ...again, state: 'failed', problem: texts.anew };
    });
    saveOutbox([...loadOutbox(), ...lost]);
  } else input.value = '';
  render();
}

async function call(path, query, init) {
  const caller = who;
  for (let tries = 0; ; tries += 1) {
    const used = visitor;
    const url = new URL(path, base);
    for (const [name, value] of Object.entries({ conversation, ...query })) if (value) url.searchParams.set(name, value);
    const response = await fetch(url, {
      credentials: 'omit', cache: 'no-store', ...init,
      headers: { ...(init || {}).headers, authorization: 'Bearer ' + used },
    });
    const renewed = response.headers.get('askback-visitor');
    if (renewed && used === visitor && option('visitor') === undefined) {
      visitor = renewed;
      await keepIssued(used, renewed);
    }
    if (response.status !== 401) return response;
    if (tries > 0) {
      report(await response.clone().text());
      return response;
    }
    if (used === visitor) await signIn(used);
    if (caller !== who) throw new Error('another visitor'); // what was to be sent or read is not theirs
  }
}
`;

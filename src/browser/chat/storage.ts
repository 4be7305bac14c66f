/**
 * What the browser keeps of the chat, and the locks by which several tabs take turns. All that is kept belongs to one visitor; nothing of
 * one visitor is found by another.
 */
import { after } from '../machine.js';
import { base } from './settings.js';

/** Begins every name of this chat in the browser. */
export const home = `askback ${base.href} `;

/** Where the token of an anonymous visitor is kept. */
export const tokenKey = `${home}visitor`;

let owner: string | undefined;
let prefix = home;
/** What could not be kept, because storage is switched off or full: the chat works until the page is left. */
const unkept = new Map<string, string>();

/** The visitor who owns the stored data; undefined until the visitor is signed in. */
export const storageOwner = (): string | undefined => owner;

/** Begins the names of what this visitor has in the browser. */
export const ownPrefix = (): string => prefix;

/** Changes the visitor whose values are read and kept. */
export function changeOwner(next: string): void {
  owner = next;
  prefix = `${home}${next} `;
}

/** Returns what was kept, whatever it is, or null. */
export function kept(name: string): unknown {
  try {
    return JSON.parse(unkept.get(prefix + name) ?? localStorage.getItem(prefix + name) ?? 'null');
  } catch {
    return null;
  }
}

/** Keeps a value. Null and an empty text remove what was kept. */
export function keep(name: string, value: unknown): void {
  const key = prefix + name;
  const text = JSON.stringify(value);
  unkept.delete(key);
  try {
    if (value === null || value === '') localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    unkept.set(key, text);
  }
}

/** Calls back when another tab has changed what is kept under this name. */
export function onKept(name: string, listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === prefix + name) listener();
  });
}

// --- the token of an anonymous visitor ---

export function keptToken(): string | undefined {
  try {
    return localStorage.getItem(tokenKey) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the token that this browser keeps, unless it is the refused one; else keeps the given one. Of several tabs the first one wins: a
 * transaction of IndexedDB sees what every other tab has written, localStorage may show it late.
 */
export async function keepToken(refused: string | undefined, made: string | undefined): Promise<string | undefined> {
  const token = await compareAndKeep(refused, made).catch(() => made); // no database: one tab alone is still one visitor
  try {
    if (token !== undefined) localStorage.setItem(tokenKey, token);
  } catch {
    // the database has it, or this page alone
  }
  return token;
}

function compareAndKeep(refused: string | undefined, made: string | undefined): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    after(2000, () => reject(new Error('The database does not open')));
    const opening = indexedDB.open('askback', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('visitors');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction('visitors', 'readwrite');
      const visitors = transaction.objectStore('visitors');
      const reading: IDBRequest<unknown> = visitors.get(tokenKey);
      let token = made;
      reading.onsuccess = () => {
        const { result } = reading;
        if (typeof result === 'string' && result !== refused) token = result;
        else if (made !== undefined) visitors.put(made, tokenKey);
      };
      transaction.oncomplete = () => {
        database.close();
        resolve(token);
      };
      transaction.onabort = () => {
        database.close();
        reject(transaction.error);
      };
    };
  });
}

// --- taking turns ---

/** Does the work while no other tab with this lock does. A browser without locks does it at once. */
export function locked<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? navigator.locks.request(name, work) : work();
}

/** Does the work in one tab of this visitor at a time. */
export const alone = (name: string, work: () => Promise<void>): Promise<void> => locked(prefix + name, work);

/**
 * Listening to an AbortSignal that a caller has given. It aborts nothing.
 */

type AbortListener = (reason: unknown) => void;

interface Heard {
  readonly listeners: Set<AbortListener>;
  /** The event listener. */
  readonly tell: () => void;
}

const nothingHeard = (): void => {};

const heard = new WeakMap<AbortSignal, Heard>();

/**
 * Calls `listener` with the reason when one of the signals aborts; not for a signal that has aborted before. Returns a function that stops
 * listening. A signal has one event listener for all calls together: Node warns of more than ten, and many waits may share a signal.
 */
export function onAbort(listener: AbortListener, ...signals: readonly (AbortSignal | undefined)[]): () => void {
  const given = signals.filter((signal) => signal !== undefined);
  if (given.length === 0) return nothingHeard;
  const own: AbortListener = (reason) => listener(reason); // the same function may be given twice
  for (const signal of given) heardOf(signal).listeners.add(own);
  return () => {
    for (const signal of given) remove(signal, own);
  };
}

function heardOf(signal: AbortSignal): Heard {
  const known = heard.get(signal);
  if (known !== undefined) return known;
  const listeners = new Set<AbortListener>();
  const tell = (): void => {
    for (const each of listeners) each(signal.reason); // one that is removed meanwhile is not called
  };
  const added = { listeners, tell };
  heard.set(signal, added);
  signal.addEventListener('abort', tell, { once: true });
  return added;
}

function remove(signal: AbortSignal, listener: AbortListener): void {
  const known = heard.get(signal);
  if (known?.listeners.delete(listener) !== true || known.listeners.size > 0) return;
  heard.delete(signal);
  signal.removeEventListener('abort', known.tell);
}

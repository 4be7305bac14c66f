/**
 * One notice for the moment when a process has nothing left to do. It never keeps the process alive, and is not given
 * when the process is ended by a signal, an error or process.exit().
 */

let latest: (() => void) | undefined;
let isListening = false;

/**
 * Calls `work` before the process ends by itself, unless the returned function is called first. Only the latest `work`
 * is kept: a process that makes many registries must not keep each of them in memory.
 */
export function beforeExit(work: () => void): () => void {
  latest = work;
  if (!isListening) process.once('beforeExit', () => latest?.());
  isListening = true;
  return () => {
    if (latest === work) latest = undefined;
  };
}

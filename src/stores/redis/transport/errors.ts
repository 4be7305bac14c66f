/**
 * What Redis and its client say when something is wrong, in the library's own words. Never hides what it does not know.
 */
import { AgentError } from '../../../core/errors.js';

const away = /^(LOADING|CLUSTERDOWN|READONLY|MASTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|BUSY|UNBLOCKED|MOVED|ASK)\b/;
const locked = /^(NOAUTH|WRONGPASS|NOPERM)\b/;
const foreign = /^WRONGTYPE\b|Bad data format|Missing bytes in input/;

/** The error to throw for one that a command failed with. */
export function storeError(cause: unknown, address: string): unknown {
  if (cause instanceof AgentError || !(cause instanceof Error)) return cause;
  const said = cause.message;
  if (said.startsWith('OOM')) {
    return new AgentError(
      'store-full',
      `Redis at ${address} is out of memory and takes nothing new. Raise its maxmemory or wait until asks are settled.`,
      { cause },
    );
  }
  if (locked.test(said)) {
    return new AgentError(
      'store-unavailable',
      `Redis at ${address} does not let us in: ${said}. Check user name, password and the user's rights.`,
      { cause },
    );
  }
  if (foreign.test(said)) {
    return new AgentError(
      'bad-record',
      `Redis at ${address} holds something under our keys that is not ours: ${said}. Give the store a prefix of its own.`,
      { cause },
    );
  }
  // a reply is Redis speaking; anything else is the client telling that there was none
  if (cause.name === 'ReplyError' && !away.test(said)) return cause;
  return new AgentError('store-unavailable', `Redis at ${address} did not do it: ${said}. Try again when it is back.`, {
    cause,
  });
}

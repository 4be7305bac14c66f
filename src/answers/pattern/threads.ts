/**
 * Worker threads for patterns that may backtrack for long. Each match is limited in time on its thread, where the pattern
 * runs. A match that runs out of time is an error, never an answer to whether the text fits.
 */
import { Worker } from 'node:worker_threads';
import { AgentError } from '../../core/errors.js';
import { systemClock, yieldToEventLoop } from '../../machine/clock.js';

/** The time of one match, in ms. */
const timeLimit = 250;
/** When a thread that does not answer is given up: it was starved, or its limit did not work. */
const threadLimit = 10_000;
const mostThreads = 4;
/** The most threads that work for one pattern: hostile replies to one question do not delay replies to others. */
const sharePerPattern = 2;

/** `vm` limits the time on this very thread: neither its start nor a busy main thread counts. */
const workerSource = `
const { parentPort } = require('node:worker_threads');
const vm = require('node:vm');
const box = vm.createContext({});
const script = new vm.Script('new RegExp(source, flags).test(text)');
parentPort.on('message', ({ source, flags, text }) => {
  Object.assign(box, { source, flags, text });
  let matched = 'late';
  try {
    matched = script.runInContext(box, { timeout: ${timeLimit} });
  } catch (error) {
    if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') matched = 'failed';
  }
  box.text = '';
  parentPort.postMessage(matched);
});
`;

interface Job {
  readonly source: string;
  readonly flags: string;
  readonly text: string;
  resolve(matched: boolean): void;
  reject(error: AgentError): void;
}

const waiting: Job[] = [];
const idle: Worker[] = [];
/** How many threads work for each pattern now. */
const running = new Map<string, number>();
let threads = 0;

export function matchOnThread(source: string, flags: string, text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    waiting.push({ source, flags, text, resolve, reject });
    startNext();
  });
}

/** Starts the first job whose pattern has a share left, if a thread is free. */
function startNext(): void {
  if (idle.length === 0 && threads >= mostThreads) return;
  const next = waiting.findIndex((job) => (running.get(nameOf(job)) ?? 0) < sharePerPattern);
  const [job] = next === -1 ? [] : waiting.splice(next, 1);
  if (job === undefined) return;
  const worker = idle.pop() ?? newThread();
  running.set(nameOf(job), (running.get(nameOf(job)) ?? 0) + 1);
  worker.ref(); // a caller awaits this match
  let isOver = false;
  const end = (isUsable: boolean): void => {
    isOver = true;
    cancel();
    worker.off('message', answered).off('error', broken);
    const left = (running.get(nameOf(job)) ?? 1) - 1;
    if (left === 0) running.delete(nameOf(job));
    else running.set(nameOf(job), left);
    worker.unref();
    if (isUsable) idle.push(worker);
    else {
      threads -= 1;
      void worker.terminate();
    }
    startNext();
  };
  const fail = (isUsable: boolean): void => {
    end(isUsable);
    job.reject(outOfTime(job));
  };
  // a result that has come while this process was busy is read before the timer counts
  const late = (): void => void yieldToEventLoop().then(() => isOver || fail(false));
  const cancel = systemClock.after(threadLimit, late);
  const answered = (matched: boolean | 'late' | 'failed'): void => {
    if (typeof matched !== 'boolean') fail(true);
    else {
      end(true);
      job.resolve(matched);
    }
  };
  const broken = (): void => fail(false);
  worker.on('message', answered).on('error', broken);
  worker.postMessage({ source: job.source, flags: job.flags, text: job.text });
}

function newThread(): Worker {
  threads += 1;
  return new Worker(workerSource, { eval: true });
}

const nameOf = ({ source, flags }: Job): string => `${flags}/${source}`;

function outOfTime({ source, flags, text }: Job): AgentError {
  return new AgentError(
    'pattern-limit',
    `The pattern /${source.slice(0, 200)}/${flags} did not read a reply of ${text.length} characters within ${timeLimit} ms. Write it without nested or neighbouring repetitions, or limit the reply with maxLength.`,
  );
}

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
/** The most threads that work for one conversation. */
const sharePerConversation = mostThreads / 2;

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
  readonly conversationId: string;
  readonly since: number;
  resolve(matched: boolean): void;
  reject(error: AgentError): void;
}

const waiting: Job[] = [];
const idle: Worker[] = [];
/** How many threads work for each conversation now. */
const running = new Map<string, number>();
/** The time in ms that each conversation and each pattern has used. Forgotten when nobody waits. */
const used = new Map<string, number>();
let threads = 0;

export function matchOnThread(match: Omit<Job, 'since' | 'resolve' | 'reject'>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    waiting.push({ ...match, since: systemClock.elapsed(), resolve, reject });
    startNext();
  });
}

/** Takes the job whose conversation and pattern have used least, among the conversations that have a share left. */
function takeNext(): Job | undefined {
  const now = systemClock.elapsed();
  let least = Number.POSITIVE_INFINITY;
  let next: Job | undefined;
  for (const job of waiting) {
    if ((running.get(job.conversationId) ?? 0) >= sharePerConversation) continue;
    // what has waited counts a little against what was used, so that nobody waits for ever
    const spent = usersOf(job).reduce((ms, user) => ms + (used.get(user) ?? 0), 0);
    const rank = spent - (now - job.since) / 10;
    if (rank >= least) continue;
    least = rank;
    next = job;
  }
  if (next !== undefined) waiting.splice(waiting.indexOf(next), 1);
  return next;
}

/** Starts the next job, if a thread is free. */
function startNext(): void {
  if (idle.length === 0 && threads >= mostThreads) return;
  const job = takeNext();
  if (job === undefined) return;
  const worker = idle.pop() ?? newThread();
  const { conversationId } = job;
  const started = systemClock.elapsed();
  running.set(conversationId, (running.get(conversationId) ?? 0) + 1);
  worker.ref(); // a caller awaits this match
  let isOver = false;
  const end = (isUsable: boolean, matched?: boolean): void => {
    isOver = true;
    cancel();
    worker.off('message', answered).off('error', broken);
    const left = (running.get(conversationId) ?? 1) - 1;
    if (left === 0) running.delete(conversationId);
    else running.set(conversationId, left);
    countUse(job, systemClock.elapsed() - started);
    worker.unref();
    if (isUsable) idle.push(worker);
    else {
      threads -= 1;
      void worker.terminate();
    }
    startNext();
    if (matched === undefined) job.reject(outOfTime(job));
    else job.resolve(matched);
  };
  // a result that has come while this process was busy is read before the timer counts
  const late = (): void => void yieldToEventLoop().then(() => isOver || end(false));
  const cancel = systemClock.after(threadLimit, late);
  const answered = (said: boolean | 'late' | 'failed'): void => end(true, typeof said === 'boolean' ? said : undefined);
  const broken = (): void => end(false);
  worker.on('message', answered).on('error', broken);
  worker.postMessage({ source: job.source, flags: job.flags, text: job.text });
}

function newThread(): Worker {
  threads += 1;
  return new Worker(workerSource, { eval: true });
}

function countUse(job: Job, ms: number): void {
  if (waiting.length === 0) used.clear();
  else for (const user of usersOf(job)) used.set(user, (used.get(user) ?? 0) + ms);
}

/** The names of those whose time the job takes. */
const usersOf = ({ conversationId, source, flags }: Job): readonly string[] => [
  `conversation ${conversationId}`,
  `pattern ${flags}/${source}`,
];

function outOfTime({ source, flags, text }: Job): AgentError {
  return new AgentError(
    'pattern-limit',
    `The pattern /${source.slice(0, 200)}/${flags} did not read a reply of ${text.length} characters within ${timeLimit} ms. Write it without nested or neighbouring repetitions, or limit the reply with maxLength.`,
  );
}

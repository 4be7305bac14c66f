/**
 * BullMQ, two jobs a pair in one queue on Redis, the worker in the same process. The question and its context are the
 * return value of the first job, the answer is that of the second, which finds the first by its id; BullMQ stores both
 * with the job's end, and only then the question is sent. It locks jobs, not conversations; nothing is ever removed.
 */
import { Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { installed } from './installed.mjs';

const context = { note: 'x'.repeat(280) };

export async function open({ url, run }) {
  const options = { connection: new Redis(url, { maxRetriesPerRequest: null }), prefix: run };
  const queue = new Queue('refunds', options);
  const handlers = {
    message: async () => ({ question: 'What is your order number?', context }),
    reply: async ({ id, text }) => {
      const asked = await Job.fromId(queue, `${id}-message`);
      if (asked?.returnvalue?.question === undefined) throw new Error('nothing was asked');
      if (!/^\d{5}$/.test(text)) throw new Error('refused');
      return { answer: text };
    },
  };
  /** What a lane waits for: the end of its job, which for a question is when it is sent. */
  const waiting = new Map();
  // 32 was the fastest of 4 to 1 024: with more jobs waiting than running, the end of one hands over the next
  const worker = new Worker('refunds', (job) => handlers[job.name](job.data), { ...options, concurrency: 32 });
  worker.on('completed', (job, result) => waiting.get(job.id)?.resolve(result));
  worker.on('failed', (job, error) => waiting.get(job?.id)?.reject(error));
  worker.on('error', () => {});
  await worker.waitUntilReady();

  const done = async (name, id, text) => {
    const jobId = `${id}-${name}`;
    const ended = new Promise((resolve, reject) => waiting.set(jobId, { resolve, reject }));
    await queue.add(name, { id, text }, { jobId });
    const result = await ended;
    waiting.delete(jobId);
    return result;
  };

  return {
    version: `BullMQ ${installed('bullmq')}`,
    async pair(id) {
      await done('message', id, 'refund');
      const { answer } = await done('reply', id, '12345');
      if (answer !== '12345') throw new Error('lost');
    },
    async close() {
      await worker.close();
      await queue.close();
      await options.connection.quit();
    },
  };
}

/**
 * Mastra: a workflow whose only step suspends with the question and is resumed by the run's id, which is the
 * conversation's. `store`: 'memory' (InMemoryStore), 'redis' (RedisStore, which finds a run by SCAN) or 'sqlite'
 * (LibSQLStore). It keeps a snapshot with context and answer; no outbox. It asks for Node 22, but this runs on 20.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { RedisStore } from '@mastra/redis';
import { z } from 'zod';
import { installed } from './installed.mjs';

process.env.MASTRA_TELEMETRY_DISABLED = '1';
const context = { note: 'x'.repeat(280) };

export async function open({ store, url, path, run: name }) {
  async function storage() {
    if (store === 'memory') return new InMemoryStore();
    if (store === 'redis') return new RedisStore({ id: name, connectionString: url });
    mkdirSync(path, { recursive: true });
    return new LibSQLStore({ id: name, url: `file:${join(path, `${name}.db`)}` });
  }
  const continued = new Set();
  const order = createStep({
    id: 'order',
    inputSchema: z.object({ message: z.string(), context: z.object({ note: z.string() }) }),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ reply: z.string() }),
    outputSchema: z.object({ order: z.string() }),
    execute: async ({ resumeData, suspend, runId }) => {
      if (resumeData === undefined) return suspend({ question: 'What is your order number?' });
      if (!/^\d{5}$/.test(resumeData.reply)) return suspend({ question: 'Five digits, please.' });
      continued.add(runId);
      return { order: resumeData.reply };
    },
  });
  const refund = createWorkflow({ id: 'refund', inputSchema: order.inputSchema, outputSchema: order.outputSchema })
    .then(order)
    .commit();
  const kept = await storage();
  const mastra = new Mastra({ workflows: { refund }, storage: kept, logger: false });
  const workflow = mastra.getWorkflow('refund');

  return {
    version: `Mastra ${installed('@mastra/core')}`,
    async pair(runId) {
      const run = await workflow.createRun({ runId });
      const asked = await run.start({ inputData: { message: 'refund', context } });
      if (asked.status !== 'suspended') throw new Error('nothing was asked');
      const same = await workflow.createRun({ runId });
      const answered = await same.resume({ step: 'order', resumeData: { reply: '12345' } });
      if (answered.status !== 'success' || !continued.delete(runId)) throw new Error('lost');
    },
    close: () => kept.close?.(),
  };
}

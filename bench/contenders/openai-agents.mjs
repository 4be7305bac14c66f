/**
 * OpenAI Agents: a tool that needs approval, called by a model that is a function here. The state of the run, with its
 * context, is one text by conversation id; the reply loads it, approves the call and runs on; the tool ends the run.
 * `store`: 'memory' (a Map) or 'redis' (GET, SET). It keeps that text, then the answer; no lock, the last write wins.
 */
import { Agent, Runner, RunState, setTracingDisabled, tool, Usage } from '@openai/agents';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { installed } from './installed.mjs';

setTracingDisabled(true);
const note = 'x'.repeat(280);
const call = { type: 'function_call', callId: 'call', name: 'refund', status: 'completed', arguments: '{}' };
const model = {
  getResponse: async () => ({ usage: new Usage(), output: [call] }),
  getStreamedResponse: () => {
    throw new Error('nothing is streamed');
  },
};

class MapStore extends Map {
  async get(key) {
    return super.get(key);
  }
  async set(key, value) {
    super.set(key, value);
  }
}

export async function open({ store, url, run }) {
  const redis = store === 'redis' ? new Redis(url) : undefined;
  const kept = redis ?? new MapStore();
  /** The approval itself carries no text: the tool finds the reply by the conversation in the run's context. */
  const replies = new Map();
  const refund = tool({
    name: 'refund',
    description: 'Asks for the order number and refunds the order.',
    parameters: z.object({}),
    needsApproval: true,
    execute: (_input, { context }) => replies.get(context.id),
  });
  const instructions = 'Refund orders.';
  const agent = new Agent({
    name: 'support',
    instructions,
    model,
    tools: [refund],
    toolUseBehavior: 'stop_on_first_tool',
  });
  const runner = new Runner({ tracingDisabled: true });

  async function received(id) {
    const { state, interruptions } = await runner.run(agent, 'refund', { context: { id, note } });
    if (interruptions.length !== 1) throw new Error('nothing was asked');
    await kept.set(`${run}:${id}`, state.toString());
  }
  async function replied(id, reply) {
    const state = await RunState.fromString(agent, await kept.get(`${run}:${id}`));
    if (!/^\d{5}$/.test(reply)) throw new Error('refused');
    for (const each of state.getInterruptions()) state.approve(each);
    replies.set(id, reply);
    const { finalOutput } = await runner.run(agent, state);
    replies.delete(id);
    await kept.set(`${run}:${id}`, JSON.stringify({ answer: finalOutput }));
    return finalOutput;
  }

  return {
    version: `@openai/agents ${installed('@openai/agents')}`,
    async pair(id) {
      await received(id);
      if ((await replied(id, '12345')) !== '12345') throw new Error('lost');
    },
    close: () => redis?.quit(),
  };
}

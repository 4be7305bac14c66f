/**
 * LangGraph.js: interrupt() in a node, resumed by a Command on the same thread; checkpoints as it writes by default.
 * `store`: 'memory' (MemorySaver) or 'sqlite' (SqliteSaver: WAL, synchronous=NORMAL, so a power cut may take the last
 * commits). It keeps every checkpoint; no lock, no outbox, and a resumed node runs again from its start.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { installed } from './installed.mjs';

process.env.LANGSMITH_TRACING = 'false';
process.env.LANGCHAIN_TRACING_V2 = 'false';
const context = { note: 'x'.repeat(280) };

export async function open({ store, path, run }) {
  async function saver() {
    if (store === 'memory') return new MemorySaver();
    const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite');
    mkdirSync(path, { recursive: true });
    return SqliteSaver.fromConnString(join(path, `${run}.db`));
  }
  const continued = new Set();
  const State = Annotation.Root({ message: Annotation(), context: Annotation(), order: Annotation() });
  const checkpointer = await saver();
  const graph = new StateGraph(State)
    .addNode('refund', (_state, { configurable }) => {
      let reply = interrupt('What is your order number?');
      while (!/^\d{5}$/.test(reply)) reply = interrupt('Five digits, please.');
      continued.add(configurable.thread_id);
      return { order: reply };
    })
    .addEdge(START, 'refund')
    .addEdge('refund', END)
    .compile({ checkpointer });

  return {
    version: `LangGraph.js ${installed('@langchain/langgraph')}`,
    async pair(id) {
      const config = { configurable: { thread_id: id } };
      const asked = await graph.invoke({ message: 'refund', context }, config);
      const { order } = await graph.invoke(new Command({ resume: '12345' }), config);
      if (asked.__interrupt__?.length !== 1 || order !== '12345' || !continued.delete(id)) throw new Error('lost');
    },
    close: () => checkpointer.db?.close(),
  };
}

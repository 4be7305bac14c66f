/** Who takes part: the limit, askback, and the peers, each with the store it keeps its state in. */
import { existsSync } from 'node:fs';

export interface Entry {
  /** As --only knows it. */
  readonly name: string;
  readonly label: string;
  /** A file of contenders/. */
  readonly module: string;
  readonly side: 'limit' | 'askback' | 'peer';
  readonly store: 'memory' | 'sqlite' | 'redis';
  /** How Redis writes to its file; undefined: not at all. */
  readonly fsync?: 'everysec' | 'always';
  /** What its module is told besides where the store is. */
  readonly config: Readonly<Record<string, string>>;
  /** What is kept of a conversation, and what is not. */
  readonly keeps: string;
}

/** What can be measured besides contenders. */
export const parts = ['growth', 'replicas'] as const;

const stores = { memory: 'memory', sqlite: 'SQLite', redis: 'Redis' } as const;

function bare(how: string, fsync?: Entry['fsync']): Entry {
  const suffix = fsync === undefined ? '' : `-${fsync}`;
  return {
    name: `bare-${how === 'auto-pipelined' ? 'auto' : how}${suffix}`,
    label: `bare ioredis, ${how}${fsync === undefined ? '' : `, AOF ${fsync}`}`,
    module: 'bare',
    side: 'limit',
    store: 'redis',
    config: { how },
    keeps: 'a compare-and-set, a due index',
    ...(fsync && { fsync }),
  };
}

function askback(store: Entry['store'], fsync?: Entry['fsync']): Entry {
  return {
    name: `askback-${store}${fsync === undefined ? '' : `-${fsync}`}`,
    label: `askback, ${stores[store]}${fsync === undefined ? '' : `, AOF ${fsync}`}${store === 'sqlite' ? ', full sync' : ''}`,
    module: 'askback',
    side: 'askback',
    store,
    config: { store },
    keeps: 'queue, lease, decision, outbox, history',
    ...(fsync && { fsync }),
  };
}

/** The same on Redis: written as a class, or with every reply at another replica than the one that asked. */
const askbackClass = (store: Entry['store']): Entry => variant(store, 'class', 'a class', { written: 'class' });
const askbackElsewhere = (store: Entry['store']): Entry =>
  variant(store, 'elsewhere', 'reply at another replica', { replies: 'elsewhere' });

function variant(store: Entry['store'], name: string, says: string, config: object): Entry {
  const same = askback(store);
  return {
    ...same,
    name: `${same.name}-${name}`,
    label: `${same.label}, ${says}`,
    config: { ...same.config, ...config },
  };
}

const peers: readonly { module: string; title: string; stores: readonly Entry['store'][]; keeps: string }[] = [
  {
    module: 'grammy',
    title: 'grammY conversations',
    stores: ['memory', 'redis'],
    keeps: 'the state; no lock, no inbox, no outbox',
  },
  {
    module: 'botframework',
    title: 'Bot Framework dialogs',
    stores: ['memory', 'redis'],
    keeps: 'the state; the last write wins',
  },
  { module: 'bullmq', title: 'BullMQ, two jobs', stores: ['redis'], keeps: 'jobs, with a lock for each' },
  { module: 'langgraph', title: 'LangGraph.js', stores: ['memory', 'sqlite'], keeps: 'checkpoints' },
  {
    module: 'openai-agents',
    title: 'OpenAI Agents',
    stores: ['memory', 'redis'],
    keeps: 'the state of the run as one text',
  },
  { module: 'mastra', title: 'Mastra', stores: ['memory', 'redis', 'sqlite'], keeps: 'a snapshot' },
];

const optional = new Set(['mastra']);
const exists = (module: string) => existsSync(new URL(`contenders/${module}.mjs`, import.meta.url));

function peer({ module, title, keeps }: (typeof peers)[number], store: Entry['store']): Entry {
  const label = `${title}, ${stores[store]}`;
  return { name: `${module}-${store}`, label, module, side: 'peer', store, config: { store }, keeps };
}

/** In the order in which they run and are shown. */
export const entries: readonly Entry[] = [
  bare('default'),
  bare('auto-pipelined'),
  bare('corked'),
  bare('corked', 'everysec'),
  bare('corked', 'always'),
  askback('redis'),
  askback('redis', 'everysec'),
  askback('redis', 'always'),
  askbackClass('redis'),
  askbackElsewhere('redis'),
  askback('sqlite'),
  askback('memory'),
  ...peers
    .filter(({ module }) => !optional.has(module) || exists(module))
    .flatMap((each) => each.stores.map((store) => peer(each, store))),
];

/** Those with one of these names; a module's name means all of its entries. */
export function named(all: readonly Entry[], names: readonly string[]): readonly Entry[] {
  return all.filter((each) => names.includes(each.name) || names.includes(each.module));
}

/** What two builds of askback are compared in. */
export const compared: readonly Entry[] = [
  askback('redis'),
  askbackClass('redis'),
  askbackElsewhere('redis'),
  askback('sqlite'),
  askback('memory'),
  askbackClass('memory'),
];

/** A process that serves the web chat on a SQLite file: node web-replica.mjs DATABASE ORIGIN. It tells the test its port. */
import { serve } from '@hono/node-server';
import { library } from '../../support/library.mjs';

const [path, origin] = process.argv.slice(2);
const { AgentRegistry, agent, confirm } = await library('index.js');
const { SqliteStore } = await library('stores/sqlite/index.js');
const { WebChannel } = await library('channels/web/index.js');

const shop = agent('shop');
const sure = shop.question('sure', confirm('Order it?'), { onAnswer: (yes) => (yes ? 'Ordered.' : 'Not ordered.') });
shop.onMessage(({ message, ask }) => (message === 'order' ? ask(sure) : `You said ${message}`));

const web = new WebChannel({ origins: [origin], secret: 'a secret of at least 32 characters' });
const settings = { lease: 3_000, renewal: 1_000, sweep: 500 };
const registry = new AgentRegistry({ agents: [shop], channels: [web], store: new SqliteStore({ path }), settings });
await registry.start();
serve({ fetch: web.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send({ port }));
process.on('disconnect', () => process.exit());

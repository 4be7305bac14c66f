/** Many messages in one moment: a store that is slower than they come refuses none of them. */
import { expect, test } from 'vitest';
import type { Channel, Desk } from '../../../src/index.js';
import { AgentRegistry, agent } from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { redisForFile } from '../../support/for-file.js';

const burst = 30_000;
/** Far more than Redis needs for what it is asked at once, and far less than for all of it. */
const commandTimeout = 2_000;

const { client } = await redisForFile();

test('30 000 messages in one moment are all recorded and answered; none is refused because it had to wait here', async () => {
  let desk: Desk | undefined;
  let answered = 0;
  const phone: Channel = {
    name: 'phone',
    start: (given) => {
      desk = given;
    },
    send: async () => {
      answered += 1;
    },
  };
  const echo = agent('echo');
  echo.onMessage(({ message }) => message);
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const store = new RedisStore({ client, commandTimeout, logger });
  const registry = new AgentRegistry({ agents: [echo], channels: [phone], store, logger });
  await registry.start();
  const told = await Promise.allSettled(
    Array.from({ length: burst }, (_, i) =>
      (desk as Desk).receive({ id: `m${i}`, conversationId: `c${i}`, text: 'hello' }),
    ),
  );
  expect(told.filter(({ status }) => status === 'rejected')).toEqual([]);
  await registry.idle();
  await registry.stop();
  expect(answered).toBe(burst);
});

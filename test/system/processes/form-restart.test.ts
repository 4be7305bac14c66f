/** A refund as a form on Redis: begun in one process, which is killed, and finished in another. */
import { expect, test } from 'vitest';
import type { Settings } from '../../../src/core/settings.js';
import type { Participant } from '../../../src/index.js';
import { redisAndWorld } from '../../support/for-file.js';
import { type Call, fresh, soon } from '../../support/replica/world.js';
import { Staff, shown } from './staff.js';

const anna: Participant = { id: 'web:anna', name: 'Anna' };
const [first, second, third] = ['Your refund\nWhich order?', 'Why?', 'Refund it?'];
const wrong = {
  first: "That doesn't look right.",
  second: "Sorry, I didn't understand that. Please pick one of: broken, late, Other.",
};

const { server: redis, world } = await redisAndWorld();

const begin = (settings?: Partial<Settings>) => Staff.begin(world, redis.url, settings);

/** A refund that was asked for and whose first field is open. */
async function begun() {
  const [a, chat] = [await begin(soon), fresh('refund')];
  await a.hears(anna, chat, { text: 'refund' });
  const { askId = '' } = await shown(world, chat, first);
  const says = (staff: Staff, text: string) => staff.hears(anna, chat, { text });
  return { a, chat, askId, says };
}

/** What the ledger was told to pay for. */
async function paid(chat: string): Promise<readonly Call[]> {
  return (await world.calls(chat)).filter((call) => call.what === 'pay');
}

test('the first field is answered, the process is killed, another one asks on: one refund with all three values', async () => {
  const { a, chat, askId, says } = await begun();
  await says(a, '12345');
  await shown(world, chat, second);
  await a.call('idle'); // what was shown is marked as sent
  await a.end();

  const b = await begin();
  expect(await b.getAsk(askId)).toMatchObject({ status: 'pending', partial: { values: { order: '12345' } } });
  await says(b, 'the second one');
  await shown(world, chat, third);
  const between = await b.getAsk(askId);
  expect(between).toMatchObject({ status: 'pending', partial: { values: { order: '12345', reason: 'late' } } });
  expect(between?.value).toBeUndefined();
  await says(b, 'yes');
  await shown(world, chat, 'Refunded 12345.');
  await b.call('idle');

  const value = { order: '12345', reason: 'late', sure: true };
  expect(await paid(chat)).toEqual([expect.objectContaining({ ...value, key: askId, attempt: 1, repeat: false })]);
  expect(await b.getAsk(askId)).toMatchObject({ status: 'answered', value, decidedBy: { name: 'Anna' } });
  expect(await world.heard(chat)).toEqual([first, second, third, 'Refunded 12345.']);
});

test('a wrong reply to the second field is an attempt of that field only, before and after a kill', async () => {
  const { a, chat, askId, says } = await begun();
  await says(a, 'my order'); // one wrong reply is all that a field may have
  await shown(world, chat, `${wrong.first}\n${first}`);
  expect(await a.getAsk(askId)).toMatchObject({ retries: 1 });
  await says(a, '12345');
  await shown(world, chat, second);
  expect(await a.getAsk(askId)).toMatchObject({ retries: 0, partial: { values: { order: '12345' } } });
  await a.call('idle'); // what was shown is marked as sent
  await a.end();

  const b = await begin();
  await says(b, 'banana');
  await shown(world, chat, `${wrong.second}\n${second}`);
  expect(await b.getAsk(askId)).toMatchObject({
    status: 'pending',
    retries: 1,
    partial: { values: { order: '12345' } },
  });
  await says(b, '1');
  await shown(world, chat, third);
  expect(await b.getAsk(askId)).toMatchObject({ status: 'pending', retries: 0 });
  await says(b, 'yes');
  await shown(world, chat, 'Refunded 12345.');
  expect(await paid(chat)).toHaveLength(1);
});

test('killed when a field is saved and the next one is not asked yet: the other process asks it, once', async () => {
  const { a, chat, askId, says } = await begun();
  await a.call('idle');
  void a.hearsAndDies(anna, chat, { text: '12345' });
  expect(await a.process.exited).toMatchObject({ signal: 'SIGKILL' });

  const b = await begin();
  await shown(world, chat, second);
  expect(await b.getAsk(askId)).toMatchObject({ retries: 0, partial: { values: { order: '12345' } } });
  await says(b, 'Other: it leaks');
  await shown(world, chat, third);
  await says(b, 'yes');
  await shown(world, chat, 'Refunded 12345.');
  await b.call('idle');
  expect(await paid(chat)).toEqual([
    expect.objectContaining({ order: '12345', reason: { other: 'it leaks' }, sure: true }),
  ]);
  expect(await world.heard(chat)).toEqual([first, second, third, 'Refunded 12345.']);
});

/** Metrics: what is counted and measured, by outcome. */
import { expect, test } from 'vitest';
import { agent } from '../../../src/index.js';
import { observe } from '../../../src/telemetry/index.js';
import { flaky, gate, leaseAndSweep, minute, TestChannel, world } from '../../support/engine.js';
import { asker, sdk } from './kit.js';

async function observed() {
  const there = world();
  const phone = new TestChannel();
  const own = sdk();
  const registry = await there.replica({
    agents: [asker()],
    channels: [phone],
    settings: { deliveryBackOff: [5_000] },
  });
  observe(registry, { tracer: own.tracer, meter: own.meter, clock: there.clock });
  const openAsk = async () => (await registry.listAsks()).asks[0]?.id ?? '';
  return { ...there, ...own, phone, registry, openAsk };
}

const asks = (outcome: string, value = 1) => ({ 'askback.agent': 'support', 'askback.outcome': outcome, value });

type Observed = Awaited<ReturnType<typeof observed>>;
const endings: [string, (the: Observed) => Promise<unknown>][] = [
  ['answered', ({ says, phone }) => says(phone, '12345')],
  ['declined', ({ says, phone }) => says(phone, 'never mind')],
  [
    'exhausted',
    async ({ says, phone }) => {
      await says(phone, 'what?');
      await says(phone, 'why?');
    },
  ],
  ['expired', ({ advance }) => advance(2 * minute)],
  ['cancelled', async ({ registry, openAsk }) => registry.cancel(await openAsk())],
];

test.each(endings)('an ask that is %s is counted once when asked and once when it ends', async (outcome, ends) => {
  const the = await observed();
  await the.says(the.phone, 'ask');
  await ends(the);
  await the.registry.idle();
  expect(await the.points('askback.asks')).toEqual([asks('asked'), asks(outcome)]);
});

test('an ask that is undeliverable is counted as that, and each try to send it', async () => {
  const { says, phone, advance, points } = await observed();
  phone.onSend = () => {
    throw new Error('no signal');
  };
  await says(phone, 'ask');
  await advance(30_000);
  expect(await points('askback.asks')).toEqual([asks('asked'), asks('undeliverable')]);
  expect(await points('askback.deliveries')).toEqual([
    { 'askback.channel': 'phone', 'askback.result': 'failed', value: 2 },
  ]);
});

test('the time to an answer, in seconds; what is not answered has none', async () => {
  const { says, phone, advance, points } = await observed();
  await says(phone, 'ask');
  await advance(9_000);
  await says(phone, '12345');
  await says(phone, 'ask');
  await says(phone, 'cancel');
  expect(await points('askback.time_to_answer')).toEqual([{ 'askback.agent': 'support', value: 1, sum: 9 }]);
});

test('replies that do not fit', async () => {
  const { says, phone, points } = await observed();
  await says(phone, 'ask');
  expect(await points('askback.retries')).toEqual([]);
  await says(phone, 'what?');
  expect(await points('askback.retries')).toEqual([{ 'askback.agent': 'support', value: 1 }]);
});

test('a turn that fails five times: five failures, one of them parked', async () => {
  const { says, phone, advance, points } = await observed();
  await says(phone, 'fail');
  expect(await points('askback.parked')).toEqual([]);
  await advance(5 * minute);
  expect(await points('askback.turn_failures')).toEqual([{ 'error.type': '_OTHER', value: 5 }]);
  expect(await points('askback.parked')).toEqual([{ 'error.type': '_OTHER', value: 1 }]);
});

test('how long turns take and how long what they handle has waited', async () => {
  const { replica, says, advance, clock } = world();
  const phone = new TestChannel();
  const slow = agent('slow').onMessage(
    () =>
      new Promise<string>((resolve) => {
        clock.after(2_000, () => resolve('done'));
      }),
  );
  const { tracer, meter, points } = sdk();
  const registry = await replica({ agents: [slow], channels: [phone] });
  observe(registry, { tracer, meter, clock });
  await says(phone, 'one');
  await says(phone, 'two'); // waits until the first is done
  await advance(10_000);
  expect(await points('askback.turn_duration')).toEqual([
    { 'askback.agent': 'slow', 'askback.disposition': 'ordinary', value: 2, sum: 4 },
  ]);
  expect(await points('askback.turn_wait')).toEqual([{ 'askback.agent': 'slow', value: 2, sum: 2 }]);
});

test('a process that has lost its conversation counts it, and how much waits is measured when leases are renewed', async () => {
  const { replica, says, advance, store, clock } = world();
  const phone = new TestChannel();
  const line = flaky(store);
  const paused = gate();
  const make = (wait: boolean) =>
    agent('support').onMessage(() => (wait ? paused.passed.then(() => 'zombie') : 'answered'));
  const { tracer, meter, points } = sdk();
  observe(await replica({ agents: [make(true)], channels: [phone], store: line.store }), { tracer, meter, clock });
  await says(phone, 'one');
  await says(phone, 'two');
  await advance(11_000);
  expect(await points('askback.queue_length')).toEqual([{ value: 1, sum: 2 }]);
  line.down = true;
  await replica({ agents: [make(false)], channels: [phone] });
  await advance(leaseAndSweep);
  line.down = false;
  paused.open();
  await advance(minute);
  expect(await points('askback.lease_losses')).toEqual([{ value: 1 }]);
});

test('names and units are as OpenTelemetry wants them', async () => {
  const { says, phone, metrics } = await observed();
  await says(phone, 'ask');
  await says(phone, '12345');
  for (const { descriptor } of await metrics()) {
    expect(descriptor.name).toMatch(/^askback\.[a-z]+(_[a-z]+)*$/);
    expect(descriptor.unit).toMatch(/^(s|\{[a-z]+\})$/);
    expect(descriptor.description).toMatch(/^[A-Z].*\.$/);
  }
});

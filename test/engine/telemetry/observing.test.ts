/** Observing is harmless: it can be ended, it may break, it tells nothing personal, and without it nothing is spent. */
import { type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import { expect, onTestFinished, test } from 'vitest';
import { agent, text } from '../../../src/index.js';
import { Emitter } from '../../../src/registry/emitter.js';
import { observe } from '../../../src/telemetry/index.js';
import { read, sourceFiles } from '../../house/repository.js';
import { heard, minute, TestChannel, world } from '../../support/engine.js';
import { asker, sdk } from './kit.js';

test('nothing personal: no id, name, text, context, detail or answer gets into spans or metrics', async () => {
  const { replica, advance, clock } = world();
  const { tracer, meter, spans, metrics: measured } = sdk();
  const web = new TestChannel('web');
  const secret = (what: string) => `SECRET-${what}`;
  const bank = agent('bank');
  const iban = bank.question('iban', text(secret('question'), { pattern: /^SECRET-answer$/ }), {
    effectKey: () => secret('key'),
    onAnswer: () => secret('output'),
  });
  bank.onMessage(({ message, ask }) => {
    if (message.includes('fail')) {
      const error = new Error(secret('failure'));
      error.name = secret('failure-name');
      throw error;
    }
    const options = { context: { about: secret('context') }, details: { [secret('detail')]: secret('detail-text') } };
    return ask(iban, options);
  });
  const registry = await replica({ agents: [bank], channels: [web] });
  observe(registry, { tracer, meter, clock });
  const ids: string[] = [];
  registry.on('handled', ({ entryId }) => ids.push(entryId));
  registry.on('asked', ({ askId }) => ids.push(askId));
  registry.on('parked', ({ id }) => ids.push(id));
  registry.on('delivered', ({ key }) => ids.push(key));
  registry.on('refused', ({ askId }) => ids.push(askId));
  const conversationId = secret('conversation');
  const participant = { id: secret('participant'), name: secret('name') };
  const say = async (id: string, words: string, more: object = {}) => {
    const address = { to: secret('address') };
    await web.desk?.receive({
      id: secret(id),
      conversationId,
      text: words,
      participant,
      address,
      data: { is: secret('data') },
      intent: secret('intent'),
      ...more,
    });
    await registry.idle();
  };
  await say('wish', secret('wish'));
  const [ask] = (await registry.listAsks()).asks;
  await say('stranger', secret('answer'), { participant: { id: secret('stranger') }, askId: ask?.id });
  await say('unfit', secret('nonsense'));
  web.onSend = () => {
    throw new Error(secret('signal'));
  };
  await say('reply', secret('answer'));
  await say('failing', `${secret('words')} fail`);
  await advance(10 * minute);

  const exported = spans().map((span) => ({
    ...{ name: span.name, kind: span.kind, attributes: span.attributes, status: span.status, events: span.events },
    ...{ links: span.links, resource: span.resource.attributes, scope: span.instrumentationScope },
    ...{ context: span.spanContext(), parent: span.parentSpanContext },
  }));
  const all = JSON.stringify([exported, await measured()]);
  // it has been at work, on all of it
  for (const name of ['ask', 'wait', 'decision', 'delivery', 'turn']) expect(all).toContain(`"askback.${name}"`);
  for (const word of ['answered', 'insufficient', 'not-authorised', 'askback.parked', '"failed"'])
    expect(all).toContain(word);
  expect(all).not.toMatch(/secret/i);
  expect(ids.length).toBeGreaterThan(5);
  expect(ids.filter((id) => all.includes(id))).toEqual([]);
});

test('when it is ended, nothing more is recorded', async () => {
  const { replica, says, clock } = world();
  const phone = new TestChannel();
  const { tracer, meter, spans, points } = sdk();
  const registry = await replica({ agents: [asker()], channels: [phone] });
  const end = observe(registry, { tracer, meter, clock });
  await says(phone, 'ask');
  const before = spans().length;
  expect(before).toBeGreaterThan(0);
  end();
  end();
  await says(phone, '12345');
  expect(spans()).toHaveLength(before);
  expect(await points('askback.asks')).toMatchObject([{ 'askback.outcome': 'asked', value: 1 }]);
});

test('a tracer that throws disturbs neither the engine nor the metrics, and is logged', async () => {
  const { replica, says, clock } = world();
  const phone = new TestChannel();
  const { meter, points } = sdk();
  const tracer = {
    startSpan: () => {
      throw new Error('broken tracer');
    },
  } as unknown as Tracer;
  const logged: string[] = [];
  const keep = (message: string) => logged.push(message);
  const logger = { debug: keep, info: keep, warn: keep, error: keep };
  const registry = await replica({ agents: [asker()], channels: [phone], logger });
  observe(registry, { tracer, meter, clock });
  await says(phone, 'ask');
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Which order?', 'Got 12345']);
  expect(await points('askback.asks')).toMatchObject([
    { 'askback.outcome': 'asked' },
    { 'askback.outcome': 'answered' },
  ]);
  expect(new Set(logged)).toEqual(new Set(['A listener threw']));
});

test('without options the global providers are used, under the name askback', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const own = sdk();
  trace.setGlobalTracerProvider(own.tracers);
  metrics.setGlobalMeterProvider(own.meters);
  onTestFinished(() => {
    trace.disable();
    metrics.disable();
  });
  observe(await replica({ agents: [asker()], channels: [phone] }));
  await says(phone, 'ask');
  expect(own.spans('askback.ask')[0]?.instrumentationScope.name).toBe('askback');
  expect(await own.points('askback.asks')).toHaveLength(1);
});

test('without an SDK it does nothing, and the engine goes on', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  observe(await replica({ agents: [asker()], channels: [phone] }));
  await says(phone, 'ask');
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Which order?', 'Got 12345']);
});

test.each([
  [{}, { tracer: {} as Tracer }, /tracer must be a tracer with the method startSpan/],
  [
    {},
    { meter: { createCounter: () => {} } as unknown as Meter },
    /meter must be a meter with the method createHistogram/,
  ],
  [{}, { exporter: 1 } as object, /the option exporter is unknown/],
  [{ on: undefined as never }, {}, /must be a registry/],
])('what cannot work is refused at the call: %#', (part, options, message) => {
  const registry = { on: () => () => {}, ...part };
  expect(() => observe(registry, options)).toThrow(message);
});

test('events say how long things took and waited, and by whom', async () => {
  const { replica, says, advance, clock } = world();
  const phone = new TestChannel();
  const registry = await replica({ agents: [asker()], channels: [phone] });
  const [asked, answered, handled, delivered, renewed] = [
    heard(registry, 'asked'),
    heard(registry, 'answered'),
    heard(registry, 'handled'),
    heard(registry, 'delivered'),
    heard(registry, 'renewed'),
  ];
  const askedAt = clock.now();
  await says(phone, 'ask');
  const askId = (await registry.listAsks()).asks[0]?.id ?? '';
  await says(phone, 'what?');
  await advance(5_000);
  await says(phone, '12345');
  const about = { conversationId: 'c1', askId, agentName: 'support', askedAt };
  expect(asked).toEqual([{ ...about, at: askedAt, channel: 'phone' }]);
  expect(answered).toEqual([{ ...about, at: askedAt + 5_000, decidedAt: askedAt + 5_000, retries: 1 }]);
  expect(handled[2]).toEqual({
    conversationId: 'c1',
    entryId: expect.any(String),
    disposition: { type: 'accepted', askId },
    agentName: 'support',
    attempt: 1,
    waited: 0,
    took: 0,
  });
  expect(delivered.map((each) => [each.askId, each.took])).toEqual([
    [askId, 0],
    [askId, 0],
    [undefined, 0],
  ]);
  expect(renewed).toEqual([]); // nothing was held for so long
});

test('nobody listens, nothing is put together', () => {
  const emitter = new Emitter({ debug: () => {}, info: () => {}, warn: () => {}, error: () => {} });
  expect(emitter.hears('handled')).toBe(false);
  const off = emitter.on('handled', () => {});
  expect([emitter.hears('handled'), emitter.hears('asked')]).toEqual([true, false]);
  off();
  expect(emitter.hears('handled')).toBe(false);
});

test('nothing but this room knows OpenTelemetry, and nobody has to install it', () => {
  const knowing = sourceFiles().filter(({ text }) => text.includes('@opentelemetry/'));
  expect(knowing.length).toBeGreaterThan(0);
  expect(knowing.filter(({ path }) => !path.startsWith('src/telemetry/'))).toEqual([]);
  const { dependencies, peerDependenciesMeta } = JSON.parse(read('package.json'));
  expect(Object.keys(dependencies)).not.toContain('@opentelemetry/api');
  expect(peerDependenciesMeta['@opentelemetry/api']).toEqual({ optional: true });
  const others = sourceFiles().filter(({ path }) => !path.startsWith('src/telemetry/'));
  expect(others.filter(({ text }) => text.includes('/telemetry/'))).toEqual([]);
});

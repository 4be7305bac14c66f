/** Spans: what is recorded of an ask, when it was, and that processes find one trace for it without telling each other. */
import { SpanStatusCode } from '@opentelemetry/api';
import { AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../src/stores/memory/store.js';
import { observe, traceOf } from '../../../src/telemetry/index.js';
import { heard, minute, TestChannel, world } from '../../support/engine.js';
import { asker, millis, sdk } from './kit.js';

async function observed() {
  const there = world();
  const phone = new TestChannel();
  const own = sdk();
  const registry = await there.replica({
    agents: [asker()],
    channels: [phone],
    settings: { deliveryBackOff: [5_000] },
  });
  const end = observe(registry, { tracer: own.tracer, meter: own.meter, clock: there.clock });
  const openAsk = async () => (await registry.listAsks()).asks[0]?.id ?? '';
  return { ...there, ...own, phone, registry, end, openAsk };
}

test('an ask and its answer: ask, delivery, wait and decision share the trace of the ask; the turns link to it', async () => {
  const { says, phone, spans, openAsk, clock, advance } = await observed();
  const asked = clock.now();
  await says(phone, 'ask');
  const ask = traceOf(await openAsk());
  await advance(9_000);
  await says(phone, '12345');

  const inTrace = spans().filter((span) => span.spanContext().traceId === ask.traceId);
  expect(inTrace.map(({ name }) => name)).toEqual([
    'askback.ask',
    'askback.delivery',
    'askback.wait',
    'askback.decision',
  ]);
  for (const span of inTrace) expect(span.parentSpanContext).toMatchObject(ask);
  const [wait] = spans('askback.wait');
  expect([wait?.startTime, wait?.endTime].map((time) => millis(time ?? [0, 0]))).toEqual([asked, asked + 9_000]);
  expect(wait?.attributes).toEqual({
    'askback.agent': 'support',
    'askback.outcome': 'answered',
    'askback.retries': 0,
  });
  expect(spans('askback.ask')[0]?.attributes).toEqual({ 'askback.agent': 'support', 'askback.channel': 'phone' });

  const turns = spans('askback.turn');
  expect(turns.map((span) => span.attributes)).toEqual([
    { 'askback.agent': 'support', 'askback.attempt': 1, 'askback.disposition': 'ordinary' },
    { 'askback.agent': 'support', 'askback.attempt': 1, 'askback.disposition': 'accepted' },
  ]);
  for (const turn of turns) {
    expect(turn.links.map((link) => link.context)).toEqual([ask]);
    expect(turn.parentSpanContext).toBeUndefined();
    expect(turn.status.code).toBe(SpanStatusCode.UNSET);
  }
  expect(spans('askback.delivery').filter((span) => span.parentSpanContext === undefined)).toHaveLength(1); // "Got 12345"
});

test('asked by one process, answered by another: each has its part of one trace', async () => {
  const { replica, says, clock } = world();
  const phones = [new TestChannel(), new TestChannel()] as const;
  const sdks = [sdk(), sdk()] as const;
  const registries = [];
  for (const [i, { tracer, meter }] of sdks.entries()) {
    const registry = await replica({ agents: [asker()], channels: [phones[i] as TestChannel] });
    observe(registry, { tracer, meter, clock });
    registries.push(registry);
  }
  await says(phones[0], 'ask');
  const askId = (await registries[0]?.listAsks())?.asks[0]?.id ?? '';
  await says(phones[1], '12345');

  const { traceId } = traceOf(askId);
  const namesOf = ({ spans }: (typeof sdks)[number]) =>
    spans()
      .filter((span) => span.spanContext().traceId === traceId)
      .map(({ name }) => name);
  expect(namesOf(sdks[0])).toEqual(['askback.ask', 'askback.delivery']);
  expect(namesOf(sdks[1])).toEqual(['askback.wait', 'askback.decision']);
  expect(sdks[1].spans('askback.turn')[0]?.links[0]?.context.traceId).toBe(traceId);
});

test('a turn links to its own asks only, also to those it did not reply to', async () => {
  const { says, phone, spans, openAsk, registry } = await observed();
  await says(phone, 'ask');
  const ask = await openAsk();
  await says(phone, 'hello', { conversationId: 'c2' });
  await registry.cancel({ conversationId: 'c1' });
  const links = spans('askback.turn').map((turn) => turn.links.map((link) => link.context));
  expect(links).toEqual([[traceOf(ask)], [], [traceOf(ask)], []]);
});

test('the trace of an ask is the digest that docs/telemetry.md names', () => {
  expect(traceOf('00000000-0000-8000-8000-000000000000')).toEqual({
    traceId: '9cc4a5f6efa8c187937de274d0b2e9bc',
    spanId: '502e5966e50f9038',
    traceFlags: 1,
    isRemote: true,
  });
});

test('a turn that fails for good is an error, with a code of ours or none', async () => {
  const { says, phone, spans, advance } = await observed();
  await says(phone, 'fail');
  await advance(5 * minute);
  const [turn, ...more] = spans('askback.turn');
  expect(more).toEqual([]);
  expect(turn?.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(turn?.attributes).toEqual({
    'askback.agent': 'support',
    'askback.attempt': 5,
    'askback.disposition': 'failed',
    'error.type': '_OTHER',
  });
});

test('an ask that expires has waited until its deadline was noticed', async () => {
  const { says, phone, spans, advance } = await observed();
  await says(phone, 'ask');
  await advance(5 * minute);
  const [wait] = spans('askback.wait');
  expect(wait?.attributes).toMatchObject({ 'askback.outcome': 'expired' });
  const waited = millis(wait?.duration ?? [0, 0]);
  expect(waited).toBeGreaterThanOrEqual(minute);
  expect(waited).toBeLessThan(minute + 6_001);
});

test('a question that cannot be sent: the decision is an error', async () => {
  const { says, phone, spans, advance } = await observed();
  phone.onSend = () => {
    throw new Error('no signal');
  };
  await says(phone, 'ask');
  await advance(30_000);
  const [decision] = spans('askback.decision');
  expect(decision?.attributes).toMatchObject({ 'askback.outcome': 'undeliverable' });
  expect(decision?.status.code).toBe(SpanStatusCode.ERROR);
  expect(spans('askback.delivery')).toEqual([]);
});

test('a sampler with a ratio for remote parents keeps or drops an ask as a whole, and leaves turns alone', async () => {
  const { replica, says, clock } = world();
  const phone = new TestChannel();
  const { tracer, meter, spans } = sdk({
    sampler: new ParentBasedSampler({
      root: new AlwaysOnSampler(),
      remoteParentSampled: new TraceIdRatioBasedSampler(0.5),
    }),
  });
  const registry = await replica({ agents: [asker()], channels: [phone] });
  observe(registry, { tracer, meter, clock });
  const ids = heard(registry, 'asked');
  for (let i = 0; i < 20; i += 1) {
    await says(phone, 'ask', { conversationId: `c${i}` });
    await says(phone, '12345', { conversationId: `c${i}` });
  }
  const parts = ids.map(({ askId }) => {
    const { traceId } = traceOf(askId);
    return spans().filter((span) => span.spanContext().traceId === traceId).length;
  });
  expect(new Set(parts)).toEqual(new Set([0, 4]));
  expect(spans('askback.turn')).toHaveLength(40);
});

test('a slow channel: the delivery lasts as long as its send', async () => {
  const { says, phone, spans, advance, clock } = await observed();
  phone.onSend = () =>
    new Promise((resolve) => {
      clock.after(1_500, resolve);
    });
  await says(phone, 'ask');
  await advance(2_000);
  expect(millis(spans('askback.delivery')[0]?.duration ?? [0, 0])).toBe(1_500);
});

test('a time is not taken for one since the process began', async () => {
  const { replica, says, advance, clock } = world();
  await advance(5 - clock.now());
  const { tracer, meter, spans } = sdk();
  const phone = new TestChannel();
  const store = new MemoryStore({ clock }); // the time of one that was made before does not go back
  observe(await replica({ agents: [asker()], channels: [phone], store }), { tracer, meter, clock });
  await says(phone, 'ask');
  expect(spans('askback.ask')[0]?.startTime).toEqual([0, 5_000_000]);
});

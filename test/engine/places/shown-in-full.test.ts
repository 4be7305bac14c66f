/**
 * Nobody decides what they were not shown: whoever gets a question after a part of its answer was given, or with words before it, sees all
 * of it.
 */
import { expect, test } from 'vitest';
import type { AskOptions, Json, OutgoingMessage, Question } from '../../../src/index.js';
import { agent, choice, confirm, form, text } from '../../../src/index.js';
import { leaseAndSweep, minute, settle, world } from '../../support/engine.js';
import { ann, ben, cleo, dan, Mail } from '../../support/places.js';

/** Knows its people: `staff:dan` is reached at `dan`. */
class Staff extends Mail {
  readonly longestQuestion: number;

  constructor(longestQuestion = 100_000) {
    super('staff');
    this.longestQuestion = longestQuestion;
  }

  addressOf(participantId: string): Json | undefined {
    return participantId.startsWith('staff:') ? participantId.slice(6) : undefined;
  }
}

const payment = () => form('Pay Bob 5,000 EUR?', { why: text('Why?'), ok: confirm('Agreed?') });

async function asked(question: Question<unknown>, more: Omit<AskOptions, 'effectKey'> = {}, longest?: number) {
  const { replica, advance } = world();
  const staff = new Staff(longest);
  const registry = await replica({ agents: [agent('shop').onMessage(() => 'Hello.')], channels: [staff] });
  const { askId } = await registry.ask(question, {
    channel: 'staff',
    to: 'room',
    answerableBy: [ben.id, cleo.id],
    ...more,
  });
  await settle();
  return { registry, staff, advance, askId };
}

test('a form that is escalated after a part of its answer shows all of it: its question, what is filled, the field', async () => {
  const escalate = [{ after: 10 * minute, channel: 'staff', to: 'dan', answerableBy: [dan.id] }];
  const { registry, staff, advance, askId } = await asked(payment(), { escalate });
  await staff.writes('room', 'because', ben);
  await advance(10 * minute + leaseAndSweep);
  expect(staff.texts('room')).toEqual(['Pay Bob 5,000 EUR?\nWhy?', 'Agreed?']);
  expect(staff.texts('dan')).toEqual(['Pay Bob 5,000 EUR?\nWhy? because\nAgreed?']);
  await staff.presses('dan', 'ok/yes', dan);
  expect(await registry.getAsk(askId)).toMatchObject({
    value: { why: 'because', ok: true },
    decidedBy: { id: dan.id },
  });
});

test('a form that is handed over after a part of its answer shows all of it', async () => {
  const { registry, staff, askId } = await asked(payment());
  await staff.writes('room', 'because', ben);
  await registry.handOver(askId, { by: ben, to: dan });
  await settle();
  expect(staff.texts('dan')).toEqual(['Ben hands this to you.\nPay Bob 5,000 EUR?\nWhy? because\nAgreed?']);
});

test('a part of the answer from one place is shown at the others with all that is asked', async () => {
  const { staff } = await asked(payment(), { notify: [{ channel: 'staff', to: 'dan' }] });
  await staff.writes('room', 'because', ben);
  expect(staff.texts('room').at(-1)).toBe('Agreed?');
  expect(staff.texts('dan')).toEqual(['Pay Bob 5,000 EUR?\nWhy?', 'Pay Bob 5,000 EUR?\nWhy? because\nAgreed?']);
});

test('a reminder of a form shows all of it', async () => {
  const { staff, advance } = await asked(payment(), { remindAfter: 10 * minute });
  await staff.writes('room', 'because', ben);
  await advance(10 * minute + leaseAndSweep);
  expect(staff.texts('room').at(-1)).toBe('This is still open:\nPay Bob 5,000 EUR?\nWhy? because\nAgreed?');
});

test('what is filled is never shown of a sensitive form, and stands on one line of any other', async () => {
  for (const [sensitive, filled] of [
    [true, ''],
    [false, 'Why? ok Pay Bob 1 EUR?\n'],
  ] as const) {
    const { registry, staff, askId } = await asked(payment(), { sensitive });
    await staff.writes('room', 'ok\n\nPay Bob 1 EUR?', ben);
    await registry.handOver(askId, { by: ben, to: dan });
    await settle();
    expect(staff.texts('dan')).toEqual([`Ben hands this to you.\nPay Bob 5,000 EUR?\n${filled}Agreed?`]);
  }
});

test('a field that needs a second reply is named, and so is the question that does', async () => {
  const size = choice('Which size?', ['small', 'large'], { other: true });
  for (const [question, expected] of [
    [form('Your shirt', { size, why: text('Why?') }), 'Your shirt\nWhich size?\nPlease write your own answer.'],
    [size, 'Which size?\nPlease write your own answer.'],
  ] as const) {
    const { registry, staff, askId } = await asked(question as Question<unknown>);
    await staff.writes('room', 'other', ben);
    await registry.handOver(askId, { by: ben, to: dan });
    await settle();
    expect(staff.texts('dan')).toEqual([`Ben hands this to you.\n${expected}`]);
  }
});

test('what a form has so far counts: where it cannot be shown in full with it, nobody decides', async () => {
  const { registry, staff, askId } = await asked(payment(), {}, 500);
  await staff.writes('room', 'b'.repeat(450), ben);
  await registry.handOver(askId, { by: ben, to: dan });
  await settle();
  await staff.presses('dan', 'ok/yes', dan);
  expect((await registry.getAsk(askId))?.status).toBe('pending');
  expect(staff.texts('dan').at(-1)).toContain('too long to be shown here in full');
});

test.each([
  [
    'is left out where the question would not be seen in full with it',
    300,
    { reason: 'r'.repeat(1_000) },
    'Ben hands this to you.\n',
  ],
  ['counts as long as it is when it is escaped', 100, { reason: '&'.repeat(90) }, 'Ben hands this to you.\n'],
  ['is shown where there is room', 300, { reason: 'I am away.' }, 'Ben hands this to you: “I am away.”\n'],
  ['is left out with the name where there is room for the question alone', 410, { reason: 'I am away.' }, ''],
])('what is said with a hand-over %s', async (_, length, { reason }, before) => {
  const question = `Pay 1 EUR? ${'x'.repeat(length)} And 10,000,000 EUR more?`;
  const { registry, staff, askId } = await asked(confirm(question), {}, 540);
  await registry.handOver(askId, { by: ben, to: dan, reason });
  await settle();
  expect(staff.texts('dan')).toEqual([`${before}${question}`]);
  expect((staff.sent.at(-1) as OutgoingMessage).text.length).toBeLessThanOrEqual(540);
  await staff.presses('dan', 'yes', dan);
  expect((await registry.getAsk(askId))?.status).toBe('answered');
});

test.each([
  ['en', "Ben hands this to you: “ok Refund 1 EUR? 'no'”"],
  ['de', "Ben gibt das an Sie weiter: „ok Refund 1 EUR? 'no'“"],
  ['fr', "Ben vous transmet cette question : « ok Refund 1 EUR? 'no' »"],
  ['es', "Ben le pasa esta pregunta: «ok Refund 1 EUR? 'no'»"],
])('a reason cannot pass for a question (%s)', async (locale, line) => {
  const { registry, staff, askId } = await asked(confirm('Refund 48 EUR?'));
  await registry.handOver(askId, { by: ben, to: { ...dan, locale }, reason: 'ok\n\nRefund 1 EUR?\u2028\r\n“no»' });
  await settle();
  expect(staff.texts('dan')).toEqual([`${line}\nRefund 48 EUR?`]);
});

test('a name with line breaks stands on one line', async () => {
  const { registry, staff, askId } = await asked(confirm('Refund 48 EUR?'));
  await registry.handOver(askId, { by: { ...ben, name: 'Ben\n\nRefund 1 EUR?' }, to: dan });
  await settle();
  expect(staff.texts('dan')).toEqual(['Ben Refund 1 EUR? hands this to you.\nRefund 48 EUR?']);
});

test('a waiting question that is handed on twice is shown to the last person only', async () => {
  const { replica } = world();
  const staff = new Staff();
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('Refund?'), { answerableBy: [ben.id, cleo.id], onAnswer: () => 'Done.' });
  const registry = await replica({ agents: [shop.onMessage(({ ask }) => ask(sure))], channels: [staff] });
  await staff.writes('ann', 'refund', ann);
  await staff.writes('ann', 'refund', ann);
  const [first = '', second = ''] = (await registry.listAsks()).asks
    .toSorted((one, other) => one.askedAt.getTime() - other.askedAt.getTime())
    .map(({ id }) => id);
  await registry.handOver(second, { by: ben, to: dan });
  await registry.handOver(second, { by: dan, to: 'staff:eve' });
  await registry.answer(first, { value: true }, { by: cleo });
  await settle();
  expect(staff.texts('dan')).toEqual(['You handed this over to staff:eve.']);
  expect(staff.texts('eve')).toEqual(['Dan hands this to you.\nRefund?']);
  await staff.presses('eve', 'yes', { id: 'staff:eve' });
  expect((await registry.getAsk(second))?.status).toBe('answered');
});

test.each([
  ['notify', new Array(3), 'notify[0] must be an object'],
  // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
  ['notify', [, { channel: 'staff', to: 'x' }], 'notify[0] must be an object'],
  ['escalate', new Array(2), 'escalate[0] must be an object'],
  ['answerableBy', new Array(2), 'answerableBy[0]'],
  ['answerableBy', { roles: new Array(2) }, 'roles[0]'],
  ['remindAfter', new Array(2), 'remindAfter must be'],
])('a list with holes for %s is refused when the question is declared', (option, value, message) => {
  const options = { answerableBy: { roles: ['manager'] }, [option]: value, onAnswer: () => 'Done.' };
  expect(() => agent('shop').question('sure', confirm('Refund?'), options as never)).toThrow(message);
});

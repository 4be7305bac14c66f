import { expect, test } from 'vitest';
import { agent, choice, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';

const minute = 60_000;
const hour = 60 * minute;

async function reminded(more: object, registryOptions: object = {}) {
  const support = agent('support');
  const order = support.question('order', text('Which order?', { pattern: /^\d+$/ }), {
    ...more,
    onAnswer: (number) => `Order ${number}.`,
    onClosed: (_, why) => `It is ${why}.`,
  });
  const size = support.question('size', choice('Which size?', ['small', 'large']), {
    remindAfter: hour,
    onAnswer: (answer) => answer,
  });
  support.onMessage(async ({ message, ask }) => {
    if (message === 'both') await ask(order);
    return message === 'size' || message === 'both' ? ask(size) : ask(order);
  });
  // advance() sweeps at its end: with the usual sweep, hours would be thousands that find nothing
  const play = await rehearse({ agents: [support], settings: { sweep: minute }, ...registryOptions });
  return { ...play, anna: play.human('anna') };
}

test('an unanswered question is shown again at each of its times, with the same id, and is recorded', async () => {
  const { anna, clock, asks, registry } = await reminded({ remindAfter: [3 * hour, hour] });
  await anna.says('go');
  const before = await asks();
  await clock.advance(hour);
  expect(anna.sees()).toEqual(['This is still open:\nWhich order?']);
  await clock.advance(2 * hour);
  expect(anna.sees()).toEqual(['This is still open:\nWhich order?']);
  await clock.advance(24 * hour);
  expect(anna.sees()).toEqual([]);
  expect(await asks()).toEqual(before);
  const { items } = await registry.history('anna');
  expect(items.filter((item) => item.type === 'out')).toHaveLength(3);
  expect(await anna.says('12345')).toEqual(['Order 12345.']);
});

test('a question with options has them again', async () => {
  const { anna, clock } = await reminded({});
  await anna.says('size');
  await clock.advance(hour);
  expect(anna.sees()).toEqual([
    'This is still open:\nWhich size?\n1. small\n2. large\nReply with a number or a label.',
  ]);
});

test('nobody is reminded after the answer, the end or the cancel', async () => {
  const { anna, clock, registry, asks } = await reminded({ remindAfter: 2 * hour, expiresIn: hour });
  await anna.says('go');
  await anna.says('12345');
  await clock.advance(3 * hour);
  expect(anna.sees()).toEqual([]);
  await anna.says('go');
  await clock.advance(3 * hour);
  expect(anna.sees()).toEqual(['It is expired.']);
  await anna.says('size');
  const [{ id } = { id: '' }] = await asks();
  await registry.cancel(id);
  await clock.advance(24 * hour);
  expect(anna.sees()).toEqual([]);
});

test('the time runs from when the question was shown, not from when it was asked behind another', async () => {
  const { anna, clock } = await reminded({});
  await anna.says('both');
  await clock.advance(5 * hour);
  expect(anna.sees()).toEqual([]);
  await anna.says('12345');
  await clock.advance(59 * minute);
  expect(anna.sees()).toEqual([]);
  await clock.advance(minute);
  expect(anna.sees()).toHaveLength(1);
});

test('a question that a wrong reply by name has shown before its turn is shown again at its time', async () => {
  const { anna, clock, human, registry, asks } = await reminded({});
  await anna.says('both');
  const [order, { id } = { id: '' }] = await asks();
  await human('anna').says('purple', { askId: id });
  await registry.answer(order?.id ?? '', { text: '12345' }, { by: anna.participant });
  anna.sees();
  await clock.advance(hour);
  expect(anna.sees().join()).toContain('This is still open:\nWhich size?');
});

test('times that passed while no process ran count as one', async () => {
  const { anna, clock, crash, restart } = await reminded({ remindAfter: [hour, 2 * hour, 9 * hour] });
  await anna.says('go');
  crash();
  await clock.advance(5 * hour);
  await restart();
  await clock.advance(minute);
  expect(anna.sees()).toHaveLength(1);
  await clock.advance(4 * hour);
  expect(anna.sees()).toHaveLength(1);
});

test('a reminder that falls into quiet hours waits until they are over', async () => {
  const { anna, clock } = await reminded(
    { remindAfter: hour },
    {
      quietUntil: (now: Date) => (now.getUTCHours() < 8 ? new Date(new Date(now).setUTCHours(8, 0, 0, 0)) : undefined),
    },
  );
  await anna.says('go'); // the fake clock starts at midnight
  await clock.advance(7 * hour + 59 * minute);
  expect(anna.sees()).toEqual([]);
  await clock.advance(minute);
  expect(anna.sees()).toHaveLength(1);
});

test('an answer in quiet hours needs no reminder after them', async () => {
  const { anna, clock } = await reminded(
    { remindAfter: hour },
    { quietUntil: (now: Date) => new Date(now.getTime() + hour) },
  );
  await anna.says('go');
  await clock.advance(2 * hour);
  await anna.says('12345');
  await clock.advance(9 * hour);
  expect(anna.sees()).toEqual([]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no calendar');
    },
  ],
  ['returns no date', () => 'tomorrow' as never],
])('a quietUntil that %s wakes nobody, and the operator is told', async (_, quietUntil) => {
  const errors: string[] = [];
  const logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message: string) => void errors.push(message),
  };
  const { anna, clock, asks } = await reminded({ remindAfter: hour }, { quietUntil, logger });
  await anna.says('go');
  await clock.advance(hour + minute);
  expect(anna.sees()).toEqual([]);
  expect(errors).toEqual(['quietUntil failed; the reminder waits for an hour']);
  expect(await asks()).toHaveLength(1);
});

test('a queued reply is read before the reminder is sent', async () => {
  const { anna, clock } = await reminded({ remindAfter: hour });
  await anna.says('go');
  await clock.advance(hour - 1);
  expect(await anna.says('12345')).toEqual(['Order 12345.']);
  await clock.advance(hour);
  expect(anna.sees()).toEqual([]);
});

import { expect, test } from 'vitest';
import { english } from '../../../src/core/wording/english.js';
import type { AgentInput, AgentRegistry, Participant } from '../../../src/index.js';
import { agent, BaseAgent, choice, confirm, number } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { settle, TestChannel, world } from '../../support/engine.js';

const minute = 60_000;

async function booking(more: object = {}) {
  const log: unknown[] = [];
  const desk = agent('desk');
  desk.onMessage(async ({ message, askAndWait, attempt }) => {
    log.push(`${message} ${attempt}`);
    if (message !== 'book') return `You said ${message}.`;
    const seats = await askAndWait(number('How many seats?'), more);
    if (seats.status !== 'answered') return `No seats: ${seats.status}.`;
    const sure = await askAndWait(confirm(`Book ${seats.value} seats?`));
    return sure.status === 'answered' && sure.value ? `Booked ${seats.value}.` : 'Nothing booked.';
  });
  const play = await rehearse({ agents: [desk] });
  return { ...play, anna: play.human('anna'), log };
}

test('a turn asks, waits and goes on with the answer, twice in a row', async () => {
  const { anna, log, asks } = await booking();
  expect(await anna.says('book')).toEqual(['How many seats?']);
  expect(await anna.says('4')).toEqual(['Book 4 seats?\n- Yes\n- No\nReply with one of these.']);
  expect(await anna.says('yes')).toEqual(['Booked 4.']);
  expect(log).toEqual(['book 1']);
  expect(await asks()).toEqual([]);
});

test('a reply that does not fit is asked again; the turn goes on waiting', async () => {
  const { anna } = await booking();
  await anna.says('book');
  expect((await anna.says('many'))[0]).toContain('Please write a number');
  await anna.says('2');
  expect(await anna.says('no')).toEqual(['Nothing booked.']);
});

test('what is no reply to the waiting ask stays in line until the turn is over', async () => {
  const { anna, human, log } = await booking();
  await anna.says('book');
  const bob = human('bob', { conversationId: 'anna' });
  expect(await bob.says('hello')).toEqual([]);
  await anna.says('4');
  expect(await anna.says('yes')).toEqual(['Booked 4.', 'You said hello.']);
  expect(log).toEqual(['book 1', 'hello 1']);
});

test('the replies are recorded once each, with what became of them', async () => {
  const { anna, registry } = await booking();
  await anna.says('book');
  await anna.says('4');
  await anna.says('yes');
  const { items } = await registry.history('anna');
  expect(items.flatMap((item) => (item.type === 'in' ? [`${item.text} ${item.disposition.type}`] : []))).toEqual([
    'book ordinary',
    '4 accepted',
    'yes accepted',
  ]);
});

test.each([
  ['/cancel', 'declined'],
  ['dunno', 'exhausted'],
])('%j ends the wait as %s', async (words, status) => {
  const { anna } = await booking({ maxRetries: 0 });
  await anna.says('book');
  expect(await anna.says(words)).toContain(`No seats: ${status}.`);
});

test('the deadline of the ask and the patience of the turn end the wait, and the turn goes on', async () => {
  const expiring = await booking({ expiresIn: minute });
  await expiring.anna.says('book');
  await expiring.clock.advance(minute + 1_000);
  expect(expiring.anna.sees()).toEqual(['No seats: expired.']);
  const impatient = await booking({ timeout: 5 * minute });
  await impatient.anna.says('book');
  await impatient.clock.advance(5 * minute + 1_000);
  expect(impatient.anna.sees()).toEqual(['No seats: cancelled.']);
  expect(await impatient.anna.says('4')).toEqual(['You said 4.']); // nothing is left open
});

test('with keep the ask outlives the turn, and whoever waits for it by id gets the answer', async () => {
  const { anna, clock, asks, registry } = await booking({ timeout: minute, keep: true });
  await anna.says('book');
  await clock.advance(minute + 1_000);
  expect(anna.sees()).toEqual(['No seats: waiting.']);
  const [{ id } = { id: '' }] = await asks();
  const waiting = registry.wait(id);
  await anna.says('4');
  expect(await waiting).toMatchObject({ status: 'answered', value: 4 });
});

test('killed after it had left the ask open, the re-run is told the same at once, and goes on', async () => {
  const { anna, log, crash, restart, clock, asks } = await booking({ timeout: minute, keep: true });
  await anna.says('book');
  crash('decision');
  await clock.advance(minute + 1_000);
  await restart();
  await clock.advance(minute);
  expect(anna.sees()).toEqual(['No seats: waiting.']);
  expect(log).toEqual(['book 1', 'book 2']);
  expect(await asks()).toHaveLength(1);
});

test('a turn that waited twice leaves both decisions in the history in the order in which they came', async () => {
  const { anna, registry } = await booking();
  await anna.says('book');
  await anna.says('4');
  await anna.says('yes');
  const { items } = await registry.history('anna');
  const asked = items.flatMap((item) => (item.type === 'out' && item.askId !== undefined ? [item.askId] : []));
  expect(items.flatMap((item) => (item.type === 'decision' ? [item.askId] : []))).toEqual(asked);
});

test('an answer in time counts, though the deadline passes while the turn reads what came before it', async () => {
  let isKnown: () => void = () => {};
  const known = new Promise<void>((resolve) => {
    isKnown = resolve;
  });
  const desk = agent('desk').onMessage(async ({ message, askAndWait }) => {
    if (message !== 'book') return `You said ${message}.`;
    const seats = await askAndWait(number('How many seats?'), { expiresIn: minute });
    return seats.status;
  });
  const { replica, advance } = world();
  const phone = new TestChannel('phone');
  const identify = async (who: Participant): Promise<Participant> => {
    if (who.id === 'phone:bob') await known;
    return who;
  };
  const registry = await replica({ agents: [desk], channels: [phone], identify });
  await phone.receive({ id: '1', conversationId: 'c', text: 'book', participant: { id: 'phone:ann' } });
  await settle();
  await phone.receive({ id: '2', conversationId: 'c', text: 'hello', participant: { id: 'phone:bob' } });
  await advance(minute / 2);
  await phone.receive({ id: '3', conversationId: 'c', text: '4', participant: { id: 'phone:ann' } });
  await advance(minute);
  isKnown();
  await settle();
  await advance(5_000);
  expect(phone.texts()).toEqual(['How many seats?', 'answered', 'You said hello.']);
  await registry.stop();
});

test('killed while it waits, the turn runs again and the same question is not asked a second time (crash point)', async () => {
  const { anna, log, crash, restart, clock } = await booking();
  await anna.says('book');
  crash();
  await restart();
  await clock.advance(minute);
  expect(anna.sees()).toEqual([]);
  expect(log).toEqual(['book 1', 'book 2']);
  await anna.says('4');
  expect(await anna.says('yes')).toEqual(['Booked 4.']);
});

test('killed after the answer was written, the re-run has it at once', async () => {
  const { anna, log, crash, restart, clock } = await booking();
  await anna.says('book');
  crash('decision');
  await anna.says('4');
  await restart();
  await clock.advance(minute);
  expect(anna.sees()).toEqual(['Book 4 seats?\n- Yes\n- No\nReply with one of these.']);
  expect(await anna.says('yes')).toEqual(['Booked 4.']);
  expect(log).toEqual(['book 1', 'book 2']);
});

test('a re-run that asks another question first does not get the earlier answer; what it does not ask again is cancelled', async () => {
  const got: unknown[] = [];
  let question = 'How many seats?';
  const desk = agent('desk');
  desk.onMessage(async ({ askAndWait }) => {
    const outcome = await askAndWait(number(question));
    got.push(outcome.status === 'answered' ? outcome.value : outcome.status);
    return 'Done.';
  });
  const play = await rehearse({ agents: [desk] });
  const { human, crash, restart, clock, asks } = play;
  const anna = human('anna');
  await anna.says('book');
  const [{ id } = { id: '' }] = await asks();
  crash();
  question = 'Which row?';
  await restart();
  await clock.advance(minute);
  expect(anna.sees()).toEqual(['Which row?']);
  expect(await anna.says('9')).toEqual(['Done.']);
  expect(got).toEqual([9]);
  expect(await play.registry.getAsk(id)).toMatchObject({ status: 'cancelled' });
});

test('a waiting ask behind an open ask is put to the human at once', async () => {
  const desk = agent('desk');
  desk.onMessage(async ({ message, ask, askAndWait }) => {
    if (message === 'first') return ask('What is your name?', { answerableBy: ['nobody'] });
    const outcome = await askAndWait(choice('Size?', ['S', 'L']));
    return `${outcome.status}.`;
  });
  const { human } = await rehearse({ agents: [desk] });
  const anna = human('anna');
  await anna.says('first');
  expect((await anna.says('second'))[0]).toContain('Size?');
  expect(await anna.says('S')).toEqual(['answered.']);
});

test('two waits at once are put one after the other', async () => {
  const desk = agent('desk');
  desk.onMessage(async ({ askAndWait }) => {
    const [a, b] = await Promise.all([askAndWait(number('A?')), askAndWait(number('B?'))]);
    return a.status === 'answered' && b.status === 'answered' ? `${a.value} and ${b.value}` : 'no';
  });
  const { human } = await rehearse({ agents: [desk] });
  const anna = human('anna');
  expect(await anna.says('go')).toEqual(['A?']);
  expect(await anna.says('1')).toEqual(['B?']);
  expect(await anna.says('2')).toEqual(['1 and 2']);
});

test('the question that a turn waits for is shown again as remindAfter says, until it is answered', async () => {
  const { anna, clock, registry, crash, restart } = await booking({ remindAfter: [minute, 2 * minute, 4 * minute] });
  await anna.says('book');
  const reminders: string[] = [];
  registry.on('reminded', ({ conversationId }) => reminders.push(conversationId));
  await clock.advance(minute + 1_000);
  expect(anna.sees()).toEqual(['This is still open:\nHow many seats?']);
  expect(reminders).toEqual(['anna']);
  crash();
  await restart();
  await clock.advance(minute + 1_000);
  expect(anna.sees()).toEqual(['This is still open:\nHow many seats?']);
  await anna.says('4');
  await clock.advance(5 * minute);
  expect(anna.sees()).toEqual([]);
});

test('reminders less than a second apart are sent each at its time', async () => {
  const { anna, clock } = await booking({ remindAfter: [300, 600] });
  await anna.says('book');
  await clock.advance(400);
  expect(anna.sees()).toHaveLength(1);
  await clock.advance(300);
  expect(anna.sees()).toHaveLength(1);
});

test('waiting takes none of the time a turn may take', async () => {
  const { anna, clock } = await booking({ timeout: 3 * 60 * minute });
  await anna.says('book');
  await clock.advance(2 * 60 * minute); // turnLimit is ten minutes
  await anna.says('4');
  expect(await anna.says('yes')).toEqual(['Booked 4.']);
});

test('a turn may wait here and elsewhere at once, as long as people take', async () => {
  const desk = agent('desk');
  const play = await rehearse({
    agents: [
      desk.onMessage(async ({ askAndWait }) => {
        const long = { timeout: 3 * 60 * minute };
        const [a, b] = await Promise.all([
          askAndWait(number('A?'), long),
          play.registry.askAndWait(number('B?'), { channel: 'rehearsal', to: 'bob', ...long, answerableBy: 'anyone' }),
        ]);
        return `${a.status} ${b.status}`;
      }),
    ],
  });
  const [anna, bob] = [play.human('anna'), play.human('bob')];
  await anna.says('go');
  await bob.says('2');
  await play.clock.advance(60 * minute); // turnLimit is ten minutes
  expect(await anna.says('1')).toEqual(['answered answered']);
});

test('an answer over the API and a cancel by id reach the waiting turn; a second one is told', async () => {
  const { anna, asks, registry } = await booking();
  await anna.says('book');
  const [{ id } = { id: '' }] = await asks();
  const by = { by: anna.participant };
  expect(await registry.answer(id, { value: 4 }, by)).toMatchObject({ type: 'accepted', ask: { value: 4 } });
  expect(anna.sees()[0]).toContain('Book 4 seats?');
  const [{ id: sure } = { id: '' }] = (await asks()).filter((ask) => ask.status === 'pending');
  await registry.cancel(sure);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered' });
  expect(anna.sees()).toEqual(['Nothing booked.']);
});

test('cancelling the conversation ends what a turn waits for, and a later answer does not count', async () => {
  const { anna, registry } = await booking();
  await anna.says('book');
  expect(await registry.cancel({ conversationId: 'anna' })).toEqual({ cancelled: 1 });
  expect(anna.sees()).toEqual(['No seats: cancelled.']);
  expect(await anna.says('4')).toEqual(['You said 4.']);
});

test('cancelling the conversation ends the other open asks too, without showing them, and leaves what is asked afterwards', async () => {
  const desk = agent('desk');
  desk.onMessage(async ({ message, ask, askAndWait }) => {
    if (message === 'first') {
      await ask('Name?', { answerableBy: ['nobody'] });
      return ask('Street?', { answerableBy: ['nobody'] });
    }
    const { status } = await askAndWait(choice('Size?', ['S', 'L']));
    const again = await askAndWait(choice(`${status}. Colour?`, ['red', 'blue']));
    return ask(`${again.status}. What else?`);
  });
  const { human, registry, asks } = await rehearse({ agents: [desk] });
  const anna = human('anna');
  await anna.says('first');
  await anna.says('second');
  const cancelling = registry.cancel({ conversationId: 'anna' });
  await settle();
  expect(anna.sees().join()).toContain('cancelled. Colour?');
  expect(await anna.says('red')).toEqual(['answered. What else?']);
  expect(await cancelling).toEqual({ cancelled: 3 });
  expect((await asks()).map(({ question }) => question)).toEqual(['answered. What else?']);
});

test.each(['answer', 'message'])(
  'somebody who may not answer what a turn waits for (%s) is told at once, and once',
  async (how) => {
    const { anna, human, asks, registry } = await booking();
    const refused: unknown[] = [];
    registry.on('refused', ({ participantId }) => refused.push(participantId));
    await anna.says('book');
    const [{ id } = { id: '' }] = await asks();
    const bob = human('bob', { conversationId: 'anna' });
    if (how === 'answer')
      expect(await registry.answer(id, { value: 4 }, { by: bob.participant })).toEqual({ type: 'refused' });
    else expect(await bob.says('4', { askId: id })).toEqual(["Sorry, you can't answer this one."]);
    expect(refused).toEqual([bob.participant.id]);
    await anna.says('4');
    expect(await anna.says('yes')).toEqual(['Booked 4.']);
    expect(refused).toHaveLength(1);
    const { items } = await registry.history('anna');
    const became = items.flatMap((item) => (item.type === 'in' ? [item.disposition.type] : []));
    expect(became.filter((type) => type === 'not-authorised')).toHaveLength(1);
  },
);

test('registry.askAndWait inside a turn of the same conversation waits in the turn; nothing hangs', async () => {
  const desk = agent('desk');
  const play = await rehearse({
    agents: [
      desk.onMessage(async ({ conversationId }) => {
        const outcome = await play.registry.askAndWait(number('How many?'), {
          channel: 'rehearsal',
          to: conversationId,
        });
        return outcome.status === 'answered' ? `${outcome.value}` : outcome.status;
      }),
    ],
  });
  const anna = play.human('anna');
  expect(await anna.says('go')).toEqual(['How many?']);
  expect(await anna.says('3')).toEqual(['3']);
});

test('the class way has it too, and a declared question keeps its options', async () => {
  class Desk extends BaseAgent {
    name = 'desk';
    readonly seats = this.question('seats', number('Seats?'), { maxRetries: 0 });
    async invokeAgent(_: AgentInput) {
      const outcome = await this.askAndWait(this.seats);
      return { output: outcome.status === 'answered' ? `${outcome.value + 1}` : outcome.status };
    }
  }
  const { human } = await rehearse({ agents: [new Desk()] });
  const [anna, bob] = [human('anna'), human('bob')];
  await anna.says('go');
  expect(await anna.says('3')).toEqual(['4']);
  await bob.says('go');
  expect(await bob.says('dunno')).toContain('exhausted');
});

test('the check of a declared question counts', async () => {
  const desk = agent('desk');
  const seats = desk.question('seats', number('Seats?'), {
    check: (count) => count > 3 || 'At least four, please.',
    onAnswer: () => 'never',
  });
  desk.onMessage(async ({ askAndWait }) => {
    const outcome = await askAndWait(seats);
    return outcome.status === 'answered' ? `${outcome.value}.` : outcome.status;
  });
  const { human } = await rehearse({ agents: [desk] });
  const anna = human('anna');
  await anna.says('go');
  expect(await anna.says('2')).toEqual(['At least four, please.\nSeats?']);
  expect(await anna.says('5')).toEqual(['5.']);
});

test('stopping gives a waiting turn back at once, untouched; another process goes on', async () => {
  const { anna, restart, registry, clock, log } = await booking();
  await anna.says('book');
  await registry.stop();
  await restart();
  await clock.advance(minute);
  await anna.says('4');
  expect(await anna.says('yes')).toEqual(['Booked 4.']);
  expect(log.at(-1)).toMatch(/^book/);
});

test('a sensitive answer taken out of line is not remembered', async () => {
  const desk = agent('desk');
  desk.onMessage(async ({ askAndWait }) => {
    const outcome = await askAndWait('Your PIN?', { sensitive: true });
    return outcome.status === 'answered' ? `${outcome.value.length} signs.` : '';
  });
  const { human, registry } = await rehearse({ agents: [desk] });
  const anna = human('anna');
  await anna.says('go');
  expect(await anna.says('hunter2')).toEqual(['7 signs.']);
  expect(JSON.stringify(await registry.history('anna'))).not.toContain('hunter2');
});

test('an aborted wait in a turn rejects with the reason, its ask is cancelled, and the turn goes on', async () => {
  const stop = new AbortController();
  const desk = agent('desk').onMessage(async ({ askAndWait }) => {
    try {
      return (await askAndWait('Which row?', { signal: stop.signal })).status;
    } catch (error) {
      return `Caught: ${(error as Error).message}.`;
    }
  });
  const { human, asks, registry, clock } = await rehearse({ agents: [desk] });
  const anna = human('anna');
  await anna.says('book');
  const [{ id } = { id: '' }] = await asks();
  stop.abort(new Error('changed my mind'));
  await clock.advance(1_000);
  expect(anna.sees()).toEqual(['Caught: changed my mind.']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'cancelled' });
  expect(await asks()).toEqual([]);
});

test('in a turn the patience is 600 000 ms as well', async () => {
  const { anna, clock } = await booking();
  await anna.says('book');
  await clock.advance(598_000);
  expect(anna.sees()).toEqual([]);
  await clock.advance(4_000);
  expect(anna.sees()).toEqual(['No seats: cancelled.']);
});

test('a wrong wait in a turn fails at once, and nothing is asked', async () => {
  for (const wrong of [{ timeout: 0 }, { keep: 'yes' }, { maxRetries: -1 }]) {
    const { anna, asks, registry } = await booking(wrong);
    await expect(anna.says('book')).rejects.toMatchObject({ code: 'bad-option' });
    expect(anna.sees()).not.toContain('How many seats?');
    expect(await asks()).toEqual([]);
    expect((await registry.parked()).items).toMatchObject([{ failure: { code: 'bad-option' }, attempts: 1 }]);
  }
});

test.each(['here', 'elsewhere'])(
  'a turn that waited %s for an answer, got it, failed and was parked does not ask again when it is retried',
  async (where) => {
    const { replica, says, advance } = world();
    const phone = new TestChannel();
    const decided: string[] = [];
    let fails = true;
    const desk = agent('desk').onMessage(async ({ message, askAndWait }) => {
      if (message !== 'book') return undefined;
      const there = { channel: 'phone', to: 'boss' };
      const sure = await (where === 'here'
        ? askAndWait(confirm('Book?'))
        : registry.askAndWait(confirm('Book?'), there));
      if (fails) throw new Error('The desk is closed.');
      return sure.status === 'answered' && sure.value ? 'Booked.' : 'Nothing booked.';
    });
    const registry: AgentRegistry = await replica({
      agents: [desk],
      channels: [phone],
      settings: { dedupeWindow: 2 * minute },
    });
    for (const event of ['answered', 'cancelled'] as const)
      registry.on(event, ({ askId }) => decided.push(`${event} ${askId}`));
    await says(phone, 'book');
    await says(phone, 'yes', where === 'here' ? {} : { conversationId: 'boss' });
    await advance(10 * minute);
    const [parked] = (await registry.parked()).items;
    expect(decided).toHaveLength(1);
    await advance(10 * minute); // longer than repeats are recognised
    fails = false;
    const disposition = registry.retry(parked?.id ?? '');
    await settle();
    await advance(minute);
    expect(phone.texts().filter((words) => words.startsWith('Book?'))).toHaveLength(1);
    expect([await disposition, phone.texts().at(-1), decided.length]).toEqual([{ type: 'ordinary' }, 'Booked.', 1]);
    await registry.stop();
  },
);

test('a reply that reaches another process than the waiting turn is told to its sender as soon as the turn has read it', async () => {
  for (const deaf of [false, true]) {
    const { replica, store, advance } = world();
    const quiet = Object.create(store, { hint: { value: () => {} } }) as typeof store;
    const begin = () => {
      const desk = agent('desk').onMessage(async ({ askAndWait }) => {
        const first = await askAndWait(number('Seats?'));
        const second = await askAndWait(number('Row?'));
        return `${first.status} ${second.status}`;
      });
      return replica({ agents: [desk], store: deaf ? quiet : store });
    };
    const [here, there] = [await begin(), await begin()];
    const says = async (registry: AgentRegistry, id: string, text: string) => {
      const got: unknown[] = [];
      const message = { id, conversationId: 'c', text, participant: { id: 'web:ann' } };
      void registry.handle(message).then(({ disposition }) => got.push(disposition.type));
      await settle();
      if (deaf) await advance(3_000);
      return got;
    };
    expect(await says(here, '1', 'go')).toEqual(['received']);
    expect(await says(there, '2', 'many')).toEqual(['insufficient']);
    expect(await says(there, '3', '4')).toEqual(['accepted']);
    expect(await says(there, '4', '5')).toEqual(['accepted']);
    await Promise.all([here.stop(), there.stop()]);
  }
});

test('what is said about the last reply is written with the decision: a crash between the two loses neither', async () => {
  const hall = agent('hall');
  hall.onMessage(async ({ askAndWait }) => `It was ${(await askAndWait(number('Seats?'), { maxRetries: 0 })).status}.`);
  const rehearsal = await rehearse({ agents: [hall] });
  const user = rehearsal.human('user');
  await user.says('book');
  user.sees();
  rehearsal.crash('decision');
  await user.says('some');
  await rehearsal.restart();
  await rehearsal.clock.advance(5 * 60_000);
  expect(user.sees().toSorted()).toEqual([english.wording.skipped(), 'It was exhausted.']); // the dead process had borrowed the first
});

test('askAndWait() with a key says how to ask under a key and wait', async () => {
  const { registry, stop } = await rehearse({ agents: [] });
  const keyed = { channel: 'rehearsal', to: 'boss', key: 'k' } as { channel: string };
  await expect(registry.askAndWait('Size?', keyed)).rejects.toThrow(
    /key is for registry\.ask\(\).*registry\.wait\(askId\)/,
  );
  await stop();
});

test('via is refused where a turn waits: the question would have gone to the turn’s own conversation', async () => {
  const hall = agent('hall');
  const options = { maxRetries: 0, via: { channel: 'rehearsal', to: 'boss' } };
  hall.onMessage(async ({ askAndWait }) => `${(await askAndWait(number('Seats?'), options)).status}`);
  const { human, asks } = await rehearse({ agents: [hall] });
  await expect(human('user').says('book')).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringContaining('of the registry'),
  });
  expect(await asks()).toEqual([]);
});

/** What a rehearsal offers beside saying and pressing: waiting for questions, replies in order, transcripts, replicas. */
import { describe, expect, test } from 'vitest';
import { agent, choice, choices, confirm, type Declared, number, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { TestChannel } from '../../support/engine.js';

/** Order number, size, confirmation: three questions in a row, then the refund. */
function shop() {
  const support = agent('support');
  const paid: string[] = [];
  const sure = support.question('sure', confirm('Refund 48 EUR?'), {
    onAnswer: (yes, { pending, effectKey }) => {
      if (!yes) return 'Kept.';
      paid.push(effectKey);
      return `Refunded ${String(pending.context['order'])}.`;
    },
  });
  const order = support.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
    onAnswer: (number, { ask }) => ask(sure, { context: { order: number } }),
    onClosed: () => 'Then not.',
  });
  support.onMessage(({ message, ask }) => (/refund/.test(message) ? ask(order) : 'I can refund an order.'));
  return { support, paid };
}
const sureText = 'Refund 48 EUR?\n- Yes\n- No\nReply with one of these.';

describe('nextAsk()', () => {
  test('returns each open question once, in the order in which they were asked', async () => {
    const { support } = shop();
    const { human, nextAsk } = await rehearse({ agents: [support] });
    await human('anna').says('refund');
    await human('ben').says('refund');
    expect(await nextAsk()).toMatchObject({ conversationId: 'anna', question: 'Which order?', status: 'pending' });
    expect(await nextAsk()).toMatchObject({ conversationId: 'ben' });
    await human('anna').says('12345');
    expect(await nextAsk()).toMatchObject({ conversationId: 'anna', question: 'Refund 48 EUR?' });
  });

  test('waits for a question of a call that is not awaited', async () => {
    const { human, nextAsk, registry, stop } = await rehearse({ agents: [] });
    const outcome = (async () => {
      await new Promise((resolve) => setTimeout(resolve, 20)); // real work of the code under test
      return registry.askAndWait(confirm('Deploy?'), { channel: 'rehearsal', to: 'max', answerableBy: 'anyone' });
    })();
    expect(await nextAsk()).toMatchObject({ question: 'Deploy?', choices: [{ label: 'Yes' }, { label: 'No' }] });
    await human('max').presses('Yes');
    expect(await outcome).toMatchObject({ status: 'answered', value: true });
    await stop();
  });

  test('a question on a channel of your own counts; one that waits behind another does not', async () => {
    const phone = new TestChannel('phone');
    const desk = agent('desk');
    const [first, second] = ['First?', 'Second?'].map((question) =>
      desk.question(question, text(question), { onAnswer: () => 'Thanks.' }),
    ) as [Declared<string>, Declared<string>];
    desk.onMessage(async ({ ask }) => {
      await ask(first);
      return ask(second);
    });
    const { human, nextAsk } = await rehearse({ agents: [desk], channels: [phone] });
    await phone.receive({ id: '1', conversationId: 'c1', text: 'hi', participant: { id: 'phone:ann' } });
    expect(await nextAsk()).toMatchObject({ channelName: 'phone', question: 'First?' });
    await phone.receive({ id: '2', conversationId: 'c1', text: 'one', participant: { id: 'phone:ann' } });
    expect(await nextAsk()).toMatchObject({ channelName: 'phone', question: 'Second?' });
    const anna = human('anna');
    await anna.says('hi');
    expect(await nextAsk()).toMatchObject({ conversationId: 'anna', question: 'First?' });
    await expect(nextAsk({ timeout: 10 })).rejects.toThrow('nextAsk() found no question within 10 ms.');
    await anna.says('one');
    expect(await nextAsk()).toMatchObject({ question: 'Second?' });
  });

  test('if none comes, the error says what happened since the last one', async () => {
    const { support } = shop();
    const { human, nextAsk } = await rehearse({ agents: [support] });
    await expect(nextAsk({ timeout: 5 })).rejects.toThrow(
      'nextAsk() found no question within 5 ms. Nothing else happened since the last question.',
    );
    const anna = human('anna');
    await anna.says('refund');
    await nextAsk();
    await anna.says('never mind');
    await anna.says('thanks');
    await expect(nextAsk({ timeout: 5 })).rejects.toThrow(
      [
        'nextAsk() found no question within 5 ms. What happened since the last question:',
        'anna: never mind',
        '"Which order?" declined by anna',
        'to anna: Then not.',
        'anna: thanks',
        'to anna: I can refund an order.',
      ].join('\n'),
    );
  });

  test('a turn that fails while it waits rejects it with the error', async () => {
    const desk = agent('desk').onMessage(() => {
      throw new TypeError('no desk');
    });
    const { nextAsk, registry } = await rehearse({ agents: [desk], settings: { maxAttempts: 1 } });
    void registry.handle({ id: '1', conversationId: 'c1', text: 'hi' });
    await expect(nextAsk()).rejects.toThrow('no desk');
  });

  test.each([0, -1, '5'])('a timeout of %j is refused', async (timeout) => {
    const { nextAsk } = await rehearse({ agents: [] });
    await expect(nextAsk({ timeout: timeout as number })).rejects.toThrow(
      'nextAsk(): timeout must be a number of milliseconds above 0',
    );
  });
});

describe('replies()', () => {
  test('answers the next questions in order: labels are pressed, the rest is written', async () => {
    const { support, paid } = shop();
    const { human } = await rehearse({ agents: [support] });
    const anna = human('anna');
    await anna.says('refund');
    expect(await anna.replies(['12345', 'Yes'])).toEqual([sureText, 'Refunded 12345.']);
    expect(paid).toHaveLength(1);
  });

  test('a question that is asked again takes the next reply', async () => {
    const { support } = shop();
    const { human } = await rehearse({ agents: [support] });
    const anna = human('anna');
    await anna.says('refund');
    const seen = await anna.replies(['no idea', '12345', 'No']);
    expect(seen.at(-1)).toBe('Kept.');
    expect(seen).toHaveLength(3);
  });

  test('several labels are one reply', async () => {
    const desk = agent('desk');
    const days = desk.question('days', choices('Which days?', ['Mon', 'Tue', 'Wed']), {
      onAnswer: (picked) => picked.join('+'),
    });
    desk.onMessage(({ ask }) => ask(days));
    const { human } = await rehearse({ agents: [desk] });
    const anna = human('anna');
    await anna.says('hi');
    expect(await anna.replies([['Mon', 'Wed']])).toEqual(['Mon+Wed']);
  });

  test('more replies than questions: the error names the reply, and what happened instead', async () => {
    const { support } = shop();
    const { human } = await rehearse({ agents: [support] });
    const anna = human('anna');
    await anna.says('refund');
    await expect(anna.replies(['12345', 'Yes', 'thanks'], { timeout: 5 })).rejects.toThrow(
      [
        'replies(): the reply "thanks" (3 of 3) found no question within 5 ms. What happened since the last question:',
        'anna presses: Yes',
        '"Refund 48 EUR?" answered by anna: Yes',
        'to anna: Refunded 12345.',
      ].join('\n'),
    );
  });

  test('a label that the question does not have is named beside those it has', async () => {
    const { support } = shop();
    const { human } = await rehearse({ agents: [support] });
    const anna = human('anna');
    await anna.says('refund');
    await anna.replies(['12345']);
    await expect(anna.presses('Maybe')).rejects.toThrow(
      'presses(): no question with the option "Maybe" was seen in anna. The last question has "Yes", "No".',
    );
  });

  test('what is no list of replies is refused', async () => {
    const { human } = await rehearse({ agents: [] });
    await expect(human('anna').replies('12345' as never)).rejects.toThrow(
      "replies(): the replies must be a list of replies such as ['12345', 'Yes'], got \"12345\".",
    );
    await expect(human('anna').replies([5] as never)).rejects.toThrow('must be a string, or a list of labels, got 5');
  });
});

test('says() returns while a turn waits for a person: in its own conversation, and in another one', async () => {
  const desk = agent('desk');
  desk.onMessage(async ({ message, askAndWait }) => {
    const question = number('How many seats?');
    const boss = { channel: 'rehearsal', to: 'boss', answerableBy: 'anyone' } as const;
    const seats = await (message === 'book' ? askAndWait(question) : play.registry.askAndWait(question, boss));
    return seats.status === 'answered' ? `Booked ${seats.value}.` : 'Nothing booked.';
  });
  const play = await rehearse({ agents: [desk] });
  const [anna, boss] = [play.human('anna'), play.human('boss')];
  expect(await anna.says('book')).toEqual(['How many seats?']);
  expect(await anna.replies(['4'])).toEqual(['Booked 4.']);
  expect(await anna.says('ask the boss')).toEqual([]);
  expect(await boss.replies(['7'])).toEqual(['How many seats?']);
  expect(anna.sees()).toEqual(['Booked 7.']);
});

describe('transcript()', () => {
  const played = async () => {
    const { support } = shop();
    const desk = agent('desk');
    const size = desk.question('size', choice('Which size?', ['S', 'M']), {
      expiresIn: 60_000,
      details: { Shirt: 'blue' },
      onAnswer: (picked, { effectKey }) => `${picked}, key ${effectKey}\nThank you, ${effectKey}.`,
    });
    desk.onMessage(({ ask }) => ask(size));
    const route = ({ conversationId }: { conversationId: string }) => (conversationId === 'team' ? 'desk' : 'support');
    const play = await rehearse({ agents: [support, desk], route });
    const [anna, ben] = [play.human('anna'), play.human('ben', { conversationId: 'team' })];
    await anna.says('refund');
    await ben.says('size');
    await anna.replies(['12345', 'Yes']);
    await ben.says('M');
    await ben.says('again');
    await play.clock.advance(61_000);
    await play.stop();
    return play.transcript();
  };

  test('has names, questions, options, what was said and decided, in order; it is the same in every run', async () => {
    const transcript = await played();
    expect(transcript).toBe(
      `anna: refund
to anna: Which order?
ben in team: size
to team: Which size?
  Shirt: blue
  1. S
  2. M
  Reply with a number or a label.
anna: 12345
"Which order?" answered by anna: 12345
to anna: Refund 48 EUR?
  - Yes
  - No
  Reply with one of these.
anna presses: Yes
"Refund 48 EUR?" answered by anna: Yes
to anna: Refunded 12345.
ben in team: M
"Which size?" answered by ben: M
to team: M, key <id 1>
  Thank you, <id 1>.
ben in team: again
to team: Which size?
  Shirt: blue
  1. S
  2. M
  Reply with a number or a label.
"Which size?" expired`,
    );
    expect(await played()).toBe(transcript);
  });

  test('a sensitive answer stands in no decision', async () => {
    const desk = agent('desk');
    const pin = desk.question('pin', text('PIN?'), { sensitive: true, onAnswer: () => 'Thanks.' });
    desk.onMessage(({ ask }) => ask(pin));
    const { human, transcript } = await rehearse({ agents: [desk] });
    await human('anna').says('hi');
    await human('anna').says('1234');
    expect(transcript()).toContain('\n"PIN?" answered by anna\nto anna: Thanks.');
  });

  test('a decision whose process crashed is there once', async () => {
    const { support } = shop();
    const { human, crash, restart, clock, transcript } = await rehearse({ agents: [support] });
    await human('anna').says('refund');
    crash('decision');
    await human('anna').says('12345');
    await restart();
    await clock.advance(60_000);
    expect(transcript().split('\n').slice(2, 5)).toEqual([
      'anna: 12345',
      '"Which order?" answered by anna: 12345',
      'to anna: Refund 48 EUR?',
    ]);
  });
});

describe('two replicas on one store', () => {
  test('one is killed, and the answer is given at the other', async () => {
    const { support, paid } = shop();
    const { human, crash, replica, registry, asks, stop } = await rehearse({ agents: [support] });
    const other = await replica();
    expect(other.registry).not.toBe(registry);
    await human('anna').says('refund');
    crash();
    const anna = other.human('anna');
    expect(await anna.says('12345')).toEqual([sureText]);
    expect(await anna.presses('Yes')).toEqual(['Refunded 12345.']);
    expect(paid).toHaveLength(1);
    expect(await asks()).toEqual([]);
    await stop();
  });

  test('one is killed after the decision; the other does the work once the lease is over', async () => {
    const { support, paid } = shop();
    const { human, replica, clock } = await rehearse({ agents: [support] });
    const other = await replica();
    const anna = other.human('anna');
    await anna.says('refund');
    await anna.says('12345');
    other.crash('decision');
    await anna.says('yes');
    expect(paid).toEqual([]);
    const watching = human('anna');
    await clock.advance(60_000);
    expect(paid).toHaveLength(1);
    expect(watching.sees()).toEqual(['Refunded 12345.']);
  });

  test('what runs at the other is settled, and its errors surface, too', async () => {
    const desk = agent('desk').onMessage(() => {
      throw new TypeError('no desk');
    });
    const { replica } = await rehearse({ agents: [] });
    const other = await replica({ agents: [desk] });
    await expect(other.human('anna').says('hi')).rejects.toThrow('no desk');
  });

  test('a killed one starts again; a stopped one leaves the other running', async () => {
    const { support } = shop();
    const { human, replica } = await rehearse({ agents: [support] });
    const other = await replica();
    other.crash();
    await expect(other.human('ben').says('hi')).rejects.toThrow('The process has crashed. Call restart() first.');
    await other.restart();
    expect(await other.human('ben').says('hi')).toEqual(['I can refund an order.']);
    await other.stop();
    expect(await human('anna').says('hi')).toEqual(['I can refund an order.']);
  });

  test('a store or a clock of its own is refused: they share the rehearsal’s', async () => {
    const { replica } = await rehearse({ agents: [] });
    await expect(replica({ store: {} } as never)).rejects.toThrow('replica(): store must be left out');
  });
});

/** The examples about questions, the table of replies, and what the guides to questions promise. */
import { AgentRegistry } from 'askback';
import { answerTypeContract } from 'askback/testing';
import { describe, expect, test, vi } from 'vitest';
import * as askback from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { read } from '../repository.js';
import { runExample } from './running.js';

describe('examples', () => {
  test('deployment: the asker and a stranger are refused, one person counts once, the second approver decides', async () => {
    const { stdout, code } = await runExample('deployment').finished();
    expect(stdout).toBe(`Ann: deploy release 1.2
  Deploy release 1.2? [Deploy] [Stop]
Ann presses Deploy
  (the operator sees: refused chat:ann)
  Sorry, you can't answer this one.
Sam presses Deploy
  (the operator sees: refused chat:sam)
  Sorry, you can't answer this one.
Carl: Has anybody looked at the migration?
Carl: yes
  Thanks, that's 1 yes of the 2 needed.
Carl presses Deploy on the phone
  Your vote has already been counted.
Dora presses Deploy
  Deployed. Allowed by Carl and Dora.
Dora presses Deploy
  This was already answered by Dora.
On record: Carl yes, Dora yes; decided by Dora.
`);
    expect(code).toBe(0);
  });

  const reason =
    'Why do you send it back?\n1. broken\n2. too late\n3. Something else\nReply with a number or a label.\n';
  const sure = 'Refund it?\n- Yes\n- No\nReply with one of these.\n';

  /** What the form says to these lines. */
  async function refundForm(...lines: readonly string[]): Promise<string> {
    const refund = runExample('refund-form');
    refund.types(...lines);
    refund.ends();
    const { stdout, code } = await refund.finished();
    expect([code, refund.stderr()]).toEqual([0, '']);
    return stdout;
  }

  test('refund-form: the line in its header asks three things and refunds once', async () => {
    const piped = /printf '(.*)' \| npx tsx refund-form\.ts/.exec(read('examples/refund-form.ts'))?.[1] ?? '';
    const said = await refundForm(...piped.split('\\n').filter((line) => line !== ''));
    expect(said).toBe(`Your refund\nWhat is your order number?\n${reason}${sure}Refunded order 12345 (too late).\n`);
  });

  test('refund-form: a reason of their own, and a wrong number before', async () => {
    expect(await refundForm('refund', 'no idea', '12345', 'something else: it leaks', 'yes')).toBe(
      `Your refund\nWhat is your order number?\nThat doesn't look right. It should look like 12345.\n` +
        `Your refund\nWhat is your order number?\n${reason}${sure}Refunded order 12345 (it leaks).\n`,
    );
  });

  test('refund-form: a no is an answer, and a change of mind ends it', async () => {
    expect(await refundForm('refund', '12345', '1', 'no')).toMatch(/Kept\.\n$/);
    expect(await refundForm('refund', '12345', 'never mind', '1')).toMatch(/no refund\.\nI can refund an order\.\n$/);
  });

  describe('own-answer-type', async () => {
    const start = vi.spyOn(AgentRegistry.prototype, 'start').mockResolvedValue(); // only its type is wanted here
    const { ratingType } = await import('../../../examples/own-answer-type.js');
    start.mockRestore();
    answerTypeContract({
      test,
      type: ratingType,
      data: { labels: ['poor', 'fair', 'good', 'great'] },
      accepts: [
        { reply: '3', value: 3 },
        { reply: ' Good ', value: 3 },
        { reply: 'poor', value: 1 },
      ],
      refuses: ['', '0', '5', '33', 'six', 'poor or fair'],
    });
  });
});

describe('docs/replies.md', () => {
  /** The rows of the table of replies, each with the question of the row it belongs to. */
  const table = /^\| question \| reply \|[\s\S]*?\n\n/m.exec(read('docs/replies.md'))?.[0] ?? '';
  let question = '';
  const replies = [...table.matchAll(/^\| ?(?:`(.+?)`)? ?\| ([^|]+) \| (.+) \|$/gm)].map((row) => {
    question = row[1] ?? question;
    return [question, row[2] ?? '', row[3] ?? ''] as const;
  });

  test('has a table of replies', () => expect(replies.length).toBeGreaterThan(15));

  test.each(replies)('%s reads "%s" as %s', async (asked, reply, expected) => {
    const made = new Function(...Object.keys(askback), `return ${asked};`) as (
      ...names: unknown[]
    ) => askback.Question<unknown>;
    const { type, data, text: question } = made(...Object.values(askback));
    const parsed = await type.parse(reply, data as never, undefined, { question });
    const value = /^`(.*)`$/.exec(expected)?.[1];
    if (value === undefined) expect([parsed.ok, expected]).toEqual([false, expect.stringMatching(/^asked again/)]);
    else expect(parsed).toEqual({ ok: true, value: JSON.parse(value) });
  });
});

describe('what the guides promise', () => {
  const secretive = <T>(question: askback.Question<T>, more: object = {}) => {
    const bank = askback.agent('bank');
    const late: unknown[] = [];
    const secret = bank.question('secret', question, { sensitive: true, ...more, onAnswer: () => 'Thank you.' });
    bank.onMessage(({ message, lateFor, ask }) => {
      if (lateFor !== undefined) late.push(lateFor);
      return message === 'go' ? ask(secret) : 'Hello.';
    });
    return { bank, late };
  };

  test('the history never has the answer to a sensitive question, not even in what is said about it', async () => {
    const { bank } = secretive(askback.number('Your salary?'));
    const { human, registry, stop } = await rehearse({ agents: [bank] });
    const anna = human('anna');
    await anna.says('go');
    await anna.says('1.234'); // may be one or a thousand
    await anna.says('1234');
    const { items } = await registry.history('anna');
    const texts = items.flatMap((item) => ('text' in item ? [item.text] : []));
    expect(texts.filter((said) => /1[.,]?234/.test(said))).toEqual([]);
    await stop();
  });

  test('what a sensitive form had is gone when its time is over', async () => {
    const fields = { number: askback.text('Card number?'), code: askback.text('Code?') };
    const { bank, late } = secretive(askback.form('Your card', fields), { expiresIn: 60_000 });
    const { human, clock, asks, registry, stop } = await rehearse({ agents: [bank] });
    const anna = human('anna');
    await anna.says('go');
    const [open] = await asks();
    await anna.says('4111');
    await clock.advance(61_000);
    expect(await anna.says('999')).toEqual(['The time to answer this is over.']); // it may be the code
    expect(await anna.says('hello')).toEqual(['Hello.']);
    expect(late).toEqual([]);
    const over = await registry.getAsk(open?.id ?? '');
    expect(over).toMatchObject({ status: 'expired' });
    expect(JSON.stringify([over, (await registry.history('anna')).items])).not.toMatch(/4111|999/);
    await stop();
  });

  test('quietUntil is not shown what a sensitive form has so far', async () => {
    const fields = { number: askback.text('Card number?'), code: askback.text('Code?') };
    const { bank } = secretive(askback.form('Your card', fields), { remindAfter: 60_000 });
    const seen: unknown[] = [];
    const quietUntil = (_now: Date, ask: object) => void seen.push(ask);
    const { human, clock, stop } = await rehearse({ agents: [bank], quietUntil });
    const anna = human('anna');
    await anna.says('go');
    await anna.says('4111');
    await clock.advance(61_000);
    expect(anna.sees()).toEqual(['This is still open:\nYour card\nCode?']);
    expect(seen).toHaveLength(1);
    expect(JSON.stringify(seen)).not.toContain('4111');
    await stop();
  });

  test('sortReply is not asked about a reply that the field of a form has read', async () => {
    const shop = askback.agent('shop');
    const asked: string[] = [];
    const fields = { seats: askback.number('How many seats?'), day: askback.date('Which day?') };
    const table = shop.question('table', askback.form('Your table', fields), { onAnswer: ({ day }) => `On ${day}.` });
    shop.onMessage(({ ask }) => ask(table));
    const sortReply = ({ text }: { readonly text: string }) => void asked.push(text);
    const { human, stop } = await rehearse({ agents: [shop], sortReply });
    const anna = human('anna');
    await anna.says('a table');
    await anna.says('4');
    expect(await anna.says('2026-11-15')).toEqual(['On 2026-11-15.']);
    expect(asked).toEqual([]);
    await stop();
  });

  test('a form whose check always refuses is exhausted after maxRetries, and not asked for ever', async () => {
    const shop = askback.agent('shop');
    const fields = { from: askback.text('From?'), to: askback.text('To?') };
    const trip = shop.question('trip', askback.form('Your trip', fields), {
      maxRetries: 1,
      check: () => 'There is no such train.',
      onAnswer: () => 'Booked.',
      onClosed: (_pending, why) => `No trip: ${why}.`,
    });
    shop.onMessage(({ message, ask }) => (message === 'go' ? ask(trip) : 'Hello.'));
    const { human, stop } = await rehearse({ agents: [shop] });
    const anna = human('anna');
    await anna.says('go');
    const said: string[] = [];
    for (const words of ['Bonn', 'Rome', 'Bonn', 'Rome']) said.push(...(await anna.says(words)));
    expect(said.at(-1)).toBe('No trip: exhausted.');
    await stop();
  });

  test('what follows an answer over the API is fetched, where handle() is called', async () => {
    const shop = askback.agent('shop');
    const one = shop.question('one', askback.text('First?'), { onAnswer: (words) => `Got ${words}.` });
    const two = shop.question('two', askback.text('Second?'), { onAnswer: (words) => `Got ${words}.` });
    shop.onMessage(async ({ message, ask }) => {
      if (message !== 'go') return 'Hello.';
      await ask(one);
      return ask(two);
    });
    const registry = new askback.AgentRegistry({ agents: [shop] });
    const participant = { id: 'web:anna' };
    const { outputs, cursor } = await registry.handle({ id: '1', conversationId: 'c', text: 'go', participant });
    await registry.answer(outputs[0]?.ask?.id ?? '', { text: 'this' }, { by: participant });
    const { outputs: more } = await registry.outputs('c', { after: cursor });
    expect(more.map(({ text }) => text)).toEqual(['Got this.', 'Second?']);
    await registry.stop();
  });
});

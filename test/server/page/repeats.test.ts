/** Forms of the page that are sent again: the same words, other words under the same key, and while the first is not finished. */
import { expect, test } from 'vitest';
import { agent, text } from '../../../src/index.js';
import { settle } from '../../support/engine.js';
import { person } from '../kit.js';
import { byHeader, formOf, type Loaded, pageShop } from '../page-kit.js';

const keyIn = (page: Loaded, action: string) => formOf(page.text, action).fields.get('key');

test('a form that is sent again with the same words is told the same, and decides once', async () => {
  const { anna, asked, registry } = await pageShop();
  const id = await asked('sure');
  const page = await anna.load(`/inbox/asks/${id}`);
  for (let i = 0; i < 2; i += 1) {
    const sent = await anna.send(page, '/answer', { answer: 'yes' });
    expect([sent.status, sent.text.includes('Answered')]).toEqual([200, true]);
  }
  expect((await registry.listAsks({ status: 'decided' })).asks).toMatchObject([{ id, value: true }]);
});

test('other words under the key of a form that has decided are not used; the page says so and shows the decision', async () => {
  const { anna, asked, registry } = await pageShop();
  const id = await asked('sure');
  const page = await anna.load(`/inbox/asks/${id}`);
  await anna.send(page, '/answer', { answer: 'yes' });
  const other = await anna.send(page, '/answer', { answer: 'no' });
  expect(other.status).toBe(422);
  expect(other.text).toMatch(/This form was sent before.*What it said first is recorded.*Answered/s);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', value: true });
});

test('whoever goes back and corrects an answer that did not fit gets the form again, filled in, with a new key', async () => {
  const visitor = person('web:ada', ['answer']);
  const { as, asked, registry } = await pageShop({ authenticate: byHeader([visitor]) });
  const ada = as(visitor);
  const id = await asked('order');
  const page = await ada.load(`/inbox/asks/${id}`);
  const wrong = await ada.send(page, '/answer', { answer: 'none' });
  expect([wrong.status, keyIn(wrong, '/answer') === keyIn(page, '/answer')]).toEqual([422, false]);
  const back = await ada.send(page, '/answer', { answer: '12345' });
  expect(back.status).toBe(422);
  expect(back.text).toMatch(/This form was sent before.*has not decided the question so far/s);
  expect(back.text).toContain('>12345</textarea>');
  expect(keyIn(back, '/answer')).not.toBe(keyIn(page, '/answer'));
  const again = await ada.send(back, '/answer', { answer: '12345' });
  expect(again.status).toBe(200);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', value: '12345' });
});

test('while the first sending of a form is worked on, the second is told so, with where to look', async () => {
  const { anna, asked, advance } = await pageShop();
  const id = await asked('stuck');
  const page = await anna.load(`/inbox/asks/${id}`);
  const first = anna.send(page, '/answer', { answer: 'yes' });
  await settle();
  const second = await anna.send(page, '/answer', { answer: 'yes' });
  expect(second.status).toBe(409);
  expect(second.text).toMatch(/Still being worked on/);
  expect(second.text).toContain(`href="/inbox/asks/${id}"`);
  await advance(10_000);
  expect((await first).status).toBe(200);
  const third = await anna.send(page, '/answer', { answer: 'yes' });
  expect(third.status).toBe(200);
});

test('the form of a link follows the same rule, and once it has decided the link is used', async () => {
  const bank = agent('bank');
  const order = bank.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
    links: 'decide',
    answerableBy: 'anyone',
    onAnswer: () => 'Thanks.',
  });
  bank.onMessage(({ ask }) => ask(order));
  const { inbox, anna, asked, registry } = await pageShop({}, { agents: [bank] });
  const id = await asked('order');
  const page = await anna.load(await inbox.link(id, { id: 'mail:eva' }));
  expect((await anna.send(page, '/answer', { answer: 'none' })).status).toBe(422);
  const back = await anna.send(page, '/answer', { answer: '12345' });
  expect([back.status, back.text.includes('This form was sent before')]).toEqual([422, true]);
  const decided = await anna.send(back, '/answer', { answer: '12345' });
  expect(decided.status).toBe(200);
  expect((await anna.send(back, '/answer', { answer: '12345' })).text).toBe(decided.text); // told the same
  const other = await anna.send(back, '/answer', { answer: '54321' });
  expect([other.status, other.text.includes('This link has been used')]).toEqual([410, true]);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', value: '12345' });
});

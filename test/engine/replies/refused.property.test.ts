import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import type { Question } from '../../../src/index.js';
import { AgentRegistry, agent, choice, choices, confirm, date, email, form, number, text } from '../../../src/index.js';
import { anyCharacter } from '../../support/any-character.js';

const questions: Readonly<Record<string, Question<unknown>>> = {
  text: text('Order?', { pattern: /^\d{5}$/ }),
  choice: choice('Size?', ['small', 'large'], { other: true }),
  choices: choices('Sizes?', ['small', 'large']),
  confirm: confirm('Sure?'),
  number: number('How many?', { min: 1, max: 9, integer: true }),
  date: date('When?', { time: true }),
  email: email('Where to?'),
  form: form('Order', { count: number('How many?', { min: 1, max: 9 }), sure: confirm('Sure?') }),
};

/** What people type, and what they would never. */
const replies = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('?', '1 or 2', 'not small', 'yes and no', '42', 'a@b@c', '31.02.2026', '1,5', 'none', 'count: x'),
);

test.prop([fc.constantFrom(...Object.keys(questions)), fc.array(replies, { minLength: 1, maxLength: 5 })], {
  numRuns: 150,
})('a reply that is refused changes nothing but the attempt count', async (name, words) => {
  const probe = agent('probe');
  const question = probe.question('q', questions[name] as Question<unknown>, {
    maxRetries: 9,
    onAnswer: () => undefined,
  });
  probe.onMessage(({ ask }) => ask(question));
  const registry = new AgentRegistry({ agents: [probe], logger: { debug() {}, info() {}, warn() {}, error() {} } });
  const says = (id: string, reply: string) =>
    registry.handle({ id, conversationId: 'c', text: reply, participant: { id: 'web:a' } });
  await says('begin', 'go');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  for (const [i, reply] of words.entries()) {
    const before = await registry.getAsk(id);
    if (before === null) throw new Error('The ask is gone.');
    const { disposition } = await says(`m${i}`, reply);
    const after = await registry.getAsk(id);
    if (before.status !== 'pending') {
      expect(after).toEqual(before); // decided: what follows is a reply to another ask, if to any
    } else if (disposition.type === 'insufficient') {
      expect(after).toEqual({ ...before, retries: before.retries + 1 });
    } else if (disposition.type === 'ordinary') expect(after).toEqual(before);
    else expect(['accepted', 'partial', 'declined', 'already']).toContain(disposition.type);
  }
  await registry.stop();
});

import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { AgentInput, AgentResult, Declared, PendingAsk, Question } from '../../../src/index.js';
import {
  agent,
  BaseAgent,
  choice,
  choices,
  confirm,
  date,
  email,
  form,
  number,
  optional,
  text,
} from '../../../src/index.js';

const shop = agent('shop');

test("a declared question's answer is inferred: text is string, confirm boolean, choice its union", () => {
  const order = shop.question('order', text('Which order?'), {
    check: (answer) => {
      expectTypeOf(answer).toEqualTypeOf<string>();
      return true;
    },
    onAnswer: (answer, { effectKey, attempt, pending, once }) => {
      expectTypeOf(answer).toEqualTypeOf<string>();
      expectTypeOf(effectKey).toEqualTypeOf<string>();
      expectTypeOf(attempt).toEqualTypeOf<number>();
      expectTypeOf(pending).toEqualTypeOf<PendingAsk<string>>();
      expectTypeOf(once('k', async () => 5)).toEqualTypeOf<Promise<number>>();
    },
  });
  const sure = shop.question('sure', confirm('Sure?'), {
    effectKey: (answer) => {
      expectTypeOf(answer).toEqualTypeOf<boolean>();
      return `sure:${answer}`;
    },
    onAnswer: (answer) => expectTypeOf(answer).toEqualTypeOf<boolean>() as unknown as string,
  });
  const size = shop.question('size', choice('Which size?', ['small', 'large']), {
    onAnswer: (answer) => {
      expectTypeOf(answer).toEqualTypeOf<'small' | 'large'>();
    },
  });
  const region = choice('Where?', [
    { id: 'eu', label: 'Europe' },
    { id: 'us', label: 'United States' },
  ]);
  expectTypeOf(order).toEqualTypeOf<Declared<string>>();
  expectTypeOf(sure).toEqualTypeOf<Declared<boolean>>();
  expectTypeOf(size).toEqualTypeOf<Declared<'small' | 'large'>>();
  expectTypeOf(region).toEqualTypeOf<Question<'eu' | 'us'>>();
  expect([order.name, sure.name, size.name]).toEqual(['order', 'sure', 'size']);
});

test('number, date, email, choices, "Other" and forms are inferred too', () => {
  const order = form('Order', {
    count: number('How many?'),
    sizes: choices('Which sizes?', ['S', 'L']),
    colour: choice('Colour?', ['red', 'blue'], { other: true }),
    note: optional(text('A note?')),
    day: date('When?'),
    mail: email('Where to?'),
    sure: confirm('Sure?'),
  });
  interface Order {
    readonly count: number;
    readonly sizes: ('S' | 'L')[];
    readonly colour: 'red' | 'blue' | { readonly other: string };
    readonly note?: string;
    readonly day: string;
    readonly mail: string;
    readonly sure: boolean;
  }
  shop.question('whole', order, {
    check: z.object({ count: z.number(), sure: z.boolean() }).loose() as never,
    onAnswer: (answer) => {
      expectTypeOf(answer).toMatchTypeOf<Order>();
      expectTypeOf<Order>().toMatchTypeOf(answer);
      expectTypeOf(answer.note).toEqualTypeOf<string | undefined>();
      // @ts-expect-error no such field
      void answer.cuont;
      // @ts-expect-error a skipped note is not there
      void answer.note.length;
    },
  });
  expectTypeOf(number('How many?')).toEqualTypeOf<Question<number>>();
  expectTypeOf(date('When?')).toEqualTypeOf<Question<string>>();
  expectTypeOf(email('Where?')).toEqualTypeOf<Question<string>>();
  expectTypeOf(choices('Which?', ['a', 'b'])).toEqualTypeOf<Question<('a' | 'b')[]>>();
  expectTypeOf(choice('Which?', ['a', 'b'])).toEqualTypeOf<Question<'a' | 'b'>>();
});

test('a check is typed by the question: a schema for something else does not compile', () => {
  const handlers = { onAnswer: () => undefined };
  shop.question('n1', number('How many?'), { ...handlers, check: z.number().int() });
  shop.question('n2', number('How many?'), { ...handlers, check: (n) => n > 1 || 'More, please.' });
  // @ts-expect-error a number is no string
  void (() => shop.question('n3', number('How many?'), { ...handlers, check: z.string() }));
  // @ts-expect-error a check says true or why not
  void (() => shop.question('n4', number('How many?'), { ...handlers, check: () => false }));
  // @ts-expect-error a number has no length
  void (() => shop.question('n5', number('How many?'), { ...handlers, check: (n) => n.length > 1 || 'More.' }));
  // @ts-expect-error a quorum is a number
  void (() => shop.question('n6', confirm('Go?'), { ...handlers, quorum: '2' }));
  // @ts-expect-error roles are a list
  void (() => shop.question('n7', confirm('Go?'), { ...handlers, answerableBy: { roles: 'boss' } }));
  // @ts-expect-error a field is a question, not a text
  void (() => form('F', { a: 'A?' }));
  // @ts-expect-error "other" is not one of the ids
  void (() => choice('Which?', ['a'], { others: true }));
});

test('what must not compile does not', () => {
  class Wrong extends BaseAgent<'refund'> {
    readonly name = 'wrong';
    readonly sure = this.question('sure', confirm('Sure?'));
    async invokeAgent(input: AgentInput<'refund'>): Promise<AgentResult> {
      expectTypeOf(input.intent).toEqualTypeOf<'refund' | undefined>();
      expectTypeOf(this.getPendingAsk()).toEqualTypeOf<PendingAsk | null>();
      expectTypeOf(this.getPendingAsk(this.sure)).toEqualTypeOf<PendingAsk<boolean> | null>();
      // @ts-expect-error a confirm asked inline would come back as the truthy text "no"
      void (() => this.ask(confirm('Sure?')));
      // @ts-expect-error so would a number, and the words behind "Other"
      void (() => this.ask(number('How many?')));
      // @ts-expect-error the same
      void (() => this.ask(choice('Which?', ['a'], { other: true })));
      // @ts-expect-error the intent is one of its own
      void (input.intent === 'refnd');
      // @ts-expect-error an option that does not exist
      void (() => this.ask('Which?', { maxRetry: 3 }));
      // @ts-expect-error the effect key of an inline ask is data, not a function
      void (() => this.ask('Which?', { effectKey: () => 'k' }));
      void (() => this.ask(this.sure)); // declared it may be asked
      void (() => this.ask(choice('Which?', ['a', 'b']))); // an option's text is what it is
      return {};
    }
  }
  // @ts-expect-error ask() belongs to the agent, not to whoever holds it
  void (() => new Wrong().ask('Which?'));
  // @ts-expect-error an agent needs invokeAgent
  void class extends BaseAgent {
    readonly name = 'lazy';
  };
  // @ts-expect-error a declared question of agent() needs onAnswer, or its answer would go nowhere
  void (() => shop.question('nowhere', text('Which?'), {}));
  // @ts-expect-error a check says true or the reason
  void (() => shop.question('check', text('Which?'), { check: () => false, onAnswer: () => {} }));
  // @ts-expect-error a pattern is a regular expression
  void (() => text('Which?', { pattern: '^a$' }));
  expect(new Wrong().name).toBe('wrong');
});

test('a handler in the class way gets the type of its declared question', () => {
  class Typed extends BaseAgent {
    readonly name = 'typed';
    readonly sure = this.question('sure', confirm('Sure?'));
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk(this.sure);
      if (pending && input.message) {
        return this.handlePendingAsk(pending, input.message, (answer) => {
          expectTypeOf(answer).toEqualTypeOf<boolean>();
          return { output: answer ? 'yes' : 'no' };
        });
      }
      const plain = this.getPendingAsk();
      if (plain && input.message) {
        return this.handlePendingAsk(plain, input.message, (answer) => {
          expectTypeOf(answer).toEqualTypeOf<string>();
          return { output: answer };
        });
      }
      return this.ask(this.sure);
    }
  }
  expect(new Typed().sure.question.text).toBe('Sure?');
});

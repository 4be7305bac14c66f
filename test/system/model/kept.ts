/**
 * Histories that once failed, or that a careless change would break first. Each is played on every store, every time.
 * A failing run prints its history as data: paste it here and give it a name.
 */
import type { Command, History, Say } from './commands.js';
import type { Plan } from './reference.js';

const here = { in: 0, on: 0, quick: false } as const;
const says = (what: Say['what'], more: Partial<Say> = {}): Say => ({ do: 'say', by: 'ann', what, ...here, ...more });
export const plain: Plan = {
  kind: 'text',
  retries: 1,
  by: 'asker',
  others: false,
  soon: false,
  secret: false,
  careful: false,
  reminds: false,
  via: false,
  waits: 'no',
};
const asks = (...plans: readonly Partial<Plan>[]): Say => says(plans.map((plan) => ({ ...plain, ...plan })));
const crash = (after: Extract<Command, { do: 'crash' }>['after']): Command => ({ do: 'crash', on: 0, after });
const wait = (how: Extract<Command, { do: 'wait' }>['how']): Command => ({ do: 'wait', how });
const breaks = (how: Extract<Command, { do: 'break' }>['how'], times = 1): Command => ({ do: 'break', how, times });
const retry: Command = { do: 'retry', which: 0, twice: false, ...here };

export const kept: readonly { readonly name: string; readonly history: History }[] = [
  {
    name: 'a reply that came in time is read first, though its deadline passed while nobody worked',
    history: [asks({ soon: true }), crash('take'), says('good'), wait('past deadlines')],
  },
  {
    name: 'dead between the decision and its continuation, and the message comes again to another replica',
    history: [asks({}), crash('decision'), says('good'), { do: 'repeat', which: 0, ...here, on: 1 }, says('good')],
  },
  {
    name: 'dead between the effect and the save: the ledger hears the same key, and the next question goes out',
    history: [asks({}, {}), crash('effect'), says('good'), wait('a lease'), says('bad'), says('bad')],
  },
  {
    name: 'stands still before its save while another takes over, then wakes',
    history: [
      asks({}),
      { do: 'restart', on: 1 },
      { do: 'freeze', on: 0, before: 'save' },
      says('good'),
      wait('a lease'),
      { do: 'thaw', on: 0 },
      says('good', { on: 1 }),
    ],
  },
  {
    name: 'the reply to a decision and to the take of the next message is lost',
    history: [
      asks({}),
      { do: 'lose', on: 0, step: 'save' },
      says('good'),
      { do: 'lose', on: 0, step: 'take' },
      says('bad'),
    ],
  },
  {
    name: 'the right answer of two people at the same moment, and a named one that comes too late',
    history: [
      asks({ by: 'anyone' }),
      { do: 'both', first: says('good', { names: 0 }), second: says('good', { by: 'bob', names: 0 }) },
      says('good', { by: 'dan', names: 0 }),
    ],
  },
  {
    name: 'the last retry is used up on a question that was not yet put to the person',
    history: [
      asks({}, { by: 'bob', retries: 0 }),
      says('bad', { by: 'bob', names: 0 }),
      says('good'),
      says('good', { by: 'bob' }),
    ],
  },
  {
    name: 'everything is cancelled while its holder is dead, and a stranger asks in the same conversation',
    history: [
      asks({}, { soon: true }, { by: 'bob' }),
      crash('save'),
      says('bad'),
      { do: 'cancel', which: 'all', ...here, on: 1 },
      says([{ ...plain, retries: 0 }], { by: 'cat' }),
    ],
  },
  {
    name: 'a vote by name for a question that still waits its turn, which is shown all the same',
    history: [
      asks({}, { kind: 'vote', by: 'anyone' }),
      { do: 'answer', by: 'bob', right: true, which: 0, ...here },
      says('good'),
      says('yes', { by: 'bob' }),
      says('yes', { by: 'ann2' }),
    ],
  },
  {
    name: 'a wrong reply by name shows a question before its turn, and its reminder comes all the same',
    history: [asks({}, { by: 'anyone', reminds: true }), says('bad', { by: 'bob', names: 0 }), says('good')],
  },
  {
    name: 'asks that end ahead of a retry, which has the turn id of what was set aside',
    history: [
      asks({ soon: true }, { soon: true, by: 'bob' }, { soon: true, by: 'bob' }),
      { do: 'freeze', on: 0, before: 'remember' },
      { do: 'break', how: 'check', times: 1 },
      says('good', { on: 1 }),
      { do: 'freeze', on: 1, before: 'nothing' },
      wait('past deadlines'),
      { do: 'retry', which: 0, twice: false, ...here },
    ],
  },
  {
    name: 'the hook of an ask that is cancelled fails twice, and somebody else goes on meanwhile',
    history: [
      asks({ soon: true }, { by: 'bob' }),
      { do: 'break', how: 'after', times: 2 },
      { do: 'cancel', which: 1, ...here },
      { do: 'retry', which: 0, twice: true, ...here },
      says('good', { by: 'bob' }),
      { do: 'retry', which: 0, twice: true, ...here },
    ],
  },
  {
    name: 'dead after the effect of a decision that must not run twice: it runs again when somebody says so',
    history: [
      asks({ careful: true }, { careful: true }),
      crash('effect'),
      says('good'),
      wait('a lease'),
      { do: 'retry', which: 0, twice: true, ...here, on: 1 },
      { do: 'freeze', on: 1, before: 'remember' },
      says('good', { on: 1 }),
      wait('a lease'),
      { do: 'thaw', on: 1 },
    ],
  },
  {
    name: 'the answer to a sensitive question fails before it is checked, and another one is given first',
    history: [
      asks({ secret: true, retries: 2 }),
      { do: 'break', how: 'check', times: 1 },
      says('good'),
      says('good', { on: 1 }),
      { do: 'retry', which: 0, twice: false, ...here },
    ],
  },
  {
    name: 'what is set aside with a decided effect is not erased, what only wanted to ask is',
    history: [
      { do: 'break', how: 'after', times: 1 },
      asks({}),
      { do: 'erase', whom: 'conversation', ...here },
      asks({}),
      { do: 'break', how: 'before', times: 1 },
      says('good'),
      { do: 'erase', whom: 'conversation', ...here },
    ],
  },
  {
    name: 'asked in the other conversation, which is erased and goes on',
    history: [
      asks({ by: 'clerks', via: true, soon: true }, { by: 'clerks', via: true, kind: 'vote', others: true }),
      says('good', { by: 'bob', in: 1 }),
      says('yes', { by: 'bob', in: 1 }),
      { do: 'erase', whom: 'conversation', ...here, in: 1 },
      says('yes', { by: 'dan', in: 1 }),
      asks({ by: 'clerks', via: true }),
      says('good', { by: 'dan', in: 1 }),
    ],
  },
  {
    name: 'a turn waits for two answers; it is killed after the first was written, and another replica goes on',
    history: [
      asks({ waits: 'long' }, { waits: 'long', by: 'bob' }),
      crash('decision'),
      says('good'),
      says('good', { by: 'bob', on: 1 }),
      wait('a lease'),
      says('good', { by: 'bob', on: 1 }),
    ],
  },
  {
    name: 'everything is cancelled while a turn waits: what it asks afterwards stays, what was open before does not',
    history: [
      asks({ by: 'bob' }),
      asks({ by: 'bob', waits: 'long' }, { waits: 'long' }, {}),
      says('yes', { by: 'dan' }),
      { do: 'cancel', which: 'all', ...here, on: 1 },
      says('good'),
      says('good'),
    ],
  },
  {
    name: 'a turn leaves its question open and is killed; the answer comes when nobody waits any more',
    history: [asks({ waits: 'keep' }), crash('decision'), wait('past deadlines'), wait('a lease'), says('good')],
  },
  {
    name: 'replies to two questions of a turn that waits come before the second is shown, and it expires',
    history: [
      asks({ waits: 'long', by: 'bob' }, { waits: 'long', soon: true }),
      says('good'),
      { do: 'freeze', on: 0, before: 'nothing' },
      says('good', { by: 'bob', on: 1 }),
      says('good', { on: 1 }),
      { do: 'thaw', on: 0 },
      wait('past deadlines'),
      says('good'),
    ],
  },
  {
    name: 'a turn waits for votes, and those who may not vote, or have, are told at once',
    history: [
      asks({ kind: 'vote', by: 'clerks', waits: 'long', reminds: true }),
      says('yes', { by: 'bob' }),
      says('yes', { by: 'bob', names: 0, on: 1 }),
      says('yes', { by: 'cat', names: 0 }),
      says('bad', { by: 'dan' }),
      wait('a lease'),
      { do: 'answer', by: 'dan', right: true, which: 0, ...here, on: 1 },
    ],
  },
  {
    name: 'erased while its turn waits, and the conversation goes on',
    history: [
      asks({ waits: 'long' }, {}),
      { do: 'erase', whom: 'conversation', ...here, on: 1 },
      says('good'),
      asks({ waits: 'short' }),
      says('good', { on: 1 }),
    ],
  },
  {
    name: 'a turn that left its question open fails, the question is answered, and the turn is tried again',
    history: [
      asks({ waits: 'keep' }, { waits: 'long', by: 'bob' }),
      breaks('after', 2),
      wait('a lease'),
      { do: 'answer', by: 'ann', right: true, which: 0, ...here },
      retry,
      retry,
      says('good', { by: 'bob' }),
    ],
  },
  {
    name: 'a turn fails between two questions, and is tried again while another turn waits',
    history: [
      asks({ waits: 'long' }, { waits: 'short' }, {}),
      breaks('before'),
      says('good'),
      asks({ waits: 'long', by: 'bob' }),
      { ...retry, quick: true },
      says('good', { by: 'bob' }),
      says('good'),
    ],
  },
  {
    name: 'the sensitive question of a turn expires, the turn fails, and its retry is no late answer to it',
    history: [asks({ waits: 'long', soon: true, secret: true }), breaks('after'), wait('past deadlines'), retry],
  },
  {
    name: 'dead while it waits, and broken when it runs again: its question is withdrawn, though a reply had come',
    history: [asks({ waits: 'long' }), breaks('before'), crash('take'), says('good'), wait('a lease'), retry],
  },
  {
    name: 'erased after its turn got an answer and failed before it went on: not before that is done',
    history: [
      asks({ waits: 'long' }, { waits: 'long' }),
      breaks('before'),
      says('good'),
      { do: 'erase', whom: 'conversation', ...here },
    ],
  },
  {
    name: 'a turn waits for an ask of a busy conversation, gives up before it is opened, fails, and is tried again',
    history: [
      asks({ waits: 'long' }),
      says([{ ...plain, by: 'anyone', via: true, waits: 'keep' }], { in: 1, on: 1 }),
      breaks('after'),
      wait('a lease'),
      says('good'),
      retry,
    ],
  },
  {
    name: 'a turn waits for two answers of the other conversation; it is killed between them, and fails after them',
    history: [
      asks(
        { by: 'anyone', via: true, soon: true, waits: 'long' },
        { by: 'clerks', via: true, soon: true, waits: 'long' },
      ),
      says('good', { by: 'dan', in: 1, on: 1 }),
      crash('nothing'),
      wait('a lease'),
      breaks('after'),
      says('good', { by: 'bob', in: 1, on: 1 }),
      retry,
    ],
  },
  {
    name: 'a program asks whoever writes there, and nobody may answer over the API',
    history: [
      { do: 'ask', plan: { ...plain, soon: true, waits: 'long' }, apart: false, ...here },
      { do: 'answer', by: 'ann', right: true, which: 0, ...here },
      says('good', { by: 'cat' }),
    ],
  },
  {
    name: 'two programs wait, one on the other replica; one gets its sensitive answer, the other one withdraws its question',
    history: [
      { do: 'ask', plan: { ...plain, by: 'bob', soon: true, secret: true, waits: 'long' }, apart: true, ...here },
      { do: 'ask', plan: { ...plain, by: 'anyone', soon: true, waits: 'short' }, apart: false, ...here, on: 1 },
      says('good', { by: 'bob' }),
      wait('a lease'),
    ],
  },
  {
    name: 'a program asks where a turn waits, and gives up before its question is opened',
    history: [
      asks({ waits: 'long' }),
      { do: 'ask', plan: { ...plain, by: 'anyone', soon: true, waits: 'short' }, apart: false, ...here },
      wait('a lease'),
      says('good'),
    ],
  },
  {
    name: 'programs call their questions off: one is withdrawn, the other is kept and answered',
    history: [
      { do: 'ask', plan: { ...plain, by: 'bob', soon: true, waits: 'long' }, apart: false, aborts: true, ...here },
      { do: 'ask', plan: { ...plain, by: 'bob', waits: 'keep' }, apart: true, aborts: true, ...here },
      wait('a lease'),
      says('good', { by: 'bob' }),
    ],
  },
  {
    name: 'the time of a question is over when a turn lets it be opened, and its program calls off what nobody was shown',
    history: [
      asks({ soon: true, waits: 'long' }, {}),
      { do: 'ask', plan: { ...plain, soon: true, waits: 'long' }, apart: true, aborts: true, ...here, quick: true },
    ],
  },
  {
    name: 'programs wait while their replica is stopped, and while the conversation is erased',
    history: [
      { do: 'ask', plan: { ...plain, by: 'bob', soon: true, waits: 'long' }, apart: false, ...here },
      { do: 'ask', plan: { ...plain, by: 'bob', soon: true, waits: 'long' }, apart: false, ...here, on: 1 },
      { do: 'restart', on: 0 },
      { do: 'erase', whom: 'conversation', ...here },
      says('good', { by: 'bob' }),
    ],
  },
  {
    name: 'an ask that has expired is cancelled while a turn withdraws its question to the other conversation',
    history: [
      says([{ ...plain, kind: 'vote', by: 'anyone', soon: true, waits: 'long' }, plain], {
        by: 'bob',
        in: 1,
        quick: true,
      }),
      asks(
        { kind: 'vote', retries: 0, by: 'owners', soon: true, via: true, waits: 'long' },
        { soon: true },
        { reminds: true },
      ),
      { do: 'freeze', on: 0, before: 'save' },
      wait('past deadlines'),
      { do: 'cancel', which: 1, ...here },
    ],
  },
  {
    name: 'talk to a vote is an ordinary message, and no late reply to an earlier question',
    history: [
      says([{ ...plain, kind: 'vote', by: 'anyone', soon: true, via: true }]),
      wait('past deadlines'),
      says(
        [
          { ...plain, kind: 'vote', by: 'anyone', soon: true },
          { ...plain, kind: 'vote', by: 'anyone', via: true },
          { ...plain, by: 'bob', retries: 0, careful: true },
        ],
        { on: 1, quick: true },
      ),
      says('good', { in: 1, quick: true }),
    ],
  },
];

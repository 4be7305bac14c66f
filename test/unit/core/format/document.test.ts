/** Records as they are stored: small, and nothing is lost on the way there and back. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ask } from '../../../../src/core/ask/ask.js';
import * as asks from '../../../../src/core/ask/ask.js';
import { decided } from '../../../../src/core/ask/decision.js';
import { withPlaceLost } from '../../../../src/core/ask/places.js';
import { withReminderPostponed, withReminderShown } from '../../../../src/core/ask/reminders.js';
import { escalated, handedOver } from '../../../../src/core/ask/steps.js';
import { countVote } from '../../../../src/core/ask/votes.js';
import type { Conversation, Parked } from '../../../../src/core/conversation/conversation.js';
import { emptyConversation, withAskFirst, withHeadShown } from '../../../../src/core/conversation/conversation.js';
import type { Entry } from '../../../../src/core/conversation/entry.js';
import type { HistoryItem } from '../../../../src/core/conversation/history.js';
import type { Outgoing, OutgoingQuestion } from '../../../../src/core/conversation/outgoing.js';
import { questionKey } from '../../../../src/core/conversation/outgoing.js';
import * as stored from '../../../../src/core/format/document.js';
import type { Stored } from '../../../../src/core/format/stored.js';
import { anyCharacter } from '../../../support/any-character.js';
import { askLike, type FlatAsk, flatAsk } from '../../../support/asks.js';
import { ask, message, queued } from '../../../support/documents.js';

/** The record as a store gives it back that keeps its text. */
const kept = ({ text }: Stored): Stored => ({ text });

/** Without what is undefined. */
const plain = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

const record = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.constantFrom<string | number | null>('x', 1, null));
const place = fc.record(
  { channel: fc.constantFrom('phone', ''), address: fc.constantFrom(null, 'c1', {}, []), trigger: fc.constant(true) },
  { requiredKeys: ['channel', 'address'] },
);
const decision = fc.record(
  { at: fc.nat(), entry: fc.string(), effectKey: fc.constantFrom('a', 'k'), by: fc.record({ id: fc.string() }) },
  { requiredKeys: ['at', 'entry', 'effectKey'] },
);
/** Asks of every kind, usual and unusual in each field, with fields that this release does not know. */
const anyAsk: fc.Arbitrary<Ask> = fc
  .record(
    {
      kind: fc.constantFrom('text', 'choice'),
      data: fc.constantFrom({}, null, [], 0, { pattern: 'x' }),
      shape: fc.constantFrom(
        { type: 'text' },
        { type: 'text', input: 'date' },
        { type: 'choices', choices: [], many: true },
      ),
      context: record,
      status: fc.constantFrom('pending', 'answered'),
      retries: fc.nat(3),
      maxRetries: fc.nat(3),
      answerableBy: fc.constantFrom('asker', 'anyone', ['bob']),
      place,
      name: fc.string(),
      asker: fc.constantFrom('ann', ''),
      expiresAt: fc.nat(),
      answer: fc.string(),
      value: fc.constantFrom(null, 0, false),
      effectKey: fc.constantFrom('a', 'k'),
      shown: fc.boolean(),
      decision,
      votes: record,
      places: fc.constant([{ channel: 'board', address: 'C1', step: 0 }]),
      copies: fc.constant([
        [1, 0],
        [2, 1],
      ]),
      lost: fc.constant([1]),
      escalate: fc.constant([{ after: 9, channel: 'mail', place: { channel: 'mail', address: 'x' } }]),
      steps: fc.constant([{ type: 'escalated', at: 1, channel: 'mail', answerableBy: ['x'] }]),
      z: fc.nat(),
    },
    { requiredKeys: ['place'] },
  )
  .map(({ asker, z, ...more }) => ({
    ...ask('a', { ...more, asker } as unknown as FlatAsk),
    more: z === undefined ? undefined : { z },
  }));
const anyParked: fc.Arbitrary<Parked> = fc.record(
  {
    id: fc.string(),
    at: fc.nat(),
    queued: fc.constant(queued(message('hi'))),
    turn: fc.string(),
    attempts: fc.nat(),
    failure: fc.constant({ code: 'Error', message: 'no' }),
    ask: anyAsk,
  },
  { requiredKeys: ['id', 'at', 'queued', 'turn', 'attempts', 'failure'] },
);
const anyConversation: fc.Arbitrary<Conversation> = fc
  .record(
    {
      asks: fc.array(anyAsk, { maxLength: 3 }),
      parked: fc.array(anyParked, { maxLength: 2 }),
      late: anyAsk,
      mood: record,
    },
    { requiredKeys: [] },
  )
  .map((some) => ({ ...emptyConversation, ...some }));

test('every document comes back as it was, and is written the same again', () => {
  fc.assert(
    fc.property(anyConversation, (conversation) => {
      const document = stored.writeConversation(conversation);
      const read = stored.readConversation(kept(document), 'c');
      expect(read).toEqual(conversation);
      expect(stored.writeConversation(read).text).toBe(document.text);
    }),
  );
});

test('every settled ask comes back as it was', () => {
  fc.assert(
    fc.property(anyAsk, (each) => {
      const settled = { conversationId: 'c', ask: each };
      expect(stored.readSettled(kept(stored.writeSettled(settled)))).toEqual(settled);
    }),
  );
});

test('every message comes back as it was', () => {
  const said = fc.record(
    {
      type: fc.constant('message'),
      text: fc.string({ unit: anyCharacter }),
      place,
      participant: fc.record({ id: fc.string() }),
      choice: fc.constantFrom('a', ['a', 'b']),
      automated: fc.constant(true),
      z: record,
    },
    { requiredKeys: ['type', 'text', 'place'] },
  ) as fc.Arbitrary<Entry>;
  fc.assert(
    fc.property(said, fc.option(fc.string(), { nil: undefined }), (entry, waiter) => {
      const queued = { id: 'e', at: 1, revision: 4, entry, ...(waiter === undefined ? {} : { waiter }) };
      const written = stored.writeEntry(entry, waiter);
      for (const data of [written, kept(written)])
        expect(stored.readEntry({ id: 'e', at: 1, data, revision: 4 })).toEqual(queued);
    }),
  );
});

test('every question comes back with what a channel is shown of it, and without what is private', () => {
  fc.assert(
    fc.property(anyAsk, fc.boolean(), (each, again) => {
      const text = again ? 'Once more?' : each.question.text;
      const output: Outgoing = {
        type: 'question',
        key: questionKey(each.id, asks.showsOf(each)),
        place: each.places.own,
        text,
        ask: asks.publicPart(each),
      };
      const written = stored.writeOutgoing(output);
      const back = stored.readOutgoing(output.key, kept(written)) as OutgoingQuestion;
      expect(back).toMatchObject(plain(output));
      expect(back.ask).toMatchObject({ own: { context: {} }, question: { data: {} } });
      const newer = { ...output, ask: { ...output.ask, more: { future: 1 } } } as Outgoing; // as a newer release has written it
      const rewritten = stored.writeOutgoing(
        stored.readOutgoing(output.key, kept(stored.writeOutgoing(newer))) as Outgoing,
      );
      expect(stored.readOutgoing(output.key, kept(rewritten))).toMatchObject(plain(newer));
      const same = stored.readOutgoing(output.key, written) as OutgoingQuestion; // where a store keeps objects
      const { question, own } = same.ask;
      const read = { ...same.ask, question: { ...question, data: {} }, own: { ...own, context: {} } };
      expect({ ...same, ask: read }).toEqual(back);
    }),
  );
});

test('an ask that is as usual is stored as a short list, and a field of a newer release behind it', () => {
  const usual = ask('a', { context: {}, place: { channel: 'phone', address: null }, shown: true });
  const conversation = { ...emptyConversation, asks: [usual] };
  expect(stored.writeConversation(conversation).text).toBe(
    '{"v":1,"asks":[["a","support","Question a?",0,"phone",null,null,"ann",null,1]]}',
  );
  const newer = { ...emptyConversation, asks: [{ ...usual, more: { future: 1 } }] };
  expect(stored.writeConversation(newer).text).toContain(',"ann",null,1,{"future":1}]');
  expect(stored.writeConversation(emptyConversation).text).toBe('{"v":1}');
});

const verdict = { status: 'answered', decision: { at: 1, entry: 'e' } } as const;
const rules: readonly ((each: Ask) => Ask)[] = [
  (each) => asks.retried(each),
  (each) => asks.withPart(each, { partial: { a: 1 }, prompt: 'And?', shape: { type: 'text', input: 'date' } }, true),
  (each) => decided(each, verdict),
  (each) => asks.withoutSensitiveAnswer(askLike(each, { sensitive: true })),
  (each) => withReminderShown(each, 7),
  (each) => withReminderPostponed(each, 7),
  (each) => escalated(each, 7),
  (each) => withPlaceLost(each, 1),
  (each) => handedOver(each, { entry: 'e', by: { id: 'a' }, to: { id: 'b' }, place: { channel: 'x', address: 1 } }, 7),
  (each) => {
    const voted = countVote(askLike(each, { votes: [] }), { by: { id: 'bob' }, at: 1, value: false, entry: 'e' });
    return voted.type === 'again' ? each : voted.ask;
  },
  (each) => withAskFirst(emptyConversation, each).asks[0] as Ask,
  (each) => withHeadShown({ ...emptyConversation, asks: [each] }, -1).conversation.asks[0] as Ask,
];

test('every rule keeps the fields of a newer release', () => {
  fc.assert(
    fc.property(anyAsk, fc.constantFrom(...rules), (each, rule) => {
      expect(rule({ ...each, more: { future: 7 } }).more).toEqual({ future: 7 });
    }),
  );
});

test('whatever is changed in a stored ask is written', () => {
  const each = ask('a', { name: 'n', expiresAt: 5, shown: true });
  const read = stored.readConversation(kept(stored.writeConversation({ ...emptyConversation, asks: [each] })), 'c');
  const other = flatAsk(
    ask('b', {
      ...{ agentName: 'b', kind: 'choice', data: { b: 1 }, shape: { type: 'text', input: 'date' }, context: { b: 1 } },
      ...{ status: 'declined', retries: 1, maxRetries: 1, askedAt: 1, place: { channel: 'b', address: null } },
      ...{ answerableBy: 'anyone', asker: 'bob', name: 'b', expiresAt: 6 },
    }),
  );
  for (const field of Object.keys(other) as (keyof FlatAsk)[]) {
    const changed = { ...read, asks: read.asks.map((old) => askLike(old, { [field]: other[field] })) };
    const back = stored.readConversation(kept(stored.writeConversation(changed)), 'c');
    expect(back.asks.map(flatAsk)).toMatchObject([{ [field]: other[field] }]);
  }
});

/** A document with one ask of these columns and other fields. */
const stores = (columns: readonly unknown[], others?: unknown): string => {
  const [id = 'a', place = { channel: 'c' }, expiresAt = null, askedAt = 0] = columns;
  return JSON.stringify({ v: 1, asks: [[id, 'x', '?', askedAt, place, null, null, null, expiresAt, true, others]] });
};

test.each([
  ['an ask without an id', stores([null])],
  ['an ask without a place', stores(['a', null])],
  ['an ask with a place that is none', stores(['a', 'phone'])],
  ['an ask with a status that is none', stores([], { status: 'odd' })],
  ['a decision without an entry', stores([], { decision: { at: 1 } })],
  ['a decision that is none', stores([], { decision: 7 })],
  ['a deadline that is no time', stores(['a', { channel: 'c' }, 'soon'])],
  ['an ask whose other fields are none', stores([], 'odd')],
  ['an ask that is none', '{"v":1,"asks":[null]}'],
  ['an ask that is no list', '{"v":1,"asks":[{"id":"a"}]}'],
  ['a late ask that is none', '{"v":1,"late":7}'],
  ['parked work without an entry', '{"v":1,"parked":[{"id":"p"}]}'],
  ['parked work with an ask that is none', '{"v":1,"parked":[{"id":"p","queued":{"entry":{"type":"use"}},"ask":{}}]}'],
  ['asks that are no list', '{"v":1,"asks":{}}'],
  ['parked work that is none', '{"v":1,"parked":[7]}'],
  ['no version', '{}'],
])('%s is damage, not an empty record', (_, text) => {
  expect(() => stored.readConversation({ text }, 'c')).toThrow(expect.objectContaining({ code: 'bad-record' }));
});

test('a stored deadline that no date can have counts as none: it is never reached, and no view of it throws', () => {
  const { asks } = stored.readConversation({ text: stores(['a', { channel: 'c' }, Number.MAX_SAFE_INTEGER], {}) }, 'c');
  expect(asks).toMatchObject([{ id: 'a', status: 'pending' }]);
  expect(asks[0]?.timing).toMatchObject({ askedAt: 0, expiresAt: undefined });
  const last = 8.64e15;
  const text = stores(['a', { channel: 'c' }, last], {});
  expect(stored.readConversation({ text }, 'c').asks).toMatchObject([{ timing: { expiresAt: last } }]);
});

test.each([
  ['askedAt', {}, 9e15],
  ['decision.at', { decision: { at: 9e99, entry: 'e' } }],
  ['decision.by', { decision: { at: 1, entry: 'e', by: 5 } }],
  ['votes[0].at', { votes: [{ by: { id: 'b' }, at: 9e15, value: true, entry: 'e' }] }],
  ['steps[0].at', { steps: [{ type: 'escalated', at: -9e15, channel: 'c' }] }],
])(
  'an ask with %s that cannot be shown is damaged: lists leave it out, and show the others',
  (field, others, askedAt = 0) => {
    const text = stores(['a', { channel: 'c' }, null, askedAt], others);
    expect(() => stored.readConversation({ text }, 'c')).toThrow(
      expect.objectContaining({ code: 'bad-record', message: expect.stringContaining(field) }),
    );
  },
);

test.each([
  ['a question without an ask', '{"type":"question","text":"?"}'],
  ['a question whose ask is damaged', '{"type":"question","ask":["a"]}'],
  ['something said nowhere', '{"type":"say","text":"hi"}'],
  ['an entry for elsewhere that is none', '{"type":"forward"}'],
  ['a kind of a newer release', '{"type":"poll"}'],
  ['torn text', '{"type":'],
])('%s is no output', (_, text) => {
  expect(stored.readOutgoing('k', { text })).toBeUndefined();
});

test('every item of the history comes back as it was, whatever people and agents have said', () => {
  const said = fc.string({ unit: anyCharacter });
  const who = fc.record({ id: said, name: said }, { requiredKeys: ['id'] });
  const fate = fc.record({ type: fc.constant('accepted' as const), askId: said });
  const at = fc.nat();
  const items: fc.Arbitrary<HistoryItem> = fc.oneof(
    fc.record(
      { type: fc.constant('in'), at, entry: said, text: said, disposition: fate, channel: said, participant: who },
      { requiredKeys: ['type', 'at', 'entry', 'text', 'disposition'] },
    ),
    fc.record(
      { type: fc.constant('out'), at, key: said, text: said, channel: said, askId: said },
      { requiredKeys: ['type', 'at', 'key', 'text', 'channel'] },
    ),
    fc.record(
      {
        type: fc.constant('decision'),
        at,
        askId: said,
        status: fc.constant('answered'),
        agent: said,
        entry: said,
        by: who,
      },
      { requiredKeys: ['type', 'at', 'askId', 'status', 'agent', 'entry'] },
    ),
  );
  fc.assert(
    fc.property(items, (item) => {
      expect(stored.readItem(kept(stored.writeItem(item)), 'c')).toEqual(item);
    }),
  );
});

test('a question in the history names its ask once, and is read as it was', () => {
  const item = { type: 'out', at: 1, key: 'ask:a:0', text: 'Sure?', channel: 'phone', askId: 'a' } as const;
  expect(stored.writeItem(item).text).toBe('{"type":"out","at":1,"key":"ask:a:0","text":"Sure?","channel":"phone"}');
  expect(stored.readItem(kept(stored.writeItem(item)), 'c')).toEqual(item);
  const said = { type: 'out', at: 1, key: 'digest:0', text: 'Done.', channel: 'phone' } as const;
  expect(stored.readItem(kept(stored.writeItem(said)), 'c')).toEqual(said);
  const odd = { ...item, askId: 'another' };
  expect(stored.readItem(kept(stored.writeItem(odd)), 'c')).toEqual(odd);
});

/**
 * What an entry is (section 5 of the design): who may answer, in time, and which ask is meant.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawnDigest } from '../../../../src/core/ask/drawn.js';
import type { Queued } from '../../../../src/core/conversation/entry.js';
import { asksAddressedBy, readingOf } from '../../../../src/core/conversation/match-reply.js';
import { mayAnswer } from '../../../../src/core/conversation/may-answer.js';
import { answeredBy, ask, conversation, message, pendingAsks, place, queued } from '../../../support/documents.js';

const ann = { id: 'ann' };
const bob = { id: 'bob' };
const people = fc.constantFrom(ann, bob, { id: 'eve' }, undefined);
const words = fc.constantFrom('yes', '12345', 'cancel', '/stop', '/help me', 'never mind', '?', '');

test('a reply or a decline is only ever read from somebody who may answer that ask', () => {
  fc.assert(
    fc.property(
      pendingAsks,
      people,
      words,
      fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
      (asks, who, text, askId) => {
        const entry = message(text, askId === undefined ? {} : { askId });
        const reading = readingOf(conversation(...asks), queued(entry), who);
        if (reading.type === 'reply' || reading.type === 'close') expect(mayAnswer(reading.ask, who, place)).toBe(true);
      },
    ),
  );
});

test('a plain reply is never read for an ask that was over when it was recorded', () => {
  fc.assert(
    fc.property(pendingAsks, people, words, fc.nat(120), (asks, who, text, at) => {
      const reading = readingOf(conversation(...asks), queued(message(text), at), who);
      if (reading.type === 'reply') expect(reading.ask.timing.expiresAt ?? at + 1).toBeGreaterThan(at);
    }),
  );
});

test('what a program or a trigger wrote is never an answer', () => {
  fc.assert(
    fc.property(pendingAsks, people, words, fc.boolean(), (asks, who, text, named) => {
      const open = conversation(...asks.map((each) => ({ ...each, answerableBy: 'anyone' as const })));
      const more = named ? { askId: 'a' } : {};
      for (const entry of [
        message(text, { ...more, automated: true }),
        message(text, { ...more, place: { ...place, trigger: true } }),
      ]) {
        expect(['ordinary', 'notice']).toContain(readingOf(open, queued(entry), who).type);
      }
    }),
  );
});

test('a named reply goes to that ask or to none', () => {
  fc.assert(
    fc.property(pendingAsks, people, fc.constantFrom('a', 'b', 'c', 'd'), (asks, who, askId) => {
      const reading = readingOf(conversation(...asks), queued(message('yes', { askId })), who);
      if (reading.type === 'reply') expect(reading.ask.id).toBe(askId);
      else expect(reading.type).toBe('notice');
    }),
  );
});

test('plain text goes to the head', () => {
  const reading = readingOf(conversation(ask('a', { shown: true }), ask('b')), queued(message('yes')), ann);
  expect(reading).toMatchObject({ type: 'reply', ask: { id: 'a' }, how: 'typed' });
});

test('plain text is no reply to a question that was never shown, because its time was over when its turn came', () => {
  const open = conversation(ask('a', { expiresAt: 100 }));
  const early: Queued = { ...queued(message('yes'), 90), revision: 3 };
  expect(readingOf(open, early, ann)).toEqual({ type: 'ordinary' });
  expect(readingOf(open, { ...early, entry: message('yes', { askId: 'a' }) }, ann)).toMatchObject({ type: 'reply' });
});

test('whose policy is asked is the ask that is read, also when the turn of the message has run before and asked', () => {
  const policed = ask('a', { shown: true, answerableBy: { policy: 'owners' } });
  const mine = ask('b', { shown: true, waitsIn: 'e1' });
  expect(asksAddressedBy(conversation(mine, policed), queued(message('yes')), undefined)).toEqual([policed]);
});

test('plain text by somebody else is an ordinary message; a named reply is refused', () => {
  const open = conversation(ask('a'));
  expect(readingOf(open, queued(message('yes', { participant: bob })), bob)).toEqual({ type: 'ordinary' });
  expect(readingOf(open, queued(message('yes', { participant: bob, askId: 'a' })), bob)).toMatchObject({
    type: 'notice',
    notice: 'refused',
    disposition: { type: 'not-authorised', askId: 'a' },
  });
});

test('without a known asker, whoever writes at the same address may answer, and nobody over the API', () => {
  const open = ask('a', { asker: undefined });
  expect(mayAnswer(open, undefined, place)).toBe(true);
  expect(mayAnswer(open, bob, { channel: 'phone', address: 'elsewhere' })).toBe(false);
  expect(mayAnswer(open, bob, { channel: 'mail', address: 'c1' })).toBe(false);
  expect(mayAnswer(open, bob, undefined)).toBe(false);
});

test('a named reply to what is settled is told what became of it', () => {
  const entry = queued(message('yes', { askId: 'a' }));
  const over = (more: object) => readingOf(conversation(), entry, ann, { elsewhere: ask('a', more) });
  expect(over(answeredBy('e0'))).toMatchObject({ notice: 'already', disposition: { type: 'already', askId: 'a' } });
  expect(over({ status: 'expired' })).toMatchObject({ notice: 'late', disposition: { type: 'late', askId: 'a' } });
  const ended = (status: string, more: object = {}) => over({ status, shown: true, ...more });
  const already = { disposition: { type: 'already', askId: 'a' } };
  expect(ended('declined')).toMatchObject({ notice: 'alreadyDeclined', ...already });
  expect(ended('exhausted')).toMatchObject({ notice: 'alreadyExhausted', ...already });
  expect(ended('cancelled')).toMatchObject({ notice: 'alreadyCancelled', ...already });
  expect(ended('cancelled', { shown: false })).toMatchObject({ notice: 'alreadyWithdrawn', ...already });
  for (const id of ['patience:a', 'abort:a', 'left:a'])
    expect(ended('cancelled', { decision: { at: 1, entry: id } })).toMatchObject({ notice: 'alreadyWithdrawn' });
  const unreachable = { decision: { at: 1, entry: 'e0', why: 'undeliverable' } };
  expect(ended('cancelled', unreachable)).toMatchObject({ notice: 'alreadyWithdrawn' });
});

test('a stranger is told that an ask is over, and is refused', () => {
  const elsewhere = ask('a', answeredBy('e0'));
  const reading = (more: object) =>
    readingOf(conversation(), queued(message('yes', { askId: 'a', ...more })), bob, { elsewhere });
  const disposition = { type: 'not-authorised', askId: 'a' };
  expect(reading({})).toMatchObject({ notice: 'already', disposition });
  expect(reading({ automated: true })).toMatchObject({ notice: 'refused', disposition });
});

test('a file is told to be no answer to whoever may answer what is open, and is an ordinary message otherwise', () => {
  const sent = (who: typeof ann, more: object, ...asks: ReturnType<typeof ask>[]) =>
    readingOf(conversation(...asks), queued(message('[attachment: yes]', more)), who);
  const open = ask('a', { shown: true });
  expect(sent(ann, { wordless: true }, open)).toMatchObject({ type: 'notice', notice: 'nothingWritten' });
  expect(sent(bob, { wordless: true }, open)).toEqual({ type: 'ordinary' });
  expect(sent(ann, { wordless: true })).toEqual({ type: 'ordinary' });
  expect(sent(ann, { automated: true }, open)).toEqual({ type: 'ordinary' });
});

test('what nobody wrote is told so to somebody who may answer, and that an ask is over where it is', () => {
  const sent = (who: typeof ann, ...asks: ReturnType<typeof ask>[]) =>
    readingOf(conversation(...asks), queued(message('[attachment: yes]', { askId: 'a', automated: true })), who);
  const disposition = { type: 'not-authorised', askId: 'a' };
  expect(sent(ann, ask('a', { shown: true }))).toMatchObject({ notice: 'nothingWritten', disposition });
  expect(sent(bob, ask('a', { shown: true }))).toMatchObject({ notice: 'refused', disposition });
  expect(sent(ann, ask('a', answeredBy('e0')))).toMatchObject({
    notice: 'already',
    disposition: { type: 'already' },
  });
});

test('on a re-run the entry that decided the ask is read as its reply again', () => {
  const open = conversation(ask('a', answeredBy('e1')));
  expect(readingOf(open, queued(message('yes')), ann)).toMatchObject({ type: 'reply', ask: { status: 'answered' } });
});

test('a decline word closes, another command is ordinary, an exact option wins over both', () => {
  const open = conversation(ask('a', { shown: true }));
  expect(readingOf(open, queued(message('Never mind')), ann)).toMatchObject({ type: 'close', as: 'declined' });
  expect(readingOf(open, queued(message('/status now')), ann)).toEqual({ type: 'ordinary' });
  const shape = { type: 'choices', many: false, choices: [{ id: 'x', label: 'Cancel' }] } as const;
  const offered = conversation(ask('a', { shape, shown: true }));
  expect(readingOf(offered, queued(message('cancel')), ann)).toMatchObject({ type: 'reply' });
});

test('plain text after an expiry knows what it is late for, if its sender might have answered', () => {
  const after = { ...conversation(), late: ask('a', { status: 'expired', shown: true }) };
  expect(readingOf(after, queued(message('yes')), ann)).toMatchObject({ type: 'ordinary', lateFor: { id: 'a' } });
  expect(readingOf(after, queued(message('yes', { participant: bob })), bob)).toEqual({ type: 'ordinary' });
});

test('nobody is late for a question that was not shown when they wrote', () => {
  const early = { ...queued(message('yes')), revision: 3 };
  const over = { status: 'expired', sensitive: true } as const;
  const shown = { ...conversation(), late: ask('a', { ...over, shown: true, shownIn: 4 }) };
  expect(readingOf(shown, early, ann)).toEqual({ type: 'ordinary' });
  expect(readingOf(shown, { ...early, revision: 4 }, ann)).toMatchObject({ type: 'notice', notice: 'late' });
  expect(readingOf({ ...conversation(), late: ask('a', over) }, early, ann)).toEqual({ type: 'ordinary' });
});

test('an ask opened from elsewhere is opened once, its deadline counted from its arrival', () => {
  const entry = { type: 'open', ask: ask('a'), expiresIn: 100 } as const;
  expect(readingOf(conversation(), queued(entry, 7), undefined)).toMatchObject({
    type: 'open',
    ask: { timing: { askedAt: 7, expiresAt: 107 } },
  });
  expect(readingOf(conversation(ask('a')), queued(entry, 7), undefined)).toMatchObject({ type: 'notice' });
});

test('what was drawn is another thing with every part of the answer, and the same after votes and failed attempts', () => {
  const open = ask('a');
  const drawn = drawnDigest(open);
  const votes = [{ by: ann, at: 1, value: true, entry: 'e1' }];
  expect(drawnDigest(ask('a', { votes, retries: 2, shows: 3 }))).toBe(drawn);
  expect(drawnDigest(JSON.parse(JSON.stringify(open)))).toBe(drawn);
  expect(drawnDigest(ask('a', { partial: { values: { iban: 'A1' } } }))).not.toBe(drawn);
  expect(drawnDigest(ask('a', { partial: { values: { pin: '1234' } }, sensitive: true }))).toBe(drawn);
  const answer = (seen: string) => queued({ type: 'answer', askId: 'a', by: ann, text: 'yes', drawn: seen });
  const asks = conversation(ask('a', { answerableBy: 'anyone' }));
  expect(readingOf(asks, answer(drawn), ann)).toMatchObject({ type: 'reply' });
  expect(readingOf(asks, answer('another'), ann)).toMatchObject({ disposition: { type: 'outdated', askId: 'a' } });
});

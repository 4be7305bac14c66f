/** What is kept and shown of an ask that has every field: the texts, letter by letter. */
import { expect, test } from 'vitest';
import type { Ask } from '../../../../src/core/ask/ask.js';
import { askView, publicPart, publicView, shownAsk, withoutSensitiveAnswer } from '../../../../src/core/ask/ask.js';
import { askOf, askRow, publicRow } from '../../../../src/core/format/ask-row.js';
import { askWith, type FlatAsk } from '../../../support/asks.js';

const ann = { id: 'web:ann', name: 'Ann', roles: ['lead'], tenant: 'acme' };
const place = { channel: 'web', address: 'c1', longest: 900 };
const choices = [{ id: 'a', label: 'A' }];

const whole = {
  id: 'ask-1',
  agentName: 'shop',
  name: 'order',
  question: 'Sure?',
  kind: 'form',
  data: { fields: 1 },
  shape: { type: 'choices', choices, many: false },
  context: { secret: 1 },
  status: 'answered',
  answer: 'yes',
  value: { yes: true },
  decision: {
    at: 20,
    entry: 'm2',
    channel: 'web',
    by: ann,
    why: 'undeliverable',
    reason: 'private',
    effectKey: 'decided',
    drawn: 'digest',
    from: 1,
    elsewhere: true,
  },
  shownIn: 6,
  shown: true,
  retries: 1,
  maxRetries: 3,
  askedAt: 10,
  place,
  answerableBy: { roles: ['lead'] },
  retryText: 'Again?',
  details: { total: '12' },
  quorum: 2,
  links: 'decide',
  mail: 'decide',
  remindAfter: [5],
  prompt: 'Really?',
  kindVersion: 2,
  run: { calls: [] },
  then: 'told',
  awaited: true,
  unowned: true,
  cause: 'm0',
  effectKey: 'once',
  onCrash: 'park',
  locale: 'de',
  tenant: 'acme',
  expiresAt: 90,
  origin: { conversationId: 'home', asker: 'web:bea', locale: 'fr' },
  asker: 'web:cleo',
  excluded: 'web:dan',
  sensitive: true,
  places: [{ channel: 'mail', address: 'a', step: 0, text: 'Yours' }],
  escalate: [{ after: 7, channel: 'mail' }],
  inbox: true,
  listed: ['key'],
  waitsIn: 'm1',
  waitsFrom: 4,
  shownAt: 11,
  partial: { values: { a: 1 } },
  shows: 2,
  returns: 1,
  refused: ['reply'],
  copies: [[0, 0]],
  lost: [1],
  votes: [{ by: ann, at: 12, value: true, entry: 'm1', channel: 'web' }],
  steps: [{ type: 'handed-over', at: 13, entry: 'm3', by: ann, to: { id: 'web:eve' }, reason: 'away', channel: 'web' }],
  reminded: 1,
  remindNotBefore: 15,
} satisfies Required<FlatAsk>;

const ask = askWith(whole, { later: { kept: true } });

const { sensitive: _, ...open } = whole;
const told = askWith(open);

/** As JSON, a field on each line. */
const fields = (value: object): string =>
  Object.entries(JSON.parse(JSON.stringify(value)) as object)
    .map(([name, field]) => `${name} ${JSON.stringify(field)}`)
    .join('\n');

/** A stored row as JSON: what has a place of its own, and the fields of its last part. */
const row = (value: readonly unknown[]): string =>
  `${JSON.stringify(value.slice(0, -1))}\n${fields(value.at(-1) as object)}`;

test('its stored row', () => {
  expect(row(askRow(ask))).toMatchInlineSnapshot(`
    "["ask-1","shop","Sure?",10,{"channel":"web","address":"c1","longest":900},{"secret":1},"order","web:cleo",90,7]
    kind "form"
    data {"fields":1}
    shape {"type":"choices","choices":[{"id":"a","label":"A"}],"many":false}
    status "answered"
    answer "yes"
    value {"yes":true}
    decision {"at":20,"entry":"m2","channel":"web","by":{"id":"web:ann","name":"Ann","roles":["lead"],"tenant":"acme"},"why":"undeliverable","reason":"private","effectKey":"decided","drawn":"digest","from":1,"elsewhere":true}
    retries 1
    maxRetries 3
    answerableBy {"roles":["lead"]}
    retryText "Again?"
    details {"total":"12"}
    quorum 2
    links "decide"
    mail "decide"
    remindAfter [5]
    prompt "Really?"
    kindVersion 2
    run {"calls":[]}
    then "told"
    awaited true
    unowned true
    cause "m0"
    effectKey "once"
    onCrash "park"
    locale "de"
    tenant "acme"
    origin {"conversationId":"home","asker":"web:bea","locale":"fr"}
    excluded "web:dan"
    sensitive true
    places [{"channel":"mail","address":"a","step":0,"text":"Yours"}]
    escalate [{"after":7,"channel":"mail"}]
    inbox true
    listed ["key"]
    waitsIn "m1"
    waitsFrom 4
    shownAt 11
    partial {"values":{"a":1}}
    shows 2
    returns 1
    refused ["reply"]
    copies [[0,0]]
    lost [1]
    votes [{"by":{"id":"web:ann","name":"Ann","roles":["lead"],"tenant":"acme"},"at":12,"value":true,"entry":"m1","channel":"web"}]
    steps [{"type":"handed-over","at":13,"entry":"m3","by":{"id":"web:ann","name":"Ann","roles":["lead"],"tenant":"acme"},"to":{"id":"web:eve"},"reason":"away","channel":"web"}]
    reminded 1
    remindNotBefore 15
    later {"kept":true}"
  `);
});

test('its row is read and written back', () => {
  const stored = JSON.stringify(askRow(ask));
  expect(JSON.stringify(askRow(askOf(JSON.parse(stored)) as Ask))).toBe(stored);
});

test('the row of what a channel may know', () => {
  expect(row(publicRow(publicPart(ask)))).toMatchInlineSnapshot(`
    "["ask-1","shop","Sure?",10,{"channel":"web","address":"c1","longest":900},null,null,null,90,1]
    kind "form"
    shape {"type":"choices","choices":[{"id":"a","label":"A"}],"many":false}
    status "answered"
    answer "yes"
    value {"yes":true}
    decision {"at":20,"entry":"m2","channel":"web","by":{"id":"web:ann","name":"Ann","roles":["lead"],"tenant":"acme"},"why":"undeliverable","effectKey":"decided"}
    retries 1
    maxRetries 3
    answerableBy {"roles":["lead"]}
    kindVersion 2
    prompt "Really?"
    partial {"values":{"a":1}}
    returns 1
    details {"total":"12"}
    shows 2
    quorum 2
    votes [{"by":{"id":"web:ann","name":"Ann","roles":["lead"],"tenant":"acme"},"at":12,"value":true,"entry":"m1","channel":"web"}]
    waitsIn "m1"
    awaited true
    unowned true
    sensitive true
    links "decide"
    mail "decide"
    remindAfter [5]
    reminded 1
    remindNotBefore 15
    shownAt 11
    locale "de"
    effectKey "once""
  `);
});

test('what its agent is given', () => {
  expect(fields(askView(ask, 'c1'))).toMatchInlineSnapshot(`
    "id "ask-1"
    conversationId "c1"
    question "Sure?"
    status "answered"
    retries 1
    maxRetries 3
    askedAt "1970-01-01T00:00:00.010Z"
    kind "form"
    expiresAt "1970-01-01T00:00:00.090Z"
    choices [{"id":"a","label":"A"}]
    details {"total":"12"}
    decidedBy {"id":"web:ann","name":"Ann","roles":["lead"],"tenant":"acme"}
    decidedAt "1970-01-01T00:00:00.020Z"
    quorum 2
    votes [{"by":{"id":"web:ann","name":"Ann"},"at":"1970-01-01T00:00:00.012Z","value":true}]
    sensitive true
    mail "decide"
    agentName "shop"
    channelName "web"
    answerableBy {"roles":["lead"]}
    effectKey "decided"
    links "decide"
    context {"secret":1}
    answer "yes"
    value {"yes":true}
    partial {"values":{"a":1}}
    tenant "acme"
    asker {"id":"web:bea","tenant":"acme","locale":"fr"}
    address "c1"
    reason "private"
    steps [{"type":"handed-over","at":"1970-01-01T00:00:00.013Z","by":{"id":"web:ann","name":"Ann","roles":["lead"],"tenant":"acme"},"to":{"id":"web:eve"},"reason":"away","channel":"web"}]"
  `);
});

test("what the author's rules about replies are given", () => {
  expect(fields(publicView(told, 'c1'))).toMatchInlineSnapshot(`
    "id "ask-1"
    conversationId "c1"
    question "Sure?"
    status "answered"
    retries 1
    maxRetries 3
    askedAt "1970-01-01T00:00:00.010Z"
    kind "form"
    expiresAt "1970-01-01T00:00:00.090Z"
    choices [{"id":"a","label":"A"}]
    details {"total":"12"}
    decidedBy {"id":"web:ann","name":"Ann","roles":["lead"],"tenant":"acme"}
    decidedAt "1970-01-01T00:00:00.020Z"
    quorum 2
    votes [{"by":{"id":"web:ann","name":"Ann"},"at":"1970-01-01T00:00:00.012Z","value":true}]
    answer "yes"
    value {"yes":true}
    partial {"values":{"a":1}}
    mail "decide"
    agentName "shop"
    channelName "web"
    answerableBy {"roles":["lead"]}
    effectKey "decided"
    links "decide""
  `);
});

test('what a channel is given, also where the answer is sensitive', () => {
  expect(fields(shownAsk(told, 'c1'))).toMatchInlineSnapshot(`
    "id "ask-1"
    conversationId "c1"
    question "Sure?"
    status "answered"
    retries 1
    maxRetries 3
    askedAt "1970-01-01T00:00:00.010Z"
    kind "form"
    expiresAt "1970-01-01T00:00:00.090Z"
    choices [{"id":"a","label":"A"}]
    details {"total":"12"}
    decidedBy {"id":"web:ann","name":"Ann"}
    decidedAt "1970-01-01T00:00:00.020Z"
    quorum 2
    votes [{"by":{"id":"web:ann","name":"Ann"},"at":"1970-01-01T00:00:00.012Z","value":true}]
    answer "yes"
    value {"yes":true}
    partial {"values":{"a":1}}
    mail "decide""
  `);
  expect(fields(shownAsk(ask, 'c1'))).toMatchInlineSnapshot(`
    "id "ask-1"
    conversationId "c1"
    question "Sure?"
    status "answered"
    retries 1
    maxRetries 3
    askedAt "1970-01-01T00:00:00.010Z"
    kind "form"
    expiresAt "1970-01-01T00:00:00.090Z"
    choices [{"id":"a","label":"A"}]
    details {"total":"12"}
    decidedBy {"id":"web:ann","name":"Ann"}
    decidedAt "1970-01-01T00:00:00.020Z"
    quorum 2
    votes [{"by":{"id":"web:ann","name":"Ann"},"at":"1970-01-01T00:00:00.012Z","value":true}]
    sensitive true
    mail "decide""
  `);
});

test('a sensitive answer is left out of the row, and nothing else', () => {
  const stored = row(askRow(ask)).split('\n');
  const kept = stored.filter((field) => !/^(answer|value|partial) /.test(field));
  expect(row(askRow(withoutSensitiveAnswer(ask)))).toBe(kept.join('\n'));
});

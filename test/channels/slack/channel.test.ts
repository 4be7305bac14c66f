/** Slack as a channel, on a local Slack: what people do comes in as signed requests, what is said is posted over the real client. */
import { describe, expect, test } from 'vitest';
import { english } from '../../../src/core/wording/english.js';
import { confirm } from '../../../src/index.js';
import { slackWorld, until as untilWithoutTime } from '../../support/slack/world.js';

describe('a refund', () => {
  test('mention, question with buttons, refused for the wrong person, done by the right one, drawn anew', async () => {
    const { slack, refunds, until, logged } = await slackWorld();
    const [ann, bob] = [slack.person('U1'), slack.person('U2', { real_name: 'Bob', profile: { display_name: 'Bob' } })];
    const asked = await ann.mentions('refund');
    expect(asked).toMatchObject({ status: 200, body: '' });
    const question = await until(() => slack.said().find(({ controls }) => controls.length > 0));
    expect(question.controls).toEqual(['Yes', 'No']);
    expect(question.message.thread_ts).toBe(asked.ts);

    expect(await ann.presses('Yes')).toMatchObject({ status: 200 });
    const refusal = await until(() => slack.said('C1', 'U1').find(({ text }) => text.includes("can't answer")));
    expect(refusal.message).toMatchObject({ only: 'U1', thread_ts: asked.ts });
    expect([refunds, slack.said()[0]?.controls]).toEqual([[], ['Yes', 'No']]);

    expect(await bob.presses('Yes')).toMatchObject({ status: 200 });
    await until(() => slack.said().some(({ text }) => text === 'Refunded.'));
    const redrawn = await until(() => slack.said().find(({ text }) => text.includes('Answered by Bob')));
    expect([refunds, redrawn.controls, redrawn.message.ts]).toEqual([['slack:T1/U2'], [], question.message.ts]);
    expect(logged.join()).not.toContain(slack.token);
  });

  test('the same as a reply in the thread', async () => {
    const { slack, refunds, until } = await slackWorld();
    const [ann, bob] = [slack.person('U1'), slack.person('U2')];
    const { ts } = await ann.mentions('refund');
    await until(() => slack.said().length === 1);
    await bob.writes('yes', { thread: ts });
    await until(() => slack.said().some(({ text }) => text === 'Refunded.'));
    expect(refunds).toEqual(['slack:T1/U2']);
  });

  test('a question put to a channel is answered in the thread below it, by anybody who may, after a restart as well', async () => {
    const { slack, registry, until, refund } = await slackWorld();
    const bob = slack.person('U2');
    await registry.ask(refund, { channel: 'slack', to: 'C1' });
    const { message } = await until(() => slack.said()[0]);
    expect(message.thread_ts).toBeUndefined();
    const file = { subtype: 'file_share', files: [{ name: 'Yes' }] };
    await bob.writes('', { thread: message.ts, event: file });
    await until(() => slack.said('C1', 'U2').some(({ text }) => text === english.wording.nothingWritten()));
    await bob.writes('yes', { thread: message.ts });
    await until(() => slack.said().some(({ text }) => text === 'Refunded.'));
    expect(slack.calls.filter(({ method }) => method === 'conversations.replies')).toHaveLength(1);
  });
});

test('what is too long to be shown in full is not answered on Slack, by whatever is written; elsewhere it is', async () => {
  const { slack, registry, until } = await slackWorld();
  const bob = slack.person('U2');
  const where = { channel: 'slack', to: 'C1', answerableBy: 'anyone' } as const;
  const { askId } = await registry.ask(confirm('Approve?'), { ...where, details: { Arguments: 'x'.repeat(9_000) } });
  const { message, controls } = await until(() => slack.said()[0]);
  expect(controls).toEqual([]);
  await bob.writes('yes', { thread: message.ts });
  await until(() => slack.said('C1', 'U2').some(({ text }) => text.includes('answer it on its page')));
  expect((await registry.getAsk(askId))?.status).toBe('pending');
  expect(await registry.answer(askId, { value: true }, { by: { id: 'staff:ann' } })).toMatchObject({
    type: 'accepted',
  });
});

describe('modals', () => {
  test('an open question is answered by a modal; a wrong answer is told in it and nowhere else', async () => {
    const { slack, until } = await slackWorld();
    const ann = slack.person('U1');
    await ann.mentions('many');
    await until(() => slack.said().length === 1);
    expect(await ann.presses('Answer')).toMatchObject({ status: 200 });
    const wrong = await ann.submits({ 'How many?': '9' });
    expect(wrong).toMatchObject({ status: 200, body: { response_action: 'errors' } });
    expect(JSON.stringify(wrong.body)).toMatch(/5/);
    expect(slack.said('C1', 'U1')).toHaveLength(1);
    expect(await ann.submits({ 'How many?': '3' })).toMatchObject({ status: 200, body: '' });
    await until(() => slack.said().some(({ text }) => text === '3 it is.'));
    await until(() => slack.said()[0]?.controls.length === 0);
  });

  test('a form is filled in at once, and each wrong field says what is wrong', async () => {
    const { slack, until } = await slackWorld();
    const ann = slack.person('U1');
    await ann.mentions('order');
    await until(() => slack.said().length === 1);
    await ann.presses('Answer');
    const wrong = await ann.submits({ 'What?': ' ', 'How many?': 'two' });
    const { errors } = wrong.body as { errors: Record<string, string> };
    expect(errors).toEqual({ 'askback:field:0': expect.any(String), 'askback:field:1': expect.any(String) });
    await ann.submits({ 'What?': 'Tea', 'How many?': '2' });
    await until(() => slack.said().some(({ text }) => text === '2 × Tea'));
  });

  test('the same values sent again after the world changed are looked at anew; a repeat of Slack is the same answer', async () => {
    let stock = 0;
    const looks: number[] = [];
    const isSmall = async () => {
      looks.push(stock);
      return stock > 0 || 'There are none left.';
    };
    const { slack, until } = await slackWorld({}, { isSmall });
    const ann = slack.person('U1');
    await ann.mentions('many');
    await until(() => slack.said().length === 1);
    await ann.presses('Answer');
    const wrong = await ann.submits({ 'How many?': '3' });
    expect(JSON.stringify(wrong.body)).toContain('There are none left.');
    stock = 5;
    for (const retry of [1, 2, 3]) expect(await wrong.again({ retry })).toMatchObject({ body: wrong.body });
    expect(looks).toEqual([0]);
    const right = await ann.submits({ 'How many?': '3' });
    expect(right).toMatchObject({ status: 200, body: '' });
    for (const retry of [1, 2, 3]) expect(await right.again({ retry })).toMatchObject({ status: 200, body: '' });
    await until(() => slack.said().some(({ text }) => text === '3 it is.'));
    expect(looks).toEqual([0, 5]);
    expect(slack.said().filter(({ text }) => text === '3 it is.')).toHaveLength(1);
  });

  test('a payload without a trigger is known by its values', async () => {
    const { slack, until } = await slackWorld();
    const ann = slack.person('U1');
    await ann.mentions('why');
    await until(() => slack.said().length === 1);
    await ann.presses('Answer');
    const sent = await ann.submits({ 'Why?': 'It broke' }, { payload: { trigger_id: null } });
    for (const retry of [1, 2, 3]) expect(await sent.again({ retry })).toMatchObject({ status: 200, body: '' });
    await until(() => slack.said().some(({ text }) => text === 'Because: It broke'));
    // the question may be drawn again with the answer by now, or not yet
    expect(slack.said().filter(({ text }) => text === 'Because: It broke')).toHaveLength(1);
  });

  test('a modal that could not be opened loses nothing: pressing again opens it', async () => {
    const { slack, until, logged } = await slackWorld();
    const ann = slack.person('U1');
    await ann.mentions('why');
    await until(() => slack.said().length === 1);
    slack.fails({ error: 'expired_trigger_id' }, { method: 'views.open', times: 1 });
    expect(await ann.presses('Answer')).toMatchObject({ status: 200 });
    expect([slack.views, logged.filter((line) => line.includes('modal'))]).toEqual([[], [expect.any(String)]]);
    await ann.presses('Answer');
    await ann.submits({ 'Why?': 'It broke & <b>' });
    await until(() => slack.said().some(({ text }) => text === 'Because: It broke & <b>'));
  });
});

test('a modal whose answer takes long is closed; if it turns out to be wrong, whoever sent it is told alone', async () => {
  let check = (): void => {};
  const held = new Promise<void>((resolve) => {
    check = resolve;
  });
  let isChecking = false;
  const isSmall = async () => {
    isChecking = true;
    return held.then(() => 'That is too many.');
  };
  const { slack, clock, until } = await slackWorld({}, { isSmall });
  const ann = slack.person('U1');
  await ann.mentions('many');
  await until(() => slack.said().length === 1);
  await ann.presses('Answer');
  const sending = ann.submits({ 'How many?': '3' });
  let isClosed = false;
  void sending.then(() => {
    isClosed = true;
  });
  await untilWithoutTime(() => isChecking);
  await until(async () => {
    await clock.advance(100);
    return isClosed;
  });
  expect(await sending).toMatchObject({ status: 200, body: '' });
  check();
  await until(() => slack.said('D1').some(({ text }) => text.includes('too many')));
  expect(slack.said('C1', 'U1')).toHaveLength(1);
});

describe('places', () => {
  test.each(['U1', 'u1@example.com'])(
    'a question put to %s comes as a direct message, and is answered by its button',
    async (to) => {
      const { slack, registry, until, size } = await slackWorld();
      const ann = slack.person('U1');
      await registry.ask(size, { channel: 'slack', to });
      const { controls } = await until(() => slack.said('D1')[0]);
      expect(controls).toEqual(['1. Small', '2. Large']);
      await ann.presses('Large', { channel: 'D1' });
      await until(() => slack.said('D1').some(({ text }) => text === 'Size Large.'));
    },
  );

  test('a question put to a person is answered by what they write in their direct messages', async () => {
    const { slack, registry, until, size } = await slackWorld();
    const ann = slack.person('U1');
    await registry.ask(size, { channel: 'slack', to: 'U1' });
    await until(() => slack.said('D1')[0]);
    await ann.writes('large', { channel: 'direct' });
    await until(() => slack.said('D1').some(({ text }) => text === 'Size Large.'));
  });

  test('what is said to an address reaches it as the address was written, and a wrong one is given up at once', async () => {
    const { slack, channel } = await slackWorld();
    slack.person('U1');
    const says = (address: string) =>
      channel.send({ key: address, conversationId: 'c', address, text: 'Done.', shape: { type: 'text' } });
    for (const to of ['C1', 'U1', 'u1@example.com', 'slack:T1/U1']) await says(to);
    expect([...slack.said('C1'), ...slack.said('D1')].map(({ text }) => text)).toEqual(Array(4).fill('Done.'));
    await expect(says('#refunds')).rejects.toMatchObject({ code: 'undeliverable' });
  });

  test('an address that nobody has is undeliverable, and the ask says so', async () => {
    const { slack, registry, until, size } = await slackWorld();
    slack.person('U1');
    const { askId } = await registry.ask(size, { channel: 'slack', to: 'nobody@example.com' });
    await until(async () => (await registry.getAsk(askId))?.status === 'cancelled');
    await expect(registry.ask(size, { channel: 'slack', to: '#refunds' })).rejects.toThrow(/use the id/);
  });

  test('metadata that looks like ours counts only in a message of our own', async () => {
    const { slack, registry, until, size } = await slackWorld();
    const [ann, eve] = [slack.person('U1'), slack.person('U3')];
    const { askId, conversationId } = await registry.ask(size, { channel: 'slack', to: 'U1' });
    await until(() => slack.said('D1')[0]);
    const { ts } = await eve.writes('look');
    const index = slack.messages.findIndex((message) => message.ts === ts);
    const metadata = { event_type: 'askback_message', event_payload: { conversation: conversationId, ask: askId } };
    slack.messages[index] = { ...slack.messages[index], metadata } as (typeof slack.messages)[number];
    await ann.writes('large', { thread: ts });
    await until(() => slack.said('C1').some(({ text }) => text === 'You said: large'));
    expect(await registry.getAsk(askId)).toMatchObject({ status: 'pending' });
  });
});

describe('repeats', () => {
  test('a message as message and app_mention, and its retries, is one message', async () => {
    const { slack, until } = await slackWorld();
    const ann = slack.person('U1');
    const first = await ann.mentions('hello');
    await ann.writes('hello', { ts: first.ts, event: { text: '<@UBOT> hello' } });
    for (const retry of [1, 2, 3]) expect(await first.again({ retry })).toMatchObject({ status: 200 });
    await ann.mentions('bye');
    await until(() => slack.said().some(({ text }) => text === 'You said: bye'));
    expect(slack.said().map(({ text }) => text)).toEqual(['You said: hello', 'You said: bye']);
  });

  test('a retry whose original never came is taken, and a click that comes again is one answer', async () => {
    const { slack, until, refunds } = await slackWorld();
    const [ann, bob] = [slack.person('U1'), slack.person('U2')];
    await ann.mentions('refund', { retry: 1 });
    await until(() => slack.said()[0]?.controls.length === 2);
    const pressed = await bob.presses('Yes');
    for (const retry of [1, 2, 3]) await pressed.again({ retry });
    await until(() => slack.said().some(({ text }) => text === 'Refunded.'));
    expect([refunds, slack.said('C1', 'U2').filter(({ text }) => /already/i.test(text))]).toEqual([
      ['slack:T1/U2'],
      [],
    ]);
  });
});

describe('people', () => {
  const answers = async (about: object, options: object = {}) => {
    const { slack, until, logged } = await slackWorld(options);
    const eve = slack.person('U3', about as { readonly [field: string]: unknown });
    expect(await eve.mentions('hello')).toMatchObject({ status: 200 });
    await slack.person('U1').mentions('bye');
    await until(() => slack.said().some(({ text }) => text === 'You said: bye'));
    const refused = logged.find((line) => line.startsWith('A person on Slack was refused'));
    expect(refused ?? '').not.toContain('hello');
    const isAnswered = slack.said().some(({ text }) => text === 'You said: hello');
    return isAnswered ? 'answered' : (JSON.parse(refused?.slice(refused.indexOf('{')) ?? '{}') as { why?: string }).why;
  };

  test.each([
    [{ is_restricted: true }, {}, 'guest'],
    [{ is_ultra_restricted: true }, {}, 'guest'],
    [{ is_restricted: true }, { allowGuests: true }, 'answered'],
    [{ team_id: 'T2' }, {}, 'other workspace'],
    [{ team_id: 'T2', is_stranger: true }, { otherTeams: ['T3'] }, 'other workspace'],
    [{ team_id: 'T2', is_stranger: true }, { otherTeams: ['T2'] }, 'answered'],
    [{ enterprise_user: { enterprise_id: 'E2' } }, {}, 'other workspace'],
    [{ is_bot: true }, { allowGuests: true, otherTeams: true }, 'program'],
    [{ deleted: true }, {}, 'deactivated'],
    [{ name: '', real_name: '', profile: {} }, {}, 'answered'],
  ])('%j with %j: %s', async (about, options, outcome) => {
    expect(await answers(about, options)).toBe(outcome);
  });

  test('whoever Slack does not know is refused; while Slack cannot be asked, nothing is acknowledged', async () => {
    const { slack, until, clock, logged } = await slackWorld();
    const ann = slack.person('U1');
    slack.fails({ status: 503 }, { method: 'users.info', times: 1 });
    const lost = await ann.mentions('hello');
    expect(lost.status).toBe(500);
    expect(logged.at(-1)).toContain('What Slack sent was not recorded');
    expect(await lost.again({ retry: 1 })).toMatchObject({ status: 200 });
    await until(() => slack.said().some(({ text }) => text === 'You said: hello'));
    slack.fails({ error: 'user_not_found' }, { method: 'users.info' });
    await ann.mentions('still known');
    await until(() => slack.said().some(({ text }) => text === 'You said: still known'));
    await clock.advance(5 * 60_000);
    await ann.mentions('who am I');
    expect(logged.at(-1)).toContain('"why":"unknown"');
  });

  test('a guest who presses is told so, alone; nothing of it is public', async () => {
    const { slack, until, refunds } = await slackWorld();
    await slack.person('U1').mentions('refund');
    await until(() => slack.said()[0]?.controls.length === 2);
    const guest = slack.person('U2', { is_restricted: true });
    expect(await guest.presses('Yes')).toMatchObject({ status: 200 });
    expect(slack.said('C1', 'U2').at(-1)).toMatchObject({ text: expect.stringContaining("can't answer") });
    expect([slack.said().length, refunds]).toEqual([1, []]);
  });
});

describe('bad input', () => {
  test('each wrong request has its status, and nothing of it is taken', async () => {
    const { slack, channel, until } = await slackWorld({ appId: 'A1' });
    const body = JSON.stringify({
      type: 'event_callback',
      team_id: 'T1',
      api_app_id: 'A1',
      event: { type: 'pin_added' },
    });
    const status = async (init: RequestInit, text: string = body) => {
      const headers = { 'content-type': 'application/json', ...slack.signed(text), ...(init.headers as object) };
      const response = await channel.fetch(
        new Request('https://app.example/slack', { method: 'POST', body: text, ...init, headers }),
      );
      return response.status;
    };
    const time = slack.signed(body)['x-slack-request-timestamp'] ?? '';
    expect(await status({})).toBe(200); // an event that is not known
    expect(await status({ method: 'GET', body: null })).toBe(405);
    expect(await status({ headers: { 'content-type': 'text/plain' } })).toBe(415);
    expect(await status({ headers: { 'x-slack-signature': 'v0=00' } })).toBe(401);
    expect(await status({ headers: { 'x-slack-request-timestamp': `${time}, ${time}` } })).toBe(401);
    expect(await status({ headers: slack.signed(body, { off: 301 }) })).toBe(401);
    expect(await status({ headers: slack.signed(body, { off: -301 }) })).toBe(401);
    expect(await status({ headers: slack.signed(body, { secret: 'another' }) })).toBe(401);
    expect(await status({}, 'x'.repeat(10_000_000))).toBe(413);
    expect(await status({}, '{"type":')).toBe(400);
    const ann = slack.person('U1');
    expect(await ann.mentions('hello', { envelope: { api_app_id: 'A2' } })).toMatchObject({ status: 403 });
    const challenge = JSON.stringify({ type: 'url_verification', challenge: 'c-1', token: 't' });
    expect(await slack.sendsEvent(JSON.parse(challenge))).toEqual({ status: 200, body: { challenge: 'c-1' } });
    await ann.mentions('bye');
    await until(() => slack.said().some(({ text }) => text === 'You said: bye'));
    expect(slack.said()).toHaveLength(1);
  });

  test('attachments are no answer, which their sender is told; text beside them is', async () => {
    const { slack, until } = await slackWorld();
    const ann = slack.person('U1');
    const { ts } = await ann.mentions('size');
    await until(() => slack.said().length === 1);
    const event = { subtype: 'file_share', files: [{ name: 'Large' }] };
    await ann.writes('', { thread: ts, event });
    await until(() => slack.said('C1', 'U1').some(({ text }) => text === english.wording.nothingWritten()));
    expect(slack.said()[0]?.controls).toEqual(['1. Small', '2. Large']);
    await ann.writes('large', { thread: ts, event });
    await until(() => slack.said().some(({ text }) => text === 'Size Large.'));
  });

  test('a store that is slow is answered with "not now" in time, and the repeat is one message', async () => {
    const { slack, clock, channel, until } = await slackWorld();
    const ann = slack.person('U1');
    await ann.mentions('hello'); // who they are is known from here on
    let record = (): void => {};
    const held = new Promise<void>((resolve) => {
      record = resolve;
    });
    const received: string[] = [];
    let isReceiving = false;
    await channel.stop();
    await channel.start({
      receive: async ({ id }) => {
        isReceiving = true;
        await held;
        received.push(id);
        return 'recorded';
      },
    });
    const writing = ann.mentions('slow');
    await untilWithoutTime(() => isReceiving);
    await clock.advance(2_500);
    expect(await writing).toMatchObject({ status: 503 });
    record();
    await until(() => received.length === 1);
  });
});

test('an unreachable Slack and minutes of 429 delay what is said, and lose nothing', async () => {
  const { slack, clock, until, logged } = await slackWorld();
  const ann = slack.person('U1');
  slack.fails({ retryAfter: 120 }, { method: 'chat.postMessage' });
  await ann.mentions('hello');
  await until(() => slack.calls.some(({ method }) => method === 'chat.postMessage'));
  await clock.advance(60_000, () => new Promise((resolve) => setTimeout(resolve, 1)));
  expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(1);
  slack.works();
  slack.fails('reset', { method: 'chat.postMessage', times: 2 });
  await until(async () => {
    await clock.advance(10_000, () => new Promise((resolve) => setTimeout(resolve, 1)));
    return slack.said().some(({ text }) => text === 'You said: hello');
  });
  expect(logged.join()).not.toMatch(/hello|xoxb/);
});

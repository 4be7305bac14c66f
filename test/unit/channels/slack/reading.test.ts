/** What Slack sends, read: signatures, text as people typed it, payloads, addresses. */
import { describe, expect, test } from 'vitest';
import { readPayload, type SlackWritten, slackJson } from '../../../../src/channels/slack/incoming/payload.js';
import { signedSlackHeaders, verifySlackSignature } from '../../../../src/channels/slack/incoming/signature.js';
import { mentionedIn, typedText } from '../../../../src/channels/slack/incoming/typed-text.js';
import { SlackPeople } from '../../../../src/channels/slack/people.js';
import { addressOf, addressTo, conversationOf } from '../../../../src/channels/slack/places.js';
import type { AgentError } from '../../../../src/core/errors.js';
import { FakeClock } from '../../../../src/testing/index.js';
import { growth, linear } from '../../../support/growth.js';

/** A channel with the tokens of several workspaces. */
const several = { team: 'T1', isOfOneTeam: false, otherTeams: false };

const secret = '8f742231b10e8888abcd99yyyzzz85a5';
const now = 1_531_420_618_000;

describe('signature', () => {
  const body = Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  );
  const fits = (headers: Record<string, string>, secrets: readonly string[] = [secret], at = now): boolean => {
    try {
      verifySlackSignature(secrets, new Headers(headers), body, at);
      return true;
    } catch (error) {
      expect((error as AgentError).code).toBe('unauthenticated');
      expect((error as AgentError).message).not.toContain(secret);
      return false;
    }
  };

  test('the example of Slack’s documentation fits', () => {
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    expect(signedSlackHeaders(secret, body, now)).toEqual(headers);
    expect(fits(headers)).toBe(true);
    expect(fits(headers, ['another secret', secret])).toBe(true);
    expect(fits(headers, ['another secret'])).toBe(false);
  });

  test('a time more than 300 s off is refused, in the past and in the future', () => {
    const headers = signedSlackHeaders(secret, body, now);
    expect([-300, 300].map((seconds) => fits(headers, [secret], now + seconds * 1_000))).toEqual([true, true]);
    expect([-301, 301].map((seconds) => fits(headers, [secret], now + seconds * 1_000))).toEqual([false, false]);
  });

  test('missing, doubled and malformed headers are refused', () => {
    const { 'x-slack-request-timestamp': time = '', 'x-slack-signature': signature = '' } = signedSlackHeaders(
      secret,
      body,
      now,
    );
    const headers = (t: string, s: string) => ({ 'x-slack-request-timestamp': t, 'x-slack-signature': s });
    const bad = [
      {},
      { 'x-slack-signature': signature },
      { 'x-slack-request-timestamp': time },
      headers(`${time}, ${time}`, signature),
      headers(time, `${signature}, ${signature}`),
      headers(`${time}.0`, signature),
      headers('NaN', signature),
      headers(time, signature.replace('v0=', 'v1=')),
      headers(time, signature.slice(0, -1)),
      headers(time, ''),
    ];
    expect(bad.map((each) => fits(each))).toEqual(bad.map(() => false));
  });
});

describe('text', () => {
  test.each([
    ['a &amp; b &lt;b&gt; &amp;lt;', 'a & b <b> &lt;'],
    ['<mailto:ann@example.com|ann@example.com>', 'ann@example.com'],
    ['<http://example.com|example.com>', 'example.com'],
    ['<https://example.com/?a=1&amp;b=2>', 'https://example.com/?a=1&b=2'],
    ['see <https://evil.example|the order>', 'see the order (https://evil.example)'],
    ['<tel:+4930123456|030 123456>', '030 123456'],
    ['<@U2> and <@U3|cal> in <#C1|general> and <#C2>', '@Bea and @cal in #general and #C2'],
    ['<!here> <!subteam^S1|@finance> <!date^1392734382^{date}|Feb 18>', '@here @finance Feb 18'],
    ['<@B1> yes', 'yes'],
    ['<@B1>: yes', 'yes'],
    ['yes <@B1>', 'yes'],
    ['ask <@B1> about it', 'ask @B1 about it'],
    ['*bold*  `x  y`', '*bold*  `x  y`'],
    ['a < b', 'a < b'],
  ])('%s was typed as %s', (sent, typed) => {
    expect(typedText(sent, { self: 'B1', names: new Map([['U2', 'Bea']]) })).toBe(typed);
  });

  test('emoji are what was typed, where Slack says which they are', () => {
    const elements = [
      { type: 'emoji', name: 'wave', unicode: '1f44b' },
      { type: 'emoji', name: '+1', unicode: '1f44d-1f3fb', skin_tone: 2 },
      { type: 'emoji', name: 'shop' },
      { type: 'emoji', name: 'bad', unicode: 'ffffff' },
    ];
    const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }, null, 'x'] }];
    const read = readPayload(callback({ blocks }));
    const { emoji } = read as SlackWritten;
    expect(typedText('10:30: :wave: :+1::skin-tone-2: :shop: :bad:', { emoji })).toBe('10:30: 👋 👍🏻 :shop: :bad:');
  });

  test('a long message that mentions the app is read at once, whatever is between its words', async () => {
    for (const gap of [' ', '\n', '\t', '<', '<@B1']) {
      const read = (size: number) => typedText(`a <@B1> b${gap.repeat(size)}x`, { self: 'B1' });
      expect(await growth(read, 2_400)).toBeLessThan(linear);
    }
    expect(typedText('<@B1> yes <@B1>  ', { self: 'B1' })).toBe('yes');
    expect(typedText('yes <@B1>, please', { self: 'B1' })).toBe('yes @B1, please');
  });

  test('who is mentioned is found once each', () => {
    expect(mentionedIn('<@U2> <@U3|cal> <@U2> <@u4> <mailto:a@b|a@b>')).toEqual(['U2', 'U3']);
  });
});

const event = { type: 'message', channel: 'C1', user: 'U1', team: 'T1', ts: '1700000000.000100', text: 'Hello' };
const callback = (more: object, outer: object = {}) => ({
  type: 'event_callback',
  team_id: 'T1',
  api_app_id: 'A1',
  event: { ...event, ...more },
  authorizations: [{ team_id: 'T1', user_id: 'B1', is_bot: true }],
  ...outer,
});

describe('payloads', () => {
  test('messages of programs, changes, notices and our own are ignored', () => {
    const none = [
      callback({ bot_id: 'B9' }),
      callback({ user: 'B1' }),
      callback({ user: 'USLACKBOT' }),
      callback({ subtype: 'bot_message', bot_id: 'B9' }),
      callback({ subtype: 'message_changed', message: event }),
      callback({ subtype: 'message_deleted' }),
      callback({ subtype: 'channel_join' }),
      callback({ type: 'app_mention', edited: { user: 'U1', ts: '1' } }),
      callback({ type: 'reaction_added' }),
      { type: 'app_rate_limited', team_id: 'T1' },
      { type: 'shortcut' },
    ];
    expect(none.map((each) => readPayload(each))).toEqual(none.map(() => ({ type: 'ignored' })));
  });

  test('the installed workspace and the home of the author are told apart', () => {
    const shared = callback(
      { team: 'T2', user_team: 'T2' },
      { team_id: 'T2', context_team_id: 'T1', authorizations: [{ team_id: 'T1', user_id: 'B1', is_bot: true }] },
    );
    expect(readPayload(shared)).toMatchObject({ team: 'T1', author: { user: 'U1', home: 'T2' } });
    const clicked = {
      type: 'block_actions',
      team: { id: 'T2' },
      user: { id: 'U1', team_id: 'T2' },
      container: { type: 'message', message_ts: '1.1', channel_id: 'C1' },
      message: { team: 'T1' },
      actions: [],
    };
    expect(readPayload(clicked)).toMatchObject({ team: 'T1', author: { user: 'U1', home: 'T2' } });
  });

  test('what no Slack sends is refused', () => {
    const bad = [
      null,
      [],
      'x',
      {},
      { type: 1 },
      { type: 'url_verification' },
      { type: 'event_callback', team_id: 'T1' },
      callback({ channel: 7 }),
      callback({ ts: undefined }),
      callback({ text: ['x'] }),
      callback({ user: 'U'.repeat(300) }),
      { ...callback({}), team_id: undefined, authorizations: [] },
      { type: 'block_actions', actions: 'x' },
      { type: 'block_actions', actions: [], container: { type: 'message' } },
      { type: 'view_submission', view: { id: 'V1' }, team: { id: 'T1' } },
    ];
    for (const each of bad)
      expect(() => readPayload(each), JSON.stringify(each)).toThrow(expect.objectContaining({ code: 'bad-message' }));
    const form = 'application/x-www-form-urlencoded';
    for (const body of ['', 'payload=%7B', 'payload={}&payload={}'])
      expect(() => slackJson(form, Buffer.from(body))).toThrow(expect.objectContaining({ code: 'bad-message' }));
  });
});

describe('people', () => {
  const enterprise_user = { id: 'U1', enterprise_id: 'E1' };
  const people = (own: object, profile: object) =>
    new SlackPeople({
      api: {
        identity: async () => ({ teamId: 'T1', userId: 'B1', ...own }),
        user: async () => ({ id: 'U1', team_id: 'T1', ...profile }),
        hasTokenFor: async () => true,
        isOfOneTeam: true,
      },
      clock: new FakeClock(),
      allowGuests: false,
      otherTeams: false,
    });

  test('on an Enterprise Grid a person has one id, whichever workspace or organisation a payload names', async () => {
    const known = people({ enterpriseId: 'E1' }, { enterprise_user, tz: 'Europe/Berlin', locale: 'de-DE' });
    for (const home of ['T1', 'T2', 'E1', undefined])
      expect(await known.sender('T1', { user: 'U1', ...(home && { home }) })).toEqual({
        type: 'person',
        participant: { id: 'slack:E1/U1', tenant: 'E1', timeZone: 'Europe/Berlin', locale: 'de-DE' },
      });
  });

  test.each([
    ['a payload that names another workspace than the profile', { home: 'T2' }, {}, {}],
    ['another organisation', { home: 'E2' }, { enterpriseId: 'E1' }, { enterprise_user: { enterprise_id: 'E2' } }],
    ['a workspace of no organisation', { home: 'T1' }, {}, { enterprise_user }],
    ['a stranger', { home: 'T1' }, {}, { is_stranger: true }],
  ])('%s is another workspace', async (_name, author, own, profile) => {
    const sender = await people(own, profile).sender('T1', { user: 'U1', ...author });
    expect(sender).toMatchObject({ type: 'refused', why: 'other workspace' });
  });
});

describe('addresses', () => {
  test.each([
    ['C1', 'slack:T1/C1', { team: 'T1', channel: 'C1' }],
    ['U1', 'slack:T1/U1', { team: 'T1', user: 'U1' }],
    ['slack:T2/U1', 'slack:T2/U1', { team: 'T2', user: 'U1' }],
    ['slack:E1/U1', 'slack:T1/U1', { team: 'T1', user: 'U1' }],
    ['Ann@Example.com', 'slack:T1/ann%40example.com', { team: 'T1', email: 'ann@example.com' }],
    [{ team: 'T2', channel: 'C1', thread: '1.2' }, 'slack:T2/C1/1.2', { team: 'T2', channel: 'C1', thread: '1.2' }],
  ])('%j is a conversation, and that is the address again', (to, conversation, address) => {
    expect(addressTo('slack', to, several)).toEqual(address);
    expect(conversationOf('slack', address)).toBe(conversation);
    expect(addressOf('slack', conversation)).toEqual(address);
  });

  test('a workspace that the only token is not of is refused, unless its people are written to from the own one', () => {
    const one = { team: 'T1', isOfOneTeam: true, otherTeams: ['T7'] };
    for (const to of ['slack:T999/U1', { team: 'T999', user: 'U1' }, { team: 'T999', channel: 'C1' }])
      expect(() => addressTo('slack', to, one)).toThrow(
        'SlackChannel "slack": to names the workspace T999, but the channel is of T1: it would reach whoever has this id in T1.',
      );
    for (const to of ['slack:T1/U1', 'slack:T7/U1', 'slack:E1/U1', 'U1', { team: 'T1', user: 'U1' }])
      expect(addressTo('slack', to, one)).toEqual({ team: 'T1', user: 'U1' });
    expect(addressTo('slack', 'slack:T999/U1', several)).toEqual({ team: 'T999', user: 'U1' });
    expect(() => addressTo('slack', 'refunds', one)).toThrow(
      "to must be the id of a channel ('C012AB3CD') or of a person ('U012AB3CD'), a participant ('slack:T012AB3CD/U012AB3CD'), an e-mail address, or { team, channel, thread }, got \"refunds\".",
    );
  });

  test('a wrong address is told with what to do', () => {
    expect(() => addressTo('slack', '#refunds', several)).toThrow(/use the id/);
    expect(() => addressTo('slack', null, several)).toThrow(/got no to/);
    expect(() => addressTo('slack', 'C1', { ...several, team: undefined })).toThrow(/must name the workspace/);
    for (const to of [
      null,
      7,
      '',
      'x',
      {},
      { channel: 'C1', user: 'U1' },
      { channel: 'C1', thread: 'x' },
      { chanel: 'C1' },
    ])
      expect(() => addressTo('slack', to, several), JSON.stringify(to)).toThrow(
        expect.objectContaining({ code: 'bad-option' }),
      );
  });

  test('a conversation of another channel has no address here', () => {
    for (const id of ['web:ann', 'slack:x', 'slack:T1', 'slack:T1/C1/1.2/x', 'slack:T1/%E0%A4%A', 'other:T1/C1'])
      expect(addressOf('slack', id)).toBeUndefined();
  });
});

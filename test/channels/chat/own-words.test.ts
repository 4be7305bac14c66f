/**
 * A reply with struck-out or quoted text is no answer: "yes ~~not~~" is not clearly a yes, and what a person marks as a quote may be their own
 * words. Each platform marks both in its own way.
 */
import type { Adapter } from 'chat';
import { expect, onTestFinished, test } from 'vitest';
import { platformNamed } from '../../../src/channels/chat/platforms/index.js';
import { english } from '../../../src/core/wording/english.js';
import { AgentRegistry, agent, confirm, MemoryStore, text } from '../../../src/index.js';
import { seenText, telegramChannel } from '../../support/telegram/driver.js';

const at = (whole: string, part: string, type: string) => ({ type, offset: whole.indexOf(part), length: part.length });
const telegram = (whole: string, ...parts: readonly (readonly [part: string, type: string])[]) => ({
  text: whole,
  entities: parts.map(([part, type]) => at(whole, part, type)),
});
const teams = (plain: string, content: string, more: object = {}) => ({
  text: plain,
  textFormat: 'plain',
  attachments: [{ contentType: 'text/html', content }],
  ...more,
});
const slack = (marked: string, blocks?: unknown) => ({ text: marked, ...(blocks === undefined ? {} : { blocks }) });
const rich = (...elements: readonly object[]) => [{ type: 'rich_text', elements }];
const google = (marked: string) => ({ chat: { messagePayload: { message: { text: marked } } } });
const whatsapp = (body: string) => ({ message: { text: { body } } });
const reply = 'itemscope itemtype="http://schema.skype.com/Reply" itemid="17"';

const heard = (platform: string, raw: unknown, more: object = {}) =>
  platformNamed(platform).typed(
    { name: platform, userName: 'shopbot', botUserId: '28:bot' } as Adapter,
    { raw, text: '', ...more } as never,
  );

test.each<[platform: string, what: string, raw: unknown]>([
  ['telegram', 'a struck word', telegram('yes not', ['not', 'strikethrough'])],
  ['telegram', 'a struck text', telegram('yes', ['yes', 'strikethrough'])],
  ['telegram', 'a struck word behind an emoji of two units', telegram('👍 yes', ['yes', 'strikethrough'])],
  [
    'telegram',
    'a struck caption',
    { caption: 'yes', caption_entities: [{ type: 'strikethrough', offset: 0, length: 3 }] },
  ],
  ['teams', 's', teams('yes not', '<p>yes <s>not</s></p>')],
  ['teams', 'strike', teams('yes', '<div><strike>yes</strike></div>')],
  ['teams', 'del around another element', teams('yes', '<p><del><strong>yes</strong></del></p>')],
  ['teams', 'a style', teams('yes', '<p><span style="text-decoration: line-through">yes</span></p>')],
  ['teams', 'text that is markup itself', { text: 'yes <s>not</s>', textFormat: 'xml' }],
  ['teams', 'Markdown', { text: 'yes ~~not~~', textFormat: 'markdown' }],
  ['discord', 'two tildes', { content: 'yes ~~not~~' }],
  ['discord', 'two tildes within a word', { content: 'n~~o~~' }],
  ['discord', 'two tildes over two lines', { content: '~~yes\nno~~' }],
  ['slack', 'a tilde', slack('yes ~not~')],
  [
    'slack',
    'a style',
    slack(
      'yes',
      rich({ type: 'rich_text_section', elements: [{ type: 'text', text: 'yes', style: { strike: true } }] }),
    ),
  ],
  ['gchat', 'a tilde', google('yes ~not~')],
  ['whatsapp', 'a tilde', whatsapp('yes ~not~')],
  ['whatsapp', 'a tilde around one letter', whatsapp('~y~')],
])('on %s a reply with struck-out text is no answer: %s', (platform, _what, raw) => {
  expect(heard(platform, raw)).toMatchObject({ isNoAnswer: true });
});

test('on an adapter of your own a struck-out or quoted part is read from what the adapter has parsed', () => {
  const formatted = (type: string) => ({
    type: 'root',
    children: [{ type: 'paragraph', children: [{ type, children: [{ type: 'text', value: 'not' }] }] }],
  });
  for (const type of ['delete', 'blockquote'])
    expect(heard('pigeon', {}, { text: 'yes not', formatted: formatted(type) })).toEqual({
      text: 'yes not',
      isNoAnswer: true,
    });
  expect(heard('pigeon', {}, { text: 'yes', formatted: formatted('strong') })).toEqual({ text: 'yes' });
});

test.each<[platform: string, what: string, raw: unknown]>([
  ['telegram', 'a quote', telegram('Really?\nyes', ['Really?\n', 'blockquote'])],
  ['telegram', 'an expandable quote', telegram('yes', ['yes', 'expandable_blockquote'])],
  ['telegram', 'a quoted limit', telegram('yes\nbut only half', ['but only half', 'blockquote'])],
  ['teams', 'quotes in a quote', teams('a', '<blockquote>a<blockquote>yes</blockquote>b</blockquote>')],
  ['teams', 'a quoted limit', teams('yes', '<p>yes</p><blockquote>but only half</blockquote>')],
  [
    'teams',
    'a quoted limit below the quote of Teams',
    teams('yes', `<blockquote ${reply}><p>Sure?</p></blockquote><p>yes</p><blockquote>but only half</blockquote>`),
  ],
  ['teams', 'nothing but the quote of Teams', teams('yes', `<blockquote ${reply}><p>yes</p></blockquote>`)],
  ['discord', 'a quoted line', { content: 'yes\n> but only half' }],
  ['discord', 'all that follows', { content: 'no\n>>> yes\nyes' }],
  ['slack', 'a quoted line', slack('yes\n&gt; but only half')],
  ['slack', 'a rich quote', slack('yes', rich({ type: 'rich_text_quote', elements: [{ type: 'text', text: 'yes' }] }))],
  ['gchat', 'a quoted line', google('yes\n> but only half')],
  ['whatsapp', 'a quoted line', whatsapp('no\n> yes\n')],
])('on %s a reply with quoted text is no answer: %s', (platform, _what, raw) => {
  expect(heard(platform, raw)).toMatchObject({ isNoAnswer: true });
});

test('the quote that Teams writes of itself above a reply is left out', () => {
  const quote = `<blockquote ${reply}><strong>Ben</strong><p>yes <s>no</s></p><blockquote>x</blockquote></blockquote>`;
  expect(heard('teams', teams('Ben\nyes\n\nno', `${quote}<p>no</p>`))).toEqual({ text: 'no' });
  const mentioned = `${quote}<p><at id="0">shopbot</at>&nbsp;R&amp;D &lt;b&gt;</p>`;
  const entities = [{ type: 'mention', text: '<at>shopbot</at>', mentioned: { id: '28:BOT' } }];
  expect(heard('teams', teams('x', mentioned, { entities }))).toEqual({ text: 'R&D <b>' });
});

test.each<[platform: string, raw: unknown, words: string]>([
  ['telegram', telegram('bold ~~x~~ > y', ['bold', 'bold']), 'bold ~~x~~ > y'],
  ['teams', teams('yes please', '<p>yes <strong>please</strong></p>'), 'yes please'],
  ['teams', teams('yes', '<p>yes<s></s></p>'), 'yes'],
  ['discord', { content: 'a ~ b, ~5 to ~10, a > b\n>5' }, 'a ~ b, ~5 to ~10, a > b\n>5'],
  ['slack', slack('C:\\PROGRA~1 and ~/a or ~/b, a &gt; b'), 'C:\\PROGRA~1 and ~/a or ~/b, a > b'],
  ['gchat', google('~5 to ~10 or A~1, B~2'), '~5 to ~10 or A~1, B~2'],
  ['whatsapp', whatsapp('-> ~5 EUR'), '-> ~5 EUR'],
])('on %s other text is heard as it was typed', (platform, raw, words) => {
  expect(heard(platform, raw)).toEqual({ text: words });
});

test('whoever replies with struck-out or quoted text is asked again, and the agent gets the whole of another message', async () => {
  const shop = agent('shop');
  const paid: boolean[] = [];
  const seen: string[] = [];
  const sure = shop.question('sure', confirm('Refund it?'), { onAnswer: (yes) => void paid.push(yes) });
  const why = shop.question('why', text('Why?'), { onAnswer: (reason) => `Because: ${reason}` });
  shop.onMessage(({ message, ask }) => {
    seen.push(message);
    return ask(message === 'why' ? why : sure);
  });
  const { telegram: server, channel } = await telegramChannel();
  const registry = new AgentRegistry({ agents: [shop], channels: [channel], store: new MemoryStore() });
  await registry.start();
  onTestFinished(async () => {
    await registry.stop();
    await server.close();
  });
  const said = () => server.said(1).map((each) => seenText(each.text));
  await server.writes('> so\nhello', { message: telegram('so\nhello', ['so\n', 'blockquote']) });
  await expect.poll(() => said().join()).toContain('Refund it?');
  expect(seen).toEqual(['so\nhello']);
  await server.writes('', { message: telegram('yes not', ['not', 'strikethrough']) });
  await server.writes('', { message: telegram('yes', ['yes', 'blockquote']) });
  await expect.poll(() => said().filter((each) => each === english.wording.nothingWritten())).toHaveLength(2);
  expect(paid).toEqual([]);
  await server.writes('no');
  await expect.poll(() => paid).toEqual([false]);
});

/**
 * What is struck out or quoted is no answer: "yes ~~not~~" is not clearly a yes, and a quote is another person's. Each platform marks both
 * in its own way.
 */
import type { Adapter } from 'chat';
import { expect, onTestFinished, test } from 'vitest';
import { typedText } from '../../../src/channels/chat/incoming/typed-text.js';
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
  typedText(
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

test.each<[platform: string, what: string, raw: unknown, words: string | undefined, quoted?: string]>([
  ['telegram', 'a quote', telegram('Really?\nno', ['Really?\n', 'blockquote']), 'no', 'Really?'],
  ['telegram', 'an expandable quote', telegram('yes', ['yes', 'expandable_blockquote']), undefined],
  [
    'telegram',
    'a struck word in a quote',
    telegram('old\nno', ['old', 'strikethrough'], ['old', 'blockquote']),
    'no',
    'old',
  ],
  [
    'teams',
    'a quoted reply',
    teams('Ben\nyes\n\nno', `<blockquote ${reply}><strong>Ben</strong><p>yes</p></blockquote><p>no</p>`),
    'no',
    'Ben\nyes',
  ],
  [
    'teams',
    'quotes in a quote',
    teams('a', '<blockquote>a<blockquote>yes</blockquote>b</blockquote>'),
    undefined,
    'a\nyes\nb',
  ],
  [
    'teams',
    'a quote and a mention',
    teams('x', `<blockquote>x</blockquote><p><at id="0">shopbot</at>&nbsp;R&amp;D &lt;b&gt;</p>`, {
      entities: [{ type: 'mention', text: '<at>shopbot</at>', mentioned: { id: '28:BOT' } }],
    }),
    'R&D <b>',
    'x',
  ],
  ['discord', 'a quoted line', { content: '> yes\nno' }, 'no', '> yes'],
  ['discord', 'all that follows', { content: 'no\n>>> yes\nyes' }, 'no', '>>> yes\nyes'],
  ['slack', 'a quoted line', slack('&gt; yes\nno'), 'no', '> yes'],
  [
    'slack',
    'a rich quote',
    slack('yes', rich({ type: 'rich_text_quote', elements: [{ type: 'text', text: 'yes' }] })),
    undefined,
  ],
  ['gchat', 'a quoted line', google('> yes'), undefined],
  ['whatsapp', 'a quoted line', whatsapp('no\n> yes\n'), 'no', '> yes'],
])('on %s quoted text is not read: %s', (platform, _what, raw, words, quoted) => {
  expect(heard(platform, raw)).toMatchObject(words === undefined ? { isNoAnswer: true } : { text: words, quoted });
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

test('whoever replies with struck-out text is asked again, and what they quoted is given to the agent', async () => {
  const shop = agent('shop');
  const paid: boolean[] = [];
  const seen: unknown[] = [];
  const sure = shop.question('sure', confirm('Refund it?'), { onAnswer: (yes) => void paid.push(yes) });
  const why = shop.question('why', text('Why?'), { onAnswer: (reason) => `Because: ${reason}` });
  shop.onMessage(({ message, data, ask }) => {
    seen.push(data);
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
  expect(seen).toEqual([{ quoted: 'so' }]);
  await server.writes('', { message: telegram('yes not', ['not', 'strikethrough']) });
  await server.writes('', { message: telegram('yes', ['yes', 'blockquote']) });
  await expect.poll(() => said().filter((each) => each === english.wording.nothingWritten())).toHaveLength(2);
  expect(paid).toEqual([]);
  await server.writes('no');
  await expect.poll(() => paid).toEqual([false]);
});

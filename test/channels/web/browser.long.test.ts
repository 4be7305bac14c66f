/**
 * The web chat in a real browser: one tag, buttons and forms, reload, a second tab, the server gone, keyboard alone.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { signVisitor, WebChannel, type WebChannelOptions } from '../../../src/channels/web/index.js';
import {
  AgentRegistry,
  agent,
  choice,
  choices,
  confirm,
  type Declared,
  date,
  form,
  MemoryStore,
  number,
  text,
} from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { accessibilityProblems, browserForFile, screenshot, serveForBrowser } from '../../support/browser.js';
import { patience, spawnNode } from '../../support/processes.js';

/** One address in front of several processes: connections are led to one of them, or cut. */
async function balancer() {
  let target: number | undefined;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on('error', () => {}).on('close', () => open.delete(client));
    if (target === undefined) return client.destroy();
    const upstream = connect(target, '127.0.0.1');
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (port: number | undefined) => {
      target = port;
    },
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

const { visit } = await browserForFile();
const secret = 'a secret of at least 32 characters';
const hostile = '<img src=x onerror=alert(1)>\u202e<script>alert(2)</script>';

function shop() {
  const shop = agent('shop');
  const size = shop.question('size', choice('Which size?', ['Small', 'Large']), { onAnswer: (id) => `Size ${id}.` });
  const boss = shop.question('boss', confirm('Refund 48 EUR to Ada?'), {
    answerableBy: { roles: ['boss'] },
    details: { Order: '12345', Reason: 'arrived broken' },
    onAnswer: (yes) => (yes ? 'Refunded.' : 'Not refunded.'),
  });
  const order = shop.question(
    'order',
    form('Your order', {
      what: text('What would you like?'),
      amount: number('How many?', { max: 10 }),
      when: date('When?'),
      how: choice('How?', ['Pick up', 'Delivery']),
      extras: choices('Extras?', ['Milk', 'Sugar'], { min: 0 }),
      sure: confirm('Sure?'),
    }),
    { onAnswer: ({ what, amount, how, extras, sure }) => `${amount} × ${what}, ${how}, ${extras.join('+')}, ${sure}` },
  );
  const secretCode = shop.question('code', text('The code on your card?'), {
    sensitive: true,
    onAnswer: () => 'Thank you.',
  });
  const steps: Declared<boolean>[] = Array.from({ length: 10 }, (_, i) =>
    shop.question(`step-${i}`, confirm(`Step ${i + 1}: done?`), {
      onAnswer: (_yes, { ask }) => {
        const next = steps[i + 1];
        return next === undefined ? 'All ten are done.' : ask(next);
      },
    }),
  );
  return shop.onMessage(({ message, ask }) => {
    const named = { size, boss, order, code: secretCode, tasks: steps[0] }[message];
    return named === undefined ? `You said ${message}` : ask(named as typeof size);
  });
}

async function serveChat(store = new MemoryStore(), more: Partial<WebChannelOptions> = {}) {
  const site = await serveForBrowser((request) => web.fetch(request));
  const web = new WebChannel({ origins: [site.url], secret, title: 'Tea shop', ...more });
  const registry = new AgentRegistry({ agents: [shop()], channels: [web], store });
  await registry.start();
  const end = async () => {
    await registry.stop();
    await site.close();
  };
  return { site, web, registry, end };
}

const { site, web: channel, registry, end } = await serveChat();
afterAll(end);

const chatRequest = (origin: string, visitor: string, body: object) =>
  new Request(`${origin}/web/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${visitor}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** What a function that is run in the page finds there. */
interface PageGlobals {
  getComputedStyle(node: unknown): { getPropertyValue(name: string): string };
}

async function chat(options: Parameters<typeof visit>[0] = {}, url = site.url) {
  const visited = await visit(options);
  const { page } = visited;
  await page.goto(`${url}/web/`);
  const input = page.getByRole('textbox', { name: /Your (message|answer)/ });
  const log = page.getByRole('log');
  const says = async (words: string) => {
    await input.fill(words);
    await input.press('Enter');
  };
  await input.waitFor();
  return { ...visited, input, log, says };
}

test('a question has buttons, and afterwards the same buttons disabled with the answer; a reload shows the same', async () => {
  const { page, log, says, input, problems } = await chat();
  await says('size');
  await log.getByRole('button', { name: 'Large' }).click();
  await log.getByText('Size Large.').waitFor();
  const check = async () => {
    await log.getByText('Answered: Large').waitFor();
    expect(await log.getByRole('button', { name: 'Large' }).isDisabled()).toBe(true);
    expect(await log.getByRole('listitem').allInnerTexts()).toEqual([
      'size',
      expect.stringMatching(/^Which size\?\s+1\. Small\s+2\. Large\s+Answered: Large$/),
      'Size Large.',
    ]);
  };
  await check();
  await input.fill('half a thought');
  await page.reload();
  await check();
  expect(await input.inputValue()).toBe('half a thought');
  expect(problems).toEqual([]);
});

test('a form is filled in, a sensitive answer is not kept in the browser, and what people write stays text', async () => {
  const { page, log, says, problems } = await chat();
  await says('order');
  await log.getByRole('textbox', { name: 'What would you like?' }).fill(hostile);
  await log.getByLabel('How many?').fill('20');
  await log.getByLabel('When?').fill('2027-03-25');
  await log.getByLabel('Milk').check();
  await log.getByRole('button', { name: 'Send' }).click();
  await log.getByText('Please choose.').nth(1).waitFor(); // How? and Sure? are missing, and both are told
  await page.keyboard.press('ArrowDown'); // the focus is on the first of them
  expect(await log.getByLabel('Delivery').isChecked()).toBe(true);
  await log.getByLabel('Yes').check();
  await log.getByRole('button', { name: 'Send' }).click();
  await log.getByText(/How many\? .*10/).waitFor(); // too many: the rest stays filled in
  await log.getByLabel('How many?').fill('2');
  await log.getByRole('button', { name: 'Send' }).click();
  await log.getByText('Delivery, Milk, true').waitFor();
  expect(await log.locator('img, script').count()).toBe(0);
  expect(await log.innerText()).not.toContain('\u202e');
  await says('code');
  await log.getByText('The code on your card?').waitFor();
  await page.getByRole('textbox', { name: 'Your answer' }).fill('4711-secret');
  await page.keyboard.press('Enter');
  await log.getByText('Thank you.').waitFor();
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('4711-secret');
  expect(await log.innerText()).not.toContain('4711-secret');
  expect(problems).toEqual([]);
});

test('a second tab shows the same over one stream, and what is answered there is answered here', async () => {
  const { page, context, log, says } = await chat();
  await says('size');
  await log.getByRole('button', { name: 'Small' }).waitFor();
  const other = await context.newPage();
  const streams: string[] = [];
  other.on('request', (request) => request.url().includes('/stream') && streams.push(request.url()));
  await other.goto(`${site.url}/web/`);
  await other.getByRole('button', { name: 'Small' }).click();
  await log.getByText('Answered: Small').waitFor();
  await log.getByText('Size Small.').waitFor();
  expect(streams).toEqual([]); // the first tab reads for both
  await page.close();
  const input = other.getByRole('textbox', { name: 'Your message' });
  await input.fill('still there?');
  await input.press('Enter');
  await other.getByText('You said still there?').waitFor(); // the second has taken over
});

test('ten questions are answered by keyboard alone, and Enter alone answers none', async () => {
  const { page, log, says } = await chat();
  await says('tasks');
  await log.getByText('Step 1: done?').waitFor();
  await page.keyboard.press('Enter');
  for (let step = 1; step <= 10; step += 1) {
    const yes = log
      .getByRole('listitem')
      .filter({ hasText: `Step ${step}: done?` })
      .getByRole('button', { name: 'Yes' });
    await yes.and(log.locator(':enabled')).waitFor();
    expect(await yes.evaluate((node) => node.getRootNode().activeElement === node)).toBe(false);
    for (let tabs = 0; !(await yes.evaluate((node) => node.getRootNode().activeElement === node)); tabs += 1) {
      expect(tabs).toBeLessThan(4);
      await page.keyboard.press(step === 1 ? 'Shift+Tab' : 'Tab'); // from the composer back; then from the question on
    }
    await page.keyboard.press('Space');
  }
  await log.getByText('All ten are done.').waitFor();
});

test('a question for somebody else has no buttons, and shows what they decided', async () => {
  const { log, says } = await chat();
  await says('boss');
  await log.getByText('Somebody else is asked.').waitFor();
  expect(await log.getByRole('button').count()).toBe(0);
  const { asks } = await registry.listAsks();
  const asked = asks.find(({ question }) => question.startsWith('Refund 48')) as { id: string };
  await registry.answer(asked.id, { value: true }, { by: { id: 'staff:anna', roles: ['boss'] } });
  await log.getByText('Answered: Yes').waitFor();
  await log.getByText('Refunded.').waitFor();
});

test.each([
  ['light', {}],
  ['dark', { dark: true }],
  ['phone', { phone: true }],
])('the page has no accessibility problems with a question, a form and answers: %s', async (name, options) => {
  const { page, log, says } = await chat(options);
  await says('Hello, I have a question about my order of last week. The lamp that I ordered came broken.');
  await says('size');
  await log.getByRole('button', { name: 'Large' }).click();
  await log.getByText('Size Large.').waitFor();
  await says('boss');
  await log.getByText('Somebody else is asked.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await screenshot(page, `chat-${name}`);
  await says('size');
  await log.getByRole('button', { name: 'Large' }).last().waitFor();
  await screenshot(page, `chat-question-${name}`);
});

test('on another page the chat is one tag in a shadow of its own; an origin that is not listed gets nothing', async () => {
  const pageOf = (chatUrl: string) => () =>
    new Response(
      `<!doctype html><html lang="en"><title>Shop</title><style>* { color: red; } button { display: none; }</style>
<main><h1>Shop</h1></main><script src="${chatUrl}/web/chat.js" async data-title="Help" data-text-open="Ask us"></script>`,
      {
        headers: {
          'content-type': 'text/html',
          'content-security-policy': `default-src 'none'; script-src ${chatUrl}; connect-src ${chatUrl}; style-src 'unsafe-inline'`,
        },
      },
    );
  const stranger = await serveForBrowser(pageOf(site.url));
  const { page, problems: refusals } = await visit();
  await page.goto(stranger.url);
  await page.getByRole('button', { name: 'Ask us' }).click();
  await page.getByText('Reconnecting…').waitFor(); // a browser does not tell a page why
  expect(refusals.join()).toContain('blocked by CORS policy');
  await stranger.close();

  const chatSite = await serveForBrowser((request) => web.fetch(request));
  const friend = await serveForBrowser(pageOf(chatSite.url));
  const web = new WebChannel({ origins: [friend.url], secret });
  const other = new AgentRegistry({ agents: [shop()], channels: [web] });
  await other.start();
  const { page: known, problems } = await visit();
  await known.goto(friend.url);
  await known.getByRole('button', { name: 'Ask us' }).click();
  await known.getByRole('textbox').fill('hello');
  await known.keyboard.press('Enter');
  await known.getByText('You said hello').waitFor();
  await screenshot(known, 'chat-embedded');
  expect(await accessibilityProblems(known)).toEqual([]);
  await known.keyboard.press('Escape');
  await known.getByRole('textbox').waitFor({ state: 'hidden' });
  expect(problems).toEqual([]);
  await other.stop();
  await Promise.all([chatSite.close(), friend.close()]);
});

test('an open question is still shown and can be answered after 500 later items', async () => {
  const ann = signVisitor(secret, { id: 'ann', roles: ['boss'] });
  const visitor = signVisitor(secret, { id: 'ann' });
  const post = (id: string, words: string) => channel.fetch(chatRequest(site.url, visitor, { id, text: words }));
  await post('first', 'boss');
  await registry.idle();
  for (let i = 0; i < 260; i += 1) await post(`${i}`, `note ${i}`);
  await registry.idle();
  const { page } = await visit();
  const tag = `<script src="${site.url}/web/chat.js" data-page data-visitor="${ann}"></script>`;
  await page.route(`${site.url}/host`, (route) => route.fulfill({ contentType: 'text/html', body: `<body>${tag}` }));
  await page.goto(`${site.url}/host`);
  const log = page.getByRole('log');
  await log.getByText('You said note 259').waitFor();
  expect(await log.getByText('note 1', { exact: true }).count()).toBe(0); // old items go
  await log.getByRole('button', { name: 'Yes' }).click();
  await log.getByText('Refunded.').waitFor();
});

test.each(['#nowhere', '###'])(
  'data-target=%s, which names no element, is told in the console and draws nothing',
  async (target) => {
    const chat = await changeableChat(
      `<!doctype html><title>Shop</title><body><p>Shop</p><script src="/web/chat.js" data-target="${target}"></script>`,
    );
    const { page, problems } = await visit();
    await page.goto(chat.site.url);
    await expect
      .poll(() => problems)
      .toEqual([`askback chat: data-target is "${target}", and the page has no such element. Give a selector of one.`]);
    expect(await page.locator('askback-chat').count()).toBe(0);
    await chat.end();
  },
);

test("a page's rules for all of its elements move and change nothing; its colours for askback-chat are used", async () => {
  const chat = await changeableChat(`<!doctype html><title>Shop</title><style>
    body > * { margin: 40px; max-width: 100px; position: static; display: inline; text-transform: uppercase; font: 40px serif; color: red; }
    askback-chat { --askback-accent: rgb(120, 0, 80); --askback-on-accent: rgb(255, 250, 240); }
  </style><body><p>Shop</p><script src="/web/chat.js" data-text-open="Ask us"></script>`);
  const { page } = await visit();
  await page.goto(chat.site.url);
  const open = page.getByRole('button', { name: 'Ask us' });
  const styleOf = (name: string) =>
    open.evaluate(
      (node, key) => (globalThis as unknown as PageGlobals).getComputedStyle(node).getPropertyValue(key),
      name,
    );
  expect(await styleOf('background-color')).toBe('rgb(120, 0, 80)');
  expect(await styleOf('color')).toBe('rgb(255, 250, 240)');
  expect([await styleOf('font-size'), await styleOf('text-transform')]).toEqual(['16px', 'none']);
  const { x = 0, y = 0, width = 0, height = 0 } = (await open.boundingBox()) ?? {};
  expect([x + width, y + height]).toEqual([1280 - 16, 800 - 16]);
  await open.click();
  expect((await page.getByRole('region', { name: 'Chat' }).boundingBox())?.width).toBe(400);
  await chat.end();
});

/** A chat whose secret can be changed, and which can be made to refuse what is posted, or to keep new streams waiting, for now. */
async function changeableChat(hostPage = '') {
  const posted: string[] = [];
  let isDown = false;
  let streamsOpen: Promise<void> = Promise.resolve();
  const site = await serveForBrowser(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/') return new Response(hostPage, { headers: { 'content-type': 'text/html' } });
    if (pathname.endsWith('/stream')) await streamsOpen;
    if (request.method !== 'POST' || !pathname.endsWith('/messages')) return web.fetch(request);
    if (isDown) return new Response('', { status: 503 });
    const { text } = (await request.clone().json()) as { text: string };
    const response = await web.fetch(request);
    if (response.status === 202) posted.push(text);
    return response;
  });
  const opened = async (own: string) => {
    const channel = new WebChannel({ origins: [site.url], secret: own });
    const registry = new AgentRegistry({ agents: [shop()], channels: [channel] });
    await registry.start();
    return { channel, registry };
  };
  let { channel: web, registry } = await opened(secret);
  return {
    site,
    posted,
    setDown: (value: boolean) => {
      isDown = value;
    },
    holdStreams: () => {
      let release = () => {};
      streamsOpen = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    /** Serves a request that comes from elsewhere. */
    fetch: (request: Request) => web.fetch(request),
    changeSecret: async () => {
      await registry.stop();
      ({ channel: web, registry } = await opened(`another ${secret}`));
    },
    end: async () => {
      await registry.stop();
      await site.close();
    },
  };
}

test('what one visitor has not sent is never sent as another, and nothing of the first is shown', async () => {
  const anna = signVisitor(secret, { id: 'anna' });
  const ben = signVisitor(`another ${secret}`, { id: 'ben' });
  const chat = await changeableChat(`<!doctype html><title>Shop</title><body><script>
    window.askbackChat = { page: '', visitor: (again) => again ? '${ben}' : '${anna}' };
  </script><script src="/web/chat.js"></script>`);
  const { page } = await visit();
  await page.goto(chat.site.url);
  const input = page.getByRole('textbox');
  await input.fill('hello');
  await input.press('Enter');
  await page.getByText('You said hello').waitFor();
  chat.setDown(true);
  await input.fill('for the eyes of Anna');
  await input.press('Enter');
  await page.getByText('Sending…').waitFor();
  const releaseStreams = chat.holdStreams(); // so that the message is refused first
  await chat.changeSecret();
  chat.setDown(false);
  await page.getByText('You said hello').waitFor({ state: 'hidden' });
  await input.fill('I am Ben');
  await input.press('Enter');
  await expect.poll(() => chat.posted, { timeout: patience }).toContain('I am Ben');
  expect(chat.posted).toEqual(['hello', 'I am Ben']);
  releaseStreams();
  await page.getByText('You said I am Ben').waitFor();
  expect(await page.getByRole('log').innerText()).not.toContain('Anna');
  await chat.end();
});

test('an anonymous visitor whose token is refused is told what was not sent, and may send it again', async () => {
  const chat = await changeableChat();
  const { page } = await visit();
  await page.goto(`${chat.site.url}/web/`);
  const input = page.getByRole('textbox');
  await input.fill('hello');
  await input.press('Enter');
  await page.getByText('You said hello').waitFor();
  chat.setDown(true);
  await input.fill('is it here?');
  await input.press('Enter');
  await page.getByText('Sending…').waitFor();
  await chat.changeSecret();
  chat.setDown(false);
  await page.getByText('Not sent: The chat has begun anew.').waitFor();
  expect(chat.posted).toEqual(['hello']);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('You said is it here?').waitFor();
  await chat.end();
});

test('what could not be sent answers nothing that was asked meanwhile; typed again it does', async () => {
  const chat = await changeableChat();
  const { page, context } = await visit();
  const seen = visitorsOf(context);
  await page.clock.install();
  await page.goto(`${chat.site.url}/web/`);
  const input = page.getByRole('textbox');
  await expect.poll(() => seen.length, { timeout: patience }).toBeGreaterThan(0);
  const token = String(seen[0]).slice('Bearer '.length);
  chat.setDown(true);
  await input.fill('Large');
  await input.press('Enter');
  await page.getByText('Sending…').waitFor();
  await page.clock.fastForward(60_000);
  const elsewhere = chatRequest(chat.site.url, token, { id: 'other device', text: 'size' });
  expect((await chat.fetch(elsewhere)).status).toBe(202);
  await page.getByText('Which size?').waitFor();
  chat.setDown(false);
  await page.clock.fastForward(20_000); // the longest pause before another try
  await page.getByText('You said Large').waitFor();
  await input.fill('Large');
  await input.press('Enter');
  await page.getByText('Size Large.').waitFor();
  await chat.end();
});

/** The visitors that the pages of a context were, in the order in which they came. */
function visitorsOf(context: BrowserContext): string[] {
  const seen: string[] = [];
  context.on('request', (request) => {
    const token = request.headers().authorization;
    if (token !== undefined) seen.push(token);
  });
  return seen;
}

test('two tabs that are opened at once are one visitor', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { context } = await visit();
    const seen = visitorsOf(context);
    const tabs = [await context.newPage(), await context.newPage()];
    await Promise.all(tabs.map((tab) => tab.goto(`${site.url}/web/`)));
    for (const tab of tabs) await tab.getByText('Connecting…').waitFor({ state: 'hidden' });
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(1);
    await context.close();
  }
});

test('a browser that keeps nothing is one visitor until the page is left', async () => {
  const { page, context, problems } = await visit();
  await context.addInitScript(() => {
    const blocked = {
      get: () => {
        throw new Error('blocked');
      },
    };
    Object.defineProperties(globalThis, { indexedDB: blocked, localStorage: blocked });
  });
  const seen = visitorsOf(context);
  await page.goto(`${site.url}/web/`);
  for (const words of ['hello', 'again']) {
    await page.getByRole('textbox').fill(words);
    await page.keyboard.press('Enter');
    await page.getByText(`You said ${words}`).waitFor();
  }
  expect(new Set(seen).size).toBe(1);
  expect(problems).toEqual([]);
});

test('a token is renewed by use while the chat is open: beyond its life it is the same visitor, over one stream after the other', async () => {
  const clock = new FakeClock();
  const served = await serveChat(new MemoryStore(), { clock, visitorLifetime: 10 * 60_000 });
  const { page, log, says, problems } = await chat({}, served.site.url);
  await says('one');
  await log.getByText('You said one').waitFor(); // over the first stream, which is not counted
  const tokens = new Set<string | undefined>();
  let [visitors, streams] = [0, 0];
  page.on('request', (request) => {
    if (request.url().endsWith('/visitors')) visitors += 1;
    if (request.url().includes('/stream')) streams += 1;
    if (request.url().includes('/messages') && request.method() === 'POST')
      tokens.add(request.headers()['authorization']);
  });
  for (const words of ['two', 'three', 'four']) {
    const again = page.waitForResponse((response) => response.url().includes('/stream') && response.ok());
    await clock.advance(6 * 60_000); // more than half of it: the stream ends, and the next one brings a new token
    expect((await again).headers()['askback-visitor']).toBeDefined();
    await says(words);
    await log.getByText(`You said ${words}`).waitFor();
  }
  expect([tokens.size, visitors, streams]).toEqual([3, 0, 3]);
  const own = (await log.getByRole('listitem').allInnerTexts()).filter((line) => !line.startsWith('You said'));
  expect(own).toEqual(['one', 'two', 'three', 'four']);
  expect(problems).toEqual([]);
  await served.end();
});

test('a visitor whose token is over is told to load the page again', async () => {
  const over = signVisitor(`another ${secret}`, { id: 'anna' });
  const chat = await changeableChat(
    `<!doctype html><title>Shop</title><body><script src="/web/chat.js" data-page data-visitor="${over}"></script>`,
  );
  const { page, problems } = await visit();
  await page.goto(chat.site.url);
  await page.getByText('You were signed out. Please load the page again.').waitFor();
  expect(problems.join()).toContain('was not signed here');
  await chat.end();
});

test('the server is killed in the middle of a question: another replica takes the answer, and the page goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'askback-web-'));
  const front = await balancer();
  const file = fileURLToPath(new URL('replica.mjs', import.meta.url));
  const replica = async () => {
    const process = spawnNode(file, [join(folder, 'chat.db'), front.url]);
    const { port } = await process.next<{ port: number }>();
    return { process, port };
  };
  const [one, two] = [await replica(), await replica()];
  front.lead(one.port);
  const { page } = await visit();
  await page.goto(`${front.url}/web/`);
  const input = page.getByRole('textbox', { name: /Your/ });
  await input.fill('order');
  await input.press('Enter');
  await page.getByRole('button', { name: 'Yes' }).waitFor();

  one.process.kill('SIGKILL');
  await one.process.exited;
  front.lead(undefined);
  await page.getByText('Reconnecting…').waitFor();
  await page.getByRole('button', { name: 'Yes' }).click();
  await input.fill('and a second cup');
  await input.press('Enter');
  await page.getByText('Sending…').first().waitFor();
  await page.goto('about:blank'); // the person leaves: what was not sent must survive that, too
  front.lead(two.port);
  await page.goto(`${front.url}/web/`);

  await page.getByText('Ordered.').waitFor();
  await page.getByText('Answered: Yes').waitFor();
  await page.getByText('You said and a second cup').waitFor();
  await page.getByText('Reconnecting…').waitFor({ state: 'hidden' });
  expect(await page.getByRole('log').getByRole('listitem').count()).toBe(5); // each once
  two.process.kill();
  await Promise.all([two.process.exited, front.close()]);
  await rm(folder, { recursive: true });
});

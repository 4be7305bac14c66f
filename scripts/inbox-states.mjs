/**
 * Every state of the inbox as a picture, to look at: a small shop with questions that wait, its page in a headless Chromium, in light,
 * dark and on a phone. `--out FOLDER` is where they go, by default a temporary one; `--dist FOLDER` where the package was built.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { chromium, devices } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string' }, dist: { type: 'string' } },
});
const out = resolve(values.out ?? join(tmpdir(), 'askback-inbox-states'));
const dist = (path) => import(pathToFileURL(join(resolve(values.dist ?? join(root, 'dist')), path)).href);
const { AgentRegistry, agent, choice, choices, confirm, date, email, form, number, optional, text } =
  await dist('index.js');
const { createInbox } = await dist('server/index.js');

// --- the shop ---

const people = [
  { id: 'staff:anna', name: 'Anna', roles: ['manager'], scopes: ['read', 'answer', 'conversations', 'admin'] },
  { id: 'staff:otto', name: 'Otto', roles: ['manager'], scopes: ['answer', 'conversations'] },
  { id: 'staff:rita', name: 'Rita', scopes: ['read'] },
];
const managers = { roles: ['manager'] };
const minute = 60_000;
const support = agent('support');
const details = { Order: '12345', Amount: '48.00 EUR', Customer: 'Ada Lovelace', Reason: 'Arrived damaged' };
const questions = {
  refund: support.question('refund', confirm('Refund 48 EUR to Ada?', { yes: 'Refund', no: 'Do not refund' }), {
    answerableBy: managers,
    details,
    expiresIn: 12 * minute,
    onAnswer: (yes) =>
      yes ? 'I have refunded 48 EUR. It will be on your account in two days.' : 'I cannot refund this.',
  }),
  deploy: support.question('deploy', confirm('Deploy v2 to production?'), {
    answerableBy: managers,
    details: { Version: '2.0.0', Changes: '14' },
    quorum: 2,
    expiresIn: 60 * minute,
    onAnswer: () => 'Deployed.',
  }),
  invoice: support.question('invoice', text('Which invoice does the customer mean?'), {
    answerableBy: managers,
    onAnswer: (said) => `Thank you: ${said}`,
  }),
  plan: support.question('plan', choice('Which plan should Acme get?', ['Basic', 'Team', 'Enterprise']), {
    answerableBy: managers,
    details: { Company: 'Acme Ltd', Seats: '140' },
    onAnswer: (said) => said,
  }),
  labels: support.question(
    'labels',
    choices('Which labels fit this ticket?', ['Billing', 'Bug', 'Shipping', 'Praise']),
    {
      answerableBy: managers,
      onAnswer: () => 'Labelled.',
    },
  ),
  parcel: support.question(
    'parcel',
    form('A parcel has to be sent again. Please fill in what the carrier needs.', {
      weight: number('Weight in kg'),
      day: date('Pick-up day'),
      mail: email('Contact'),
      express: confirm('Express?'),
      note: optional(text('Note for the driver')),
    }),
    { answerableBy: managers, onAnswer: () => 'Booked.' },
  ),
  odd: support.question('odd', confirm('Send 900 EUR to Аda\u202e?'), {
    answerableBy: managers,
    details: { Recipient: 'Аda Lovelace', Account: 'DE89\u200b3704', Invoice: '‘77’ ½' },
    onAnswer: () => 'Sent.',
  }),
};
support.onMessage(({ message, ask }) => {
  const name = Object.keys(questions).find((each) => message.includes(`[${each}]`));
  return name === undefined ? 'Which order is it about?' : ask(questions[name]);
});

const registry = new AgentRegistry({ agents: [support] });
await registry.start();
let messages = 0;
const says = async (conversationId, name, said) => {
  messages += 1;
  await registry.handle({ id: `m${messages}`, conversationId, text: said, participant: { id: `web:${name}`, name } });
};
const asked = async (conversationId) => (await registry.listAsks({ conversationId })).asks.at(-1)?.id;

const inbox = createInbox(registry, {
  authenticate: (request) => people.find(({ id }) => id === request.headers.get('x-user')) ?? null,
});
const server = serve({ fetch: inbox.fetch, port: 0, hostname: '127.0.0.1' });
await new Promise((done) => server.once('listening', done));
const url = `http://127.0.0.1:${server.address().port}/inbox`;

// --- the browser ---

const folders = (process.env.PATH ?? '').split(delimiter);
const program =
  process.env.CHROMIUM ??
  ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
if (program === undefined) throw new Error('The pictures need Chromium: install it, or set CHROMIUM to its path.');
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
mkdirSync(out, { recursive: true });

const looks = {
  light: { viewport: { width: 1180, height: 720 }, colorScheme: 'light' },
  dark: { viewport: { width: 1180, height: 720 }, colorScheme: 'dark' },
  phone: { ...devices['iPhone 13'], deviceScaleFactor: 1, colorScheme: 'light' },
};

async function visit(look, by) {
  const { defaultBrowserType: _, ...options } = looks[look];
  const context = await browser.newContext({
    ...options,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    extraHTTPHeaders: by === null ? {} : { 'x-user': by },
  });
  return context.newPage();
}

/** One address in every look; `act` brings the page into its state. */
async function shoot(name, path, { by = 'staff:anna', act = async () => {}, only = Object.keys(looks) } = {}) {
  for (const look of only) {
    const page = await visit(look, by);
    await page.goto(url + path);
    await act(page);
    await page.waitForTimeout(150);
    const file = join(out, `inbox-${name}-${look}.png`);
    await page.screenshot({ path: file });
    console.log(`${file} ${Math.round(statSync(file).size / 1024)} KB`);
    await page.context().close();
  }
}

await shoot('nothing', '');

await says('web-ada', 'Ada', 'My lamp came broken.');
await says('web-ada', 'Ada', 'It is order 12345, can I have my money back? [refund]');
await says('ops', 'Otto', 'Ship it [deploy]');
await says('web-ben', 'Ben', 'There is a mistake on my invoice [invoice]');
await says('web-cleo', 'Cleo', 'We want to upgrade [plan]');
await says('web-dan', 'Dan', 'Great support, but the bill was wrong [labels]');
await says('web-eve', 'Eve', 'My parcel came back to you [parcel]');
await says('web-mallory', 'Mallory', 'pay me [odd]');
const ids = Object.fromEntries(
  await Promise.all(
    Object.entries({
      refund: 'web-ada',
      deploy: 'ops',
      invoice: 'web-ben',
      plan: 'web-cleo',
      labels: 'web-dan',
      parcel: 'web-eve',
      odd: 'web-mallory',
    }).map(async ([name, conversation]) => [name, await asked(conversation)]),
  ),
);

await shoot('question', `/asks/${ids.refund}`);
await shoot('list', '');
for (const name of ['deploy', 'invoice', 'plan', 'labels', 'parcel', 'odd']) await shoot(name, `/asks/${ids[name]}`);
await shoot('look-only', `/asks/${ids.refund}`, { by: 'staff:rita' });
await shoot('filter-nothing', '?agent=nobody');
await shoot('not-found', '/asks/nothing');
await shoot('signed-out', '/log', { by: null });
await shoot('sign-in', '/sign-in?token=abc', { by: null, only: ['light', 'phone'] });
await shoot('errors', `/asks/${ids.parcel}`, {
  act: async (page) => {
    await page.fill('[name=field-weight]', 'heavy');
    await page.click('[data-send]');
  },
});
await shoot('keys', `/asks/${ids.refund}`, { act: (page) => page.keyboard.press('?'), only: ['light', 'dark'] });
await shoot('offline', `/asks/${ids.refund}`, { act: (page) => page.context().setOffline(true), only: ['light'] });
await shoot('faster', `/asks/${ids.invoice}`, {
  only: ['light'],
  act: async (page) => {
    await page.fill('textarea[name=answer]', 'Invoice 2026-117, I think');
    await registry.answer(ids.invoice, { text: '2026-118' }, { by: people[1] });
    await page.waitForSelector('#outcome section');
  },
});
await shoot('result', `/asks/${ids.plan}`, {
  act: async (page) => {
    if ((await page.$('[data-send]')) === null) return;
    await page.click('text=Team');
    await page.click('[data-send]');
  },
});
await registry.answer(ids.deploy, { value: true }, { by: people[1] });
await shoot('vote', `/asks/${ids.deploy}`);
await shoot('log', '/log');
await shoot('parked', '/parked');
await shoot('health', '/health');

await browser.close();
server.closeAllConnections();
server.close();
await inbox.close();
await registry.stop();

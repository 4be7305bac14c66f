/** The page over plain HTTP, as a browser without scripts uses it. */
import { describe, expect, test } from 'vitest';
import { agent, choices, confirm, date, email, form, number, optional, text } from '../../../src/index.js';
import { inboxPort } from '../../../src/registry/inbox/inbox-port.js';
import { createInbox, hashToken, staticTokens } from '../../../src/server/index.js';
import { assets } from '../../../src/server/page/assets/assets.js';
import { minute, TestChannel, world } from '../../support/engine.js';
import { ada, anna as annaPerson, person } from '../kit.js';
import { byHeader, everybody, formOf, pageShop, visitor } from '../page-kit.js';

describe('list and question', () => {
  test('what waits is listed, the soonest deadline first, and one is opened beside the list', async () => {
    const { asked, anna } = await pageShop();
    const sure = await asked('sure');
    const both = await asked('both');
    const list = await anna.load('/inbox');
    expect(list.status).toBe(200);
    expect(list.text.indexOf(`data-id="${both}"`)).toBeLessThan(list.text.indexOf(`data-id="${sure}"`));
    expect(list.text).toContain('<title>(2) Waiting · askback</title>');
    const opened = await anna.load(`/inbox/asks/${sure}`);
    expect(opened.text).toContain('<h1><bdi class="prose">Refund 48 EUR?</bdi></h1>');
    expect(opened.text).toContain('12345');
    expect(opened.text).toContain('aria-current="true"');
    expect(opened.text, 'the context is for operators').not.toContain('margin 3');
    expect(opened.text, 'the conversation needs its own right').not.toContain('class="conversation"');
  });

  test('a stored deadline that no date can have takes no list down: its question is listed as one without a deadline', async () => {
    const { asked, registry, store, calls, anna } = await pageShop();
    const both = await asked('both');
    const expiresAt = (await registry.getAsk(both))?.expiresAt?.getTime();
    const conversation = store.conversation.bind(store);
    store.conversation = async (...call) => {
      const state = await conversation(...call); // as an earlier build stored it
      const text = state?.document?.text.replace(`${expiresAt}`, `${Number.MAX_SAFE_INTEGER}`);
      return state && { ...state, document: text === undefined ? null : { text } };
    };
    expect((await registry.listAsks()).asks).toMatchObject([{ id: both, question: 'Deploy v2?' }]);
    for (const path of ['/inbox', `/inbox/asks/${both}`]) {
      const page = await anna.load(path);
      expect(page.status).toBe(200);
      expect(page.text).toContain('Deploy v2?');
      expect(page.text).not.toContain('Invalid Date');
    }
    const { asks } = await calls.list(annaPerson, { limit: 10 }); // what the API gives
    expect(asks).toMatchObject([{ id: both }]);
    expect(asks[0]).not.toHaveProperty('expiresAt');
  });

  test('an answer by form decides, and its repeat shows the recorded decision', async () => {
    const { asked, anna, phone } = await pageShop();
    const id = await asked('sure');
    const opened = await anna.load(`/inbox/asks/${id}`);
    const { action, fields } = formOf(opened.text, '/answer');
    fields.set('answer', 'yes');
    const first = await anna.post(action, fields);
    expect(first.status).toBe(303);
    const second = await anna.post(action, fields);
    expect(second.status).toBe(303);
    const result = await anna.load(second.headers.get('location') ?? '');
    expect(result.text).toContain('Answered: <bdi class="prose">Yes</bdi>');
    expect(result.text).toContain('Anna');
    expect(phone.texts().filter((said) => said === 'Refunded.')).toHaveLength(1);
    expect((await anna.load('/inbox')).text).toContain('Nothing is waiting');
    expect((await anna.load('/inbox/log')).text).toContain('Refund 48 EUR?');
  });

  test('of two managers each says yes, and the second one decides', async () => {
    const { asked, anna, otto } = await pageShop();
    const id = await asked('both');
    const voted = await anna.send(await anna.load(`/inbox/asks/${id}`), '/answer', { answer: 'yes' });
    expect(voted.text).toContain('You said yes');
    expect(voted.text).toContain('It waits for 1 more person.');
    const before = await otto.load(`/inbox/asks/${id}`);
    expect(before.text).toContain('1 of 2 have said yes');
    expect((await otto.send(before, '/answer', { answer: 'yes' })).text).toContain('Answered');
  });

  test('whoever was slower is told who decided, and keeps what they wrote', async () => {
    const { asked, registry, anna } = await pageShop();
    const id = await asked('sure');
    const opened = await anna.load(`/inbox/asks/${id}`);
    await registry.answer(id, { value: false }, { by: { id: 'staff:otto', name: 'Otto', roles: ['manager'] } });
    const slow = await anna.send(opened, '/answer', { answer: 'yes' });
    expect(slow.status).toBe(409);
    expect(slow.text).toContain('Somebody was faster');
    expect(slow.text).toContain('Otto');
    expect(slow.text).toContain('<blockquote><bdi class="prose">Yes</bdi></blockquote>');
  });

  test('what expires while somebody writes is not sent, and shown as over', async () => {
    const { asked, anna, clock } = await pageShop();
    const id = await asked('both');
    const opened = await anna.load(`/inbox/asks/${id}`);
    expect(opened.text).toContain('expires in');
    await clock.advance(61 * minute);
    const late = await anna.send(opened, '/answer', { answer: 'yes' });
    expect(late.status).toBe(409);
    expect(late.text).toContain('The time is over');
  });

  test('who may look but not answer gets no form, and a form of somebody else is refused', async () => {
    const { asked, anna, reader } = await pageShop();
    const id = await asked('sure');
    const looked = await reader.load(`/inbox/asks/${id}`);
    expect(looked.text).toContain('You may look, but not answer');
    expect(looked.text).not.toContain(`/asks/${id}/answer`);
    const { action, fields } = formOf((await anna.load(`/inbox/asks/${id}`)).text, '/answer');
    fields.set('answer', 'yes');
    expect((await reader.post(action, fields)).status).toBe(403);
  });

  test('declining keeps the words, and only operators cancel', async () => {
    const { asked, anna, boss } = await pageShop();
    const id = await asked('sure');
    const opened = await anna.load(`/inbox/asks/${id}`);
    expect(opened.text).not.toContain('/cancel');
    const declined = await anna.send(opened, '/decline', { reason: 'Ask the shop.' });
    expect(declined.text).toContain('Declined');
    const other = await asked('both');
    const cancelled = await boss.send(await boss.load(`/inbox/asks/${other}`), '/cancel', { reason: 'Wrong version.' });
    expect(cancelled.text).toContain('Cancelled');
    expect(cancelled.text).toContain('Wrong version.');
  });

  test('the filter narrows the list, and says where nothing matches', async () => {
    const { asked, anna } = await pageShop();
    const id = await asked('sure');
    expect((await anna.load('/inbox?agent=refunds&mine=1')).text).toContain(`data-id="${id}"`);
    expect((await anna.load('/inbox?search=12345')).text).toContain(`data-id="${id}"`);
    expect((await anna.load('/inbox?agent=nobody')).text).toContain('Nothing matches');
    expect((await anna.load('/inbox?older=day')).text).toContain('Nothing matches');
  });
});

/** One question of an agent's, put to a manager. */
async function oneQuestion(question: ReturnType<typeof text>, more: object = {}) {
  const here = world();
  const got: unknown[] = [];
  const phone = new TestChannel();
  const shop = agent('shop');
  const asked = shop.question('one', question, {
    answerableBy: { roles: ['manager'] },
    onAnswer: (value: unknown) => {
      got.push(value);
    },
    ...more,
  });
  shop.onMessage(({ ask }) => ask(asked));
  const registry = await here.replica({ agents: [shop], channels: [phone], settings: { maxAttempts: 1 } });
  const inbox = createInbox(registry, { authenticate: byHeader(everybody) });
  await here.says(phone, 'hello', { conversationId: 'c', participant: ada });
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  const anna = visitor(inbox.fetch, annaPerson);
  return { ...here, got, registry, inbox, anna, id, path: `/inbox/asks/${id}` };
}

describe('forms of every shape', () => {
  const form3 = form('Parcel', {
    weight: number('Weight?'),
    day: date('Day?'),
    mail: email('Mail?'),
    fast: confirm('Express?'),
    parts: choices('Parts?', ['Lamp', 'Cable']),
    note: optional(text('Note?')),
  });
  const filled = {
    'field-weight': '2.5',
    'field-day': '2026-03-04',
    'field-mail': 'ada@example.org',
    'field-fast': 'no',
    'field-parts': ['Lamp', 'Cable'],
  };
  const cases = [
    { shape: 'text', question: text('Which?'), values: { answer: 'the blue one' }, value: 'the blue one' },
    { shape: 'a number', question: number('How many?'), values: { answer: '42' }, value: 42 },
    { shape: 'a date', question: date('When?'), values: { answer: '2026-03-04' }, value: '2026-03-04' },
    {
      shape: 'several of a list',
      question: choices('Which?', ['S', 'M']),
      values: { answer: ['S', 'M'] },
      value: ['S', 'M'],
    },
    {
      shape: 'fields',
      question: form3,
      values: filled,
      value: { weight: 2.5, day: '2026-03-04', mail: 'ada@example.org', fast: false, parts: ['Lamp', 'Cable'] },
    },
  ];

  test.each(cases)('$shape', async ({ question, values, value }) => {
    const { anna, path, got } = await oneQuestion(question as never);
    const result = await anna.send(await anna.load(path), '/answer', values);
    expect(result.text).toContain('Answered');
    expect(got).toEqual([value]);
  });

  test('what is wrong stands beside its field and in a summary, and what was typed stays', async () => {
    const { anna, path, got } = await oneQuestion(form3 as never);
    const missing = await anna.send(await anna.load(path), '/answer', { 'field-weight': 'heavy' });
    expect(missing.status).toBe(422);
    expect(missing.text).toContain('<a href="#field-day"><bdi class="prose">Day?: Please answer this.</bdi></a>');
    expect(missing.text).toContain('value="heavy"');
    const wrong = await anna.send(missing, '/answer', { ...filled, 'field-weight': 'heavy' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('id="field-weight-error"');
    expect(wrong.text).toContain('aria-invalid="true"');
    const right = await anna.send(wrong, '/answer', filled);
    expect(right.text).toContain('Answered');
    expect(got).toHaveLength(1);
  });

  test('a sensitive answer is never echoed', async () => {
    const { anna, path, got } = await oneQuestion(text('Your PIN?', { pattern: /^\d{4}$/ }) as never, {
      sensitive: true,
    });
    const opened = await anna.load(path);
    expect(opened.text).toContain('type="password" autocomplete="off"');
    const wrong = await anna.send(opened, '/answer', { answer: 'secret-pin' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).not.toContain('secret-pin');
    const right = await anna.send(wrong, '/answer', { answer: '1234' });
    expect(right.text).toContain('The answer is hidden');
    expect(right.text).not.toContain('1234');
    expect(got).toEqual(['1234']);
  });

  test('Enter alone sends nothing: the first submit button of every form that changes something is disabled', async () => {
    const { anna, path } = await oneQuestion(confirm('Sure?') as never);
    const { text: page } = await anna.load(path);
    for (const [, body = ''] of page.matchAll(/<form method="post"[^>]*>(.*?)<\/form>/gs))
      expect(body.match(/<button[^>]*>/)?.[0]).toBe('<button type="submit" disabled hidden>');
    expect(page).not.toMatch(/autofocus/);
  });

  test.each([text('Which?'), form3, choices('Which?', ['S'])])('every id of a page is there once', async (question) => {
    const { anna, path } = await oneQuestion(question as never);
    const ids = [...(await anna.load(path)).text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });
});

describe('what is shown is inert', () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;

  test('a script in any text field is text', async () => {
    const question = form(`Question ${evil}`, { size: choices(`Field ${evil}`, [`Choice ${evil}`]) });
    const mallory = person(`staff:${evil}`, ['admin'], { name: `Name ${evil}`, roles: ['manager'] });
    const { registry, id, path } = await oneQuestion(question as never, {
      details: { [`Detail ${evil}`]: `Value ${evil}` },
      context: { kept: evil },
    });
    const inbox = createInbox(registry, { authenticate: () => mallory });
    const visit = visitor(inbox.fetch, annaPerson);
    const opened = await visit.load(path);
    const pages = [
      opened,
      await visit.load(`/inbox?agent=${encodeURIComponent(evil)}&search=${encodeURIComponent(evil)}`),
      await visit.send(opened, '/answer', { 'field-size': evil }),
      await visit.send(opened, '/cancel', { reason: evil }),
      await visit.load('/inbox/log'),
      await visit.load(`/inbox/sign-in?token=${encodeURIComponent(evil)}`),
      await visit.load(`/inbox/asks/${encodeURIComponent(evil)}`),
    ];
    for (const { text: shown } of pages) {
      expect(shown).not.toContain('<script>');
      expect(shown).not.toContain('<img');
    }
    expect(opened.text).toContain(id);
    expect(pages[3]?.text).toContain('&lt;script&gt;');
  });

  test('characters that mislead are marked', async () => {
    const { anna, path } = await oneQuestion(confirm('Pay \u0410da\u202e?') as never, {
      details: { To: 'DE89\u200b37' },
    });
    const { text: shown } = await anna.load(path);
    expect(shown).toContain('\\u{410}da</mark>');
    expect(shown).toContain('\\u{202e}</mark>');
    expect(shown).toContain('DE89<mark title="unusual character">\\u{200b}</mark>37');
  });
});

describe('coming in', () => {
  test('a page asks whoever is not signed in to sign in, and goes on where they were', async () => {
    const { asked, registry } = await pageShop();
    const id = await asked('sure');
    const inbox = createInbox(registry);
    const visit = visitor(inbox.fetch, person('nobody', []));
    const out = await visit.load(`/inbox/asks/${id}`);
    expect(out.status).toBe(401);
    expect(out.text).toContain('You are signed out');
    expect(out.text).not.toContain('Refund');
    const { action, fields } = formOf(out.text, '/sign-in');
    fields.set('token', 'wrong');
    expect((await visit.post(action, fields)).status).toBe(401);
    fields.set('token', inbox.token ?? '');
    const signed = await visit.post(action, fields);
    expect(signed.headers.get('location')).toBe(`/inbox/asks/${id}`);
    const cookie = signed.headers.get('set-cookie')?.split(';')[0] ?? '';
    const back = await visit.load(`/inbox/asks/${id}`, { headers: { cookie } });
    expect(back.text).toContain('Refund 48 EUR?');
    const leave = formOf(back.text, '/sign-out');
    await visit.post(leave.action, leave.fields, { cookie });
    expect((await visit.load('/inbox', { headers: { cookie } })).status).toBe(401);
  });

  test('where the application signs people in, whoever is nobody is sent there and back', async () => {
    const { registry } = await pageShop();
    const nobody = (signInUrl: string) =>
      visitor(createInbox(registry, { authenticate: () => null, signInUrl }).fetch, person('nobody', []));
    const sent = await nobody('/login?from=inbox').load('/inbox/log?status=answered');
    expect(sent.status).toBe(303);
    expect(sent.headers.get('location')).toBe('/login?from=inbox&next=%2Finbox%2Flog%3Fstatus%3Danswered');
    const far = await nobody('https://login.example/').load('/inbox/sign-in');
    expect(far.headers.get('location')).toBe('https://login.example/?next=http%3A%2F%2Flocalhost%2Finbox');
    const script = await nobody('/login').load('/inbox', { headers: { 'sec-fetch-mode': 'cors' } });
    expect([script.status, script.text]).toEqual([401, expect.stringContaining('href="/login?next=%2Finbox"')]);
    expect((await nobody('/login').post('/inbox/asks/1/answer', 'answer=yes')).status).toBe(401);
    for (const wrong of ['//evil.example', 'http://evil.example/', 'javascript:alert(1)', 'login', '/\\evil', '/löse'])
      expect(() => nobody(wrong), wrong).toThrow(/signInUrl must be a path on the same origin or an https address/);
  });

  test('somebody who signed in, and whom authenticate still does not know, is not sent back and forth', async () => {
    const { registry } = await pageShop();
    const { fetch } = createInbox(registry, { authenticate: () => null, signInUrl: '/login' });
    const { load } = visitor(fetch, person('nobody', []));
    const sent = await load('/inbox/log');
    const [cookie = ''] = (sent.headers.get('set-cookie') ?? '').split(';');
    expect(sent.headers.get('set-cookie')).toMatch(/Path=\/inbox; Max-Age=300; HttpOnly; SameSite=Lax$/);
    const back = await load('/inbox/log', { headers: { cookie } });
    expect(back.status).toBe(401);
    expect(back.text).toContain('this inbox still does not know you');
    expect(back.text).toContain('href="/login?next=%2Finbox%2Flog"');
  });

  test('an application that signs people in by itself shows no form for a token, and says where to sign in', async () => {
    const { registry, inbox } = await pageShop();
    const out = await visitor(inbox.fetch, person('nobody', [])).load('/inbox/log');
    expect(out.status).toBe(401);
    expect(out.text).toContain('Sign in to the application that this inbox belongs to');
    expect(out.text).not.toContain('name="token"');
    expect(out.text).toContain('href="/inbox/sign-in?next=%2Finbox%2Flog"');
    const token = 'a-token-of-at-least-20-random-characters';
    const byToken = createInbox(registry, { authenticate: staticTokens({ [hashToken(token)]: annaPerson }) });
    const visit = visitor(byToken.fetch, person('nobody', []));
    const { action, fields } = formOf((await visit.load('/inbox/log')).text, '/sign-in');
    fields.set('token', token);
    expect((await visit.post(action, fields)).headers.get('location')).toBe('/inbox/log');
  });

  test.each(['https://evil.example/', '//evil.example', '/inbox/\\evil', 'javascript:alert(1)'])(
    'signing in never leads to %s',
    async (next) => {
      const { inbox, registry } = await pageShop();
      const own = createInbox(registry);
      const body = new URLSearchParams({ token: own.token ?? '', next });
      const signed = await visitor(own.fetch, annaPerson).post('/inbox/sign-in', body);
      expect(signed.headers.get('location')).toBe('/inbox');
      inbox.close();
    },
  );

  test('a link that may decide does so once, and its repeat shows the recorded decision', async () => {
    const { anna, inbox, id, got } = await oneQuestion(confirm('Sure?') as never, { links: 'decide' });
    const link = await inbox.link(id, { id: 'staff:anna', name: 'Anna', roles: ['manager'] });
    const opened = await anna.load(link);
    expect(opened.text).toContain('Sure?');
    expect(got).toEqual([]);
    const { action, fields } = formOf(opened.text, '/answer');
    fields.set('answer', 'yes');
    const first = await anna.post(action, fields);
    expect(first.text).toContain('Your decision is recorded');
    expect((await anna.post(action, fields)).text).toContain('Your decision is recorded');
    expect(got).toEqual([true]);
    expect((await anna.load(link)).text).toMatch(/This link (has been used|is not valid any more)/);
  });

  test('a link that only shows asks its person to sign in', async () => {
    const { anna, inbox, id } = await oneQuestion(confirm('Sure?') as never);
    const opened = await anna.load(await inbox.link(id, { id: 'staff:anna', name: 'Anna', roles: ['manager'] }));
    expect(opened.text).toContain('Sign in as Anna to answer.');
    const turned = await anna.load(await inbox.link(id, { id: 'staff:anna', name: 'A\u202enna', roles: ['manager'] }));
    expect(turned.text).toContain('Sign in as &quot;A\\u{202e}nna&quot; to answer.');
    expect(turned.text).not.toContain('\u202e');
    expect(opened.text).not.toContain('/answer"');
    expect((await anna.load('/inbox/link/nothing')).text).toContain('This link is not valid any more');
  });
});

describe('headers, size and what goes wrong', () => {
  test('every page forbids framing, foreign content and keeping it', async () => {
    const { asked, anna } = await pageShop();
    const id = await asked('sure');
    for (const path of [
      '/inbox',
      `/inbox/asks/${id}`,
      '/inbox/log',
      '/inbox/nothing',
      '/inbox/sign-in',
      '/inbox/link/x',
    ]) {
      const { headers, text: shown } = await anna.load(path);
      expect(headers.get('content-security-policy'), path).toContain("default-src 'none'; style-src 'self'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe(/link|sign-in/.test(path) ? 'strict-origin' : 'same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(shown, 'no inline script or style').not.toMatch(/<script>|<style|\sstyle="|\son\w+="/);
    }
  });

  test('assets may be kept for good, and a list of 20 with them has at most 60 KB', async () => {
    const { asked, anna } = await pageShop();
    for (let i = 0; i < 20; i += 1) await asked('sure', `c-${i}`);
    const { text: shown } = await anna.load('/inbox');
    expect(shown.match(/<li data-id/g)).toHaveLength(20);
    const linked = [...shown.matchAll(/(?:href|src)="(\/inbox\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(linked).toHaveLength(Object.keys(assets).length);
    let size = Buffer.byteLength(shown);
    for (const path of linked) {
      const asset = await anna.load(path);
      expect(asset.headers.get('cache-control')).toContain('immutable');
      size += Buffer.byteLength(asset.text);
    }
    expect(size).toBeLessThanOrEqual(60 * 1024);
  });

  test('more than a page is paged', async () => {
    const { asked, anna } = await pageShop();
    for (let i = 0; i < 30; i += 1) await asked('sure', `c-${i}`);
    const first = await anna.load('/inbox');
    expect(first.text).toContain('data-count>25+<');
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await anna.load(next);
    expect(second.text.match(/<li data-id/g)).toHaveLength(5);
    expect(second.text).toContain('First page');
  });

  test('a cursor names no ask, and one that was drawn for somebody else or made up leads to the first page', async () => {
    const { asked, anna, otto, boss, port } = await pageShop();
    for (let i = 0; i < 26; i += 1) await asked('sure', `c-${i}`);
    const href = /rel="next" href="([^"]+)"/.exec((await anna.load('/inbox')).text)?.[1] ?? '';
    const given = new URL(href, 'http://localhost').searchParams.get('cursor') ?? '';
    const { cursor = '' } = await port.list({ sort: 'deadline', limit: 25 });
    expect(Buffer.from(given, 'base64url').toString()).not.toContain(cursor.split(':').at(-1));
    expect(given).not.toContain(cursor);
    for (const [who, wrong] of [
      [otto, given],
      [anna, cursor],
      [anna, 'elsewhere'],
    ] as const) {
      const first = await who.load(`/inbox?cursor=${encodeURIComponent(wrong)}`);
      expect([first.status, first.text.match(/<li data-id/g)?.length]).toEqual([200, 25]);
      expect(first.text).not.toContain('First page');
    }
    for (const path of ['/inbox/log?cursor=x', '/inbox/parked?cursor=x'])
      expect((await boss.load(path)).status).toBe(200);
  });

  test('what is not for somebody looks like what does not exist', async () => {
    const { asked, as, reader } = await pageShop();
    const id = await asked('sure');
    const stranger = as(person('staff:otto', [])); // the header names Otto, and the form names nobody
    expect((await stranger.load('/inbox/asks/nothing')).status).toBe(404);
    const forbidden = await reader.load('/inbox/parked');
    expect([forbidden.status, forbidden.text]).toEqual([404, (await reader.load('/inbox/nothing')).text]);
    expect(id).not.toBe('');
  });

  test('a form from another site, without our token, or too long, changes nothing', async () => {
    const { asked, anna, registry } = await pageShop();
    const id = await asked('sure');
    const { action, fields } = formOf((await anna.load(`/inbox/asks/${id}`)).text, '/answer');
    fields.set('answer', 'yes');
    expect((await anna.post(action, fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await anna.post(action, fields, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await anna.post(action, 'answer=yes')).status).toBe(403);
    expect((await anna.post(action, `${fields}&x=${'x'.repeat(200_000)}`)).status).toBe(413);
    expect((await registry.getAsk(id))?.status).toBe('pending');
  });

  test('a form with a field twice decides nothing, and the field is named', async () => {
    const { asked, anna, registry } = await pageShop();
    const id = await asked('sure');
    const { action, fields } = formOf((await anna.load(`/inbox/asks/${id}`)).text, '/answer');
    for (const name of ['answer', 'token', 'key']) {
      const doubled = new URLSearchParams([...fields, ['answer', 'no'], [name, 'yes']]);
      const sent = await anna.post(action, doubled);
      expect([sent.status, sent.text.includes(`The form has the field &quot;${name}&quot; twice`)]).toEqual([
        400,
        true,
      ]);
    }
    expect((await registry.getAsk(id))?.status).toBe('pending');
  });

  test('a failure has a reference, which the log has, too', async () => {
    const errors: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (said: string) => errors.push(said) };
    const { asked, boss, registry } = await pageShop({}, { logger });
    const id = await asked('sure');
    registry.history = () => Promise.reject(new Error('the database said no'));
    const failed = await boss.load(`/inbox/asks/${id}`);
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('the database said no');
    const reference = /this reference: (\w+)/.exec(failed.text)?.[1] ?? 'none';
    expect(errors).toEqual([`A page of the inbox failed (reference ${reference}).`]);
  });
});

test('the style sheet of the user comes after ours', async () => {
  const { anna } = await pageShop({ styles: '/own.css' });
  const { text: shown } = await anna.load('/inbox');
  expect(shown.indexOf('/own.css')).toBeGreaterThan(shown.indexOf('.css"'));
  await expect(pageShop({ styles: 'https://evil.example/a.css' })).rejects.toThrow('styles');
});

test('parked work is tried again or closed with words, by operators only', async () => {
  const { anna, id, path, registry } = await oneQuestion(confirm('Sure?') as never, {
    onAnswer: () => {
      throw new Error('The bank is closed.');
    },
  });
  await anna.send(await anna.load(path), '/answer', { answer: 'yes' });
  const inbox = createInbox(registry, { authenticate: () => person('staff:boss', ['admin'], { name: 'Boss' }) });
  const boss = visitor(inbox.fetch, annaPerson);
  expect((await boss.load(`/inbox/asks/${id}`)).text).toContain('The agent could not go on');
  const parked = await boss.load('/inbox/parked');
  expect(parked.text).toContain('The bank is closed.');
  expect((await anna.load('/inbox/parked')).status).toBe(404);
  const closed = await boss.send(parked, '/close', { reason: 'Paid by hand.' });
  expect(closed.text).toContain('Nothing is parked');
  const other = await boss.send(parked, '/close', { reason: 'Paid by card.' });
  expect([other.status, other.text.includes('Nothing is parked')]).toEqual([422, true]);
  expect(other.text).toMatch(/This form was sent before.*What you had written.*Paid by card\./s);
});

test('parked work whose form was sent before with another reason shows the form again, filled in, with a new key', async () => {
  const { anna, path, registry } = await oneQuestion(confirm('Sure?') as never, {
    onAnswer: () => {
      throw new Error('The bank is closed.');
    },
  });
  await anna.send(await anna.load(path), '/answer', { answer: 'yes' });
  const inbox = createInbox(registry, { authenticate: () => person('staff:boss', ['admin']) });
  const boss = visitor(inbox.fetch, annaPerson);
  const port = registry[inboxPort];
  const closeParked = port.closeParked.bind(port);
  port.closeParked = async () => ({ type: 'received' }); // it waits behind other work
  const parked = await boss.load('/inbox/parked');
  await boss.send(parked, '/close', { reason: 'Paid by hand.' });
  port.closeParked = closeParked;
  const other = await boss.send(parked, '/close', { reason: 'Paid by card.' });
  expect(other.status).toBe(422);
  expect(other.text).toMatch(/<details class="other" open>.*>Paid by card\.<\/textarea>/s);
  expect((await boss.send(other, '/close', {})).status).toBe(200);
});

test('what a program asks is said to be asked by a program, wherever it is shown', async () => {
  const { registry, boss, advance } = await pageShop();
  const place = { channel: 'phone', to: 'office', answerableBy: 'anyone' } as const;
  void registry.askAndWait(confirm('Send the letters?'), place).catch(() => undefined);
  await advance(1);
  const id = (await registry.listAsks({})).asks[0]?.id ?? '';
  for (const path of ['/inbox', `/inbox/asks/${id}`]) {
    const { text: shown } = await boss.load(path);
    expect(shown).toContain('a program');
    expect(shown.replace('<option value="@wait">', '')).not.toContain('@wait');
  }
  await registry.answer(id, { value: true }, { by: ada });
  const { text: log } = await boss.load('/inbox/log');
  expect([log.includes('a program'), log.includes('@wait')]).toEqual([true, false]);
});

test('whom it is asked for is called by their name for those who see the conversation, and by their id among the facts', async () => {
  const reads = person('staff:max', ['answer', 'conversations'], { roles: ['manager'] });
  const { asked, anna, as } = await pageShop({ authenticate: byHeader([...everybody, reads]) });
  const path = `/inbox/asks/${await asked('sure')}`;
  const subtitle = /<p class="subtitle">.*? for (.*?) ·/s;
  expect(subtitle.exec((await as(reads).load(path)).text)?.[1]).toBe('<bdi title="web:ada">Ada</bdi>');
  expect(subtitle.exec((await anna.load(path)).text)?.[1]).toBe('<bdi title="web:ada">web:ada</bdi>');
  expect((await as(reads).load(path)).text).toContain('<dt>Asked for</dt><dd><bdi class="value">web:ada</bdi>');
});

test('an address with a slash at its end is the same, and the address of a link is told to nobody', async () => {
  const { anna, inbox, asked } = await pageShop();
  expect((await anna.load('/inbox/')).status).toBe(200);
  const link = await inbox.link(await asked('sure'), { id: 'staff:anna', roles: ['manager'] });
  expect((await anna.load(link)).headers.get('referrer-policy')).toBe('strict-origin');
  expect((await anna.load('/inbox/sign-in?next=/inbox/%E2%86%92')).status).toBe(200);
});

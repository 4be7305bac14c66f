/**
 * The pages and their addresses. A GET changes nothing. Every change is a form that was rendered for this person, and is followed by a
 * redirect to its result. calls.ts decides what a person sees and may do.
 */
import { Buffer } from 'node:buffer';
import { definedFields } from '../../core/defined-fields.js';
import type { AskFilter } from '../../registry/calls/list-asks.js';
import { visibleText } from '../../tools/approval/visible-text.js';
import type { Caller } from '../access/caller.js';
import type { CursorPlace } from '../access/cursors.js';
import type { InboxAsk } from '../ask-view.js';
import type { InboxDecision, InboxPage } from '../calls.js';
import { healthView } from '../charts/health.js';
import { statsFor } from '../charts/read-stats.js';
import { Hono, html } from '../packages.js';
import type { InboxParts } from '../parts.js';
import { participantOf } from '../person.js';
import { has } from '../rights.js';
import { assetResponse } from './assets/assets.js';
import type { Around, Detail, PageNotice } from './detail.js';
import { detailPane, handedOverPane } from './detail.js';
import { errorsFor, sentAnswer, writtenIn } from './forms.js';
import type { PageFrame } from './layout.js';
import { askPath } from './layout.js';
import type { ListQuery } from './list.js';
import { agesInMs, countOf, listPane, listQueryOf, queryString } from './list.js';
import type { Html } from './markup.js';
import { nothing } from './markup.js';
import { endings, logPage, parkedPage, type UnsentParked } from './other-pages.js';
import { type PageCall, PageReplies } from './replies.js';
import { keyIn, reasonIn, refusedNotice, sentBeforeNotice } from './sent-forms.js';
import { texts } from './texts.js';
import { type LinkCall, LinkPages } from './visitors/link-pages.js';
import { SignInPages } from './visitors/sign-in.js';

const pageSize = 25;
const historySize = 30;

type PageApp = InstanceType<typeof Hono>;

export function pageRoutes(parts: InboxParts): PageApp {
  const pages = new InboxPages(parts);
  const links = new LinkPages(parts);
  const visitors = new SignInPages(parts);
  const forSignedIn: Readonly<Record<string, (call: PageCall, id: string) => Promise<Response>>> = {
    'GET /': (call) => pages.list(call),
    'GET /asks/:id': (call, id) => pages.detail(call, id),
    'POST /asks/:id/answer': (call, id) => pages.decide(call, id, 'answer'),
    'POST /asks/:id/decline': (call, id) => pages.decide(call, id, 'decline'),
    'POST /asks/:id/cancel': (call, id) => pages.decide(call, id, 'cancel'),
    'POST /asks/:id/hand-over': (call, id) => pages.handOver(call, id),
    'GET /log': (call) => pages.log(call),
    'GET /health': (call) => pages.health(call),
    'GET /parked': (call) => pages.parked(call),
    'POST /parked/:id/retry': (call, id) => pages.changeParked(call, id, 'retry'),
    'POST /parked/:id/close': (call, id) => pages.changeParked(call, id, 'close'),
    'POST /sign-out': (call) => visitors.signOut(call),
  };
  const byLink: Readonly<Record<string, (call: LinkCall) => Promise<Response>>> = {
    'GET /link/:token': (call) => links.shown(call),
    'POST /link/:token/answer': (call) => links.decide(call, 'answer'),
    'POST /link/:token/decline': (call) => links.decide(call, 'decline'),
  };
  const app = new Hono({ strict: false }); // with and without a slash at the end
  for (const secret of ['/link/*', '/sign-in'])
    app.use(secret, async (context, next) => {
      await next();
      context.res.headers.set('referrer-policy', 'strict-origin'); // the address is a secret, and a proxy logs the Referer
    });
  for (const [route, answer] of Object.entries(forSignedIn))
    app.on(...methodAndPath(route), ({ req }) =>
      visitors.signedIn(req.raw, (call) => answer(call, req.param('id') ?? '')),
    );
  for (const [route, answer] of Object.entries(byLink))
    app.on(...methodAndPath(route), ({ req }) => links.byLink(req.raw, req.param('token') ?? '', answer));
  app.get('/assets/:name', ({ req }) => assetResponse(req.param('name')) ?? pages.notFound());
  app.get('/sign-in', ({ req }) => visitors.guarded(() => visitors.form(req.raw)));
  app.post('/sign-in', ({ req }) => visitors.guarded(() => visitors.signIn(req.raw)));
  app.all('*', () => pages.notFound());
  return app;
}

function methodAndPath(route: string): [method: string, path: string] {
  const [method = '', path = ''] = route.split(' ');
  return [method, path];
}

class InboxPages extends PageReplies {
  // --- the list and one question ---

  async list({ url, caller, frame }: PageCall): Promise<Response> {
    const { query, found } = await this.#find(caller, url);
    const blank = html`<div class="blank"><h2>${texts.choose}</h2><p>${texts.chooseMore}</p></div>`;
    const pane = listPane({ ...this.#pane(frame, caller), query, found });
    const content = html`<main id="content" class="panes">${pane}${found.asks.length === 0 ? nothing : blank}</main>`;
    const waiting = countOf(found, query);
    return this.reply(
      200,
      { title: texts.listTitle, current: 'waiting', content, ...definedFields({ waiting }) },
      frame,
    );
  }

  #pane({ base, now }: PageFrame, { person }: Caller) {
    return { base, now, readsAll: has(person, 'read') };
  }

  /** The list that the address asks for. A cursor that was not given out for it is left out: that is the first page. */
  async #find({ person }: Caller, { searchParams }: URL): Promise<{ query: ListQuery; found: InboxPage }> {
    const { cursor: given, ...filters } = listQueryOf(searchParams);
    const { agent, channel, older, search, mine } = filters;
    const place = { person, list: 'page', filter: filters };
    const cursor = this.#opened(place, given);
    const until = older === undefined ? undefined : this.parts.port.clock.now() - agesInMs[older];
    const filter: AskFilter = definedFields({
      sort: 'deadline' as const,
      agentName: agent,
      channelName: channel,
      search,
      until,
      for: mine === true ? participantOf(person) : undefined,
      cursor,
    });
    const found = await this.parts.calls.list(person, { ...filter, limit: pageSize });
    const query = { ...filters, ...definedFields({ cursor: cursor === undefined ? undefined : given }) };
    return { query, found: this.parts.access.cursors.sealed(place, found) };
  }

  #opened(place: CursorPlace, given: string | null | undefined): string | undefined {
    return given ? this.parts.access.cursors.open(place, given) : undefined;
  }

  async detail(call: PageCall, id: string): Promise<Response> {
    const ask = await this.parts.calls.get(call.caller.person, id);
    const handed = await this.#handedNotice(call, id);
    if (ask === null) return handed === undefined ? this.notFound() : this.#handed(call, id, handed);
    const isReceived = call.url.searchParams.get('after') === 'received' && ask.status === 'pending';
    const received = { tone: 'good', title: texts.received, more: texts.receivedMore } as const;
    const notice = isReceived ? received : handed;
    return this.#shown(call, ask, 200, definedFields({ notice }));
  }

  /** The notice that this person has handed the ask over, by the form whose key is in the address. */
  async #handedNotice({ caller, url }: PageCall, id: string): Promise<PageNotice | undefined> {
    const key = url.searchParams.get('handed');
    const to = key === null ? undefined : await this.parts.calls.handedTo(caller.person, id, key);
    if (to === undefined) return undefined;
    return { tone: 'good', title: texts.handedOverTitle, more: texts.handedOverMore(visibleText(to.name ?? to.id)) };
  }

  /** The list, and beside it the notice: the person does not see the question any more. */
  async #handed({ url, caller, frame }: PageCall, id: string, notice: PageNotice): Promise<Response> {
    const { query, found } = await this.#find(caller, url);
    const next = this.#next(found, undefined, query);
    const pane = listPane({ ...this.#pane(frame, caller), query, found, current: id });
    const content = html`<div class="panes has-detail">${pane}<main id="content">${handedOverPane({ base: this.base, notice, ...definedFields({ next }) })}</main></div>`;
    const waiting = countOf(found, query);
    const { title } = notice;
    return this.reply(200, { title, current: 'waiting', content, ...definedFields({ waiting }) }, frame);
  }

  async #shown(
    { url, caller, frame }: PageCall,
    ask: InboxAsk,
    status: number,
    more: Pick<Detail, 'notice' | 'filled' | 'handOver'> = {},
  ): Promise<Response> {
    const [{ query, found }, around, isParked] = await Promise.all([
      this.#find(caller, url),
      this.#around(caller, ask, url),
      this.parts.calls.isParked(ask),
    ]);
    const path = askPath(this.base, ask.id);
    const detail: Detail = {
      base: this.base,
      now: frame.now,
      person: caller.person,
      ask,
      path,
      hidden: (action) => this.hidden(caller, ask, action),
      around,
      isParked,
      ...definedFields({ next: this.#next(found, ask, query) }),
      ...more,
    };
    const pane = listPane({ ...this.#pane(frame, caller), query, found, current: ask.id });
    const content = html`<div class="panes has-detail">${pane}<main id="content">${detailPane(detail)}</main></div>`;
    const waiting = countOf(found, query);
    const title = ask.question.replace(/\s+/g, ' ').slice(0, 60);
    return this.reply(status, { title, current: 'waiting', content, ...definedFields({ waiting }) }, frame);
  }

  async #around({ person }: Caller, ask: InboxAsk, url: URL): Promise<Around | null> {
    const { conversationId, originConversationId, id } = ask;
    const around = originConversationId ?? conversationId;
    const place = { person, list: `page history ${around}`, filter: {} };
    const page = definedFields({ limit: historySize, cursor: this.#opened(place, url.searchParams.get('before')) });
    const found = await this.parts.calls.history(person, around, page, ask);
    if (found === null) return null;
    const { items, cursor, unreadable } = this.parts.access.cursors.sealed(place, found);
    const earlier =
      cursor === undefined ? undefined : `${askPath(this.base, id)}?${new URLSearchParams({ before: cursor })}`;
    return { items, ...definedFields({ earlier, unreadable }) };
  }

  /** The question after this one in the list, which this person may answer. */
  #next({ asks }: InboxPage, ask: InboxAsk | undefined, query: ListQuery): Detail['next'] {
    const at = asks.findIndex(({ id }) => id === ask?.id);
    const others = [...asks.slice(at + 1), ...asks.slice(0, Math.max(0, at))];
    const next = others.find(({ mayAnswer }) => mayAnswer);
    return next && { href: `${askPath(this.base, next.id)}${queryString(query)}`, question: next.question };
  }

  // --- changes ---

  async decide(call: PageCall, id: string, action: 'answer' | 'decline' | 'cancel'): Promise<Response> {
    const { person } = call.caller;
    const sent = await this.sent(call, `${action} ${id}`);
    if ('type' in sent) return this.refused(sent);
    const { values, drawn } = sent;
    const ask = await this.parts.calls.get(person, id);
    if (ask === null) return this.notFound();
    const { calls } = this.parts;
    const said = { drawn, ...definedFields({ reason: reasonIn(values) }) };
    const given = action === 'answer' ? sentAnswer(ask, values) : undefined;
    const isOpen = ask.status === 'pending' && ask.mayAnswer;
    if (given !== undefined && 'errors' in given && isOpen)
      return this.#shown(call, ask, 422, { filled: { values, errors: given.errors } });
    const answer = given !== undefined && 'answer' in given ? given.answer : { text: '' };
    const decision = await this.once(call.caller, `${action} ${id}`, values, (key) => {
      if (action === 'cancel') return calls.cancel(person, id, { ...said, key });
      if (action === 'decline') return calls.decline(person, id, { ...said, key });
      return calls.answer(person, id, answer, { drawn, key });
    });
    if (decision.type === 'running') return this.running(askPath(this.base, id));
    if (decision.type === 'other-body') return this.#sentBefore(call, id, values);
    return this.#decided(call, decision, values);
  }

  /** Hands a question over. The result is found by the form's key: the person may not see the question any more. */
  async handOver(call: PageCall, id: string): Promise<Response> {
    const { person } = call.caller;
    const sent = await this.sent(call, `hand-over ${id}`);
    if ('type' in sent) return this.refused(sent);
    const { values, drawn } = sent;
    const to = values.get('to')?.trim() ?? '';
    const reason = definedFields({ reason: reasonIn(values) });
    const ask = await this.parts.calls.get(person, id);
    if (ask !== null && (to === '' || Buffer.byteLength(to) > 512))
      return this.#shown(call, ask, 422, { handOver: { to, ...reason, problem: texts.handOverNeeded } });
    const handed = await this.once(call.caller, `hand-over ${id}`, values, (key) =>
      this.parts.calls.handOver(person, id, to, { drawn, key, ...reason }),
    );
    if (handed.type === 'running') return this.running(askPath(this.base, id));
    if (handed.type === 'other-body') return this.#sentBefore(call, id, values);
    if (handed.type === 'invalid')
      return this.#shown(call, handed.ask, 422, { handOver: { to, ...reason, problem: handed.problem } });
    if (handed.type !== 'handed-over') return this.#decided(call, handed, values);
    return this.redirect(`${askPath(this.base, id)}?${new URLSearchParams({ handed: keyIn(values) })}`);
  }

  /** The question with what was typed, and a new key: the form may not have held an answer the first time. */
  async #sentBefore(call: PageCall, id: string, values: URLSearchParams): Promise<Response> {
    const ask = await this.parts.calls.get(call.caller.person, id);
    if (ask === null) return this.notFound();
    const notice = sentBeforeNotice(ask.status === 'pending' && ask.mayAnswer, writtenIn(ask, values));
    return this.#shown(call, ask, 422, { notice, filled: { values, errors: new Map() } });
  }

  #decided(call: PageCall, decision: InboxDecision, values: URLSearchParams): Promise<Response> | Response {
    if (decision.type === 'unknown') return this.notFound();
    const { ask } = decision;
    switch (decision.type) {
      case 'accepted':
      case 'counted':
        return this.redirect(askPath(this.base, ask.id));
      case 'received':
        return this.redirect(`${askPath(this.base, ask.id)}?after=received`);
      case 'invalid':
        return this.#shown(call, ask, 422, { filled: { values, errors: errorsFor(ask, decision.problem) } });
      default: {
        const notice = refusedNotice(decision.type, writtenIn(ask, values));
        return this.#shown(call, ask, notice.status, { notice });
      }
    }
  }

  // --- the log ---

  async log({ url, caller, frame }: PageCall): Promise<Response> {
    const status = endings.find((each) => each === url.searchParams.get('status'));
    const { person } = caller;
    const place = { person, list: 'page log', filter: definedFields({ status }) };
    const cursor = this.#opened(place, url.searchParams.get('cursor'));
    const filter = definedFields({ status: status ?? ('decided' as const), cursor });
    const found = await this.parts.calls.list(person, { ...filter, limit: pageSize });
    const content: Html = logPage(this.base, this.parts.access.cursors.sealed(place, found), {
      status,
      isFirst: cursor === undefined,
    });
    return this.reply(200, { title: texts.logTitle, current: 'log', content }, frame);
  }

  // --- the operator's view ---

  async health({ url, caller, frame }: PageCall): Promise<Response> {
    const step = url.searchParams.get('by') === 'day' ? 'day' : 'hour';
    const stats = await statsFor(this.parts.port, caller.person, step);
    if (stats === null) return this.notFound();
    const content: Html = healthView(this.base, stats);
    return this.reply(200, { title: texts.healthPage, current: 'health', content }, frame);
  }

  // --- parked work ---

  async parked({ url, caller, frame }: PageCall, unsent?: UnsentParked): Promise<Response> {
    const place = { person: caller.person, list: 'page parked', filter: {} };
    const cursor = this.#opened(place, url.searchParams.get('cursor'));
    const page = { limit: pageSize, ...definedFields({ cursor }) };
    const found = await this.parts.calls.parked(caller.person, page);
    if (found === null) return this.notFound();
    const hidden = (action: string, id: string) => this.hidden(caller, { id, digest: '' }, action);
    const content = parkedPage(this.base, this.parts.access.cursors.sealed(place, found), hidden, unsent);
    const status = unsent === undefined ? 200 : 422;
    return this.reply(status, { title: texts.parkedPage, current: 'parked', content }, frame);
  }

  async changeParked(call: PageCall, id: string, action: 'retry' | 'close'): Promise<Response> {
    const sent = await this.sent(call, `${action} ${id}`);
    if ('type' in sent) return this.refused(sent);
    const { person } = call.caller;
    const { calls } = this.parts;
    const reason = reasonIn(sent.values);
    const path = `${this.base}/parked`;
    const { type } = await this.once(call.caller, `${action} ${id}`, sent.values, (key) =>
      action === 'retry'
        ? calls.retryParked(person, id, { key })
        : calls.closeParked(person, id, { key, ...definedFields({ reason }) }),
    );
    if (type === 'running') return this.running(path);
    if (type === 'other-body') {
      const notice = sentBeforeNotice(false, reason === undefined ? [] : [reason]);
      return this.parked(call, { id, reason, notice });
    }
    return this.redirect(path);
  }
}

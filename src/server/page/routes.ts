/**
 * The pages and their addresses. A GET changes nothing; every change is a form that we drew for this person, and is followed by a redirect
 * to its result. What a person sees and may do is decided by the calls.
 */
import { definedFields } from '../../core/defined-fields.js';
import { digest } from '../../core/ids.js';
import { randomId } from '../../machine/clock.js';
import type { AskFilter } from '../../registry/calls/list-asks.js';
import type { Caller } from '../access/caller.js';
import type { CursorPlace } from '../access/cursors.js';
import { formRefusal } from '../access/origin.js';
import type { InboxAsk } from '../ask-view.js';
import type { InboxDecision, InboxPage } from '../calls.js';
import { healthView } from '../charts/health.js';
import { statsFor } from '../charts/read-stats.js';
import type { LinkCaller, LinkDecision } from '../linked-asks.js';
import { isByLink } from '../linked-asks.js';
import { Hono, html } from '../packages.js';
import type { InboxParts } from '../parts.js';
import { participantOf } from '../person.js';
import { has } from '../rights.js';
import { assetResponse } from './assets.js';
import type { Around, Detail, PageNotice } from './detail.js';
import { detailPane } from './detail.js';
import type { Filled } from './forms.js';
import { errorsFor, sentAnswer, writtenIn } from './forms.js';
import type { PageFrame } from './layout.js';
import { askPath, homeOf } from './layout.js';
import type { ListQuery } from './list.js';
import { agesInMs, countOf, listPane, listQueryOf, queryString } from './list.js';
import type { Html } from './markup.js';
import { nothing } from './markup.js';
import { endings, logPage, parkedPage, signInPage } from './other-pages.js';
import { formValues, type PageCall, PageReplies } from './replies.js';
import { texts } from './texts.js';

const pageSize = 25;
const historySize = 30;

/** A request of somebody who has a signed link. */
interface LinkCall extends PageCall {
  readonly caller: LinkCaller;
  readonly token: string;
}

type PageApp = InstanceType<typeof Hono>;

export function pageRoutes(parts: InboxParts): PageApp {
  const replies = new PageReplies(parts);
  const pages = new Pages(parts, replies);
  const app = new Hono({ strict: false }); // with and without a slash at the end
  for (const secret of ['/link/*', '/sign-in'])
    app.use(secret, async (context, next) => {
      await next();
      context.res.headers.set('referrer-policy', 'strict-origin'); // the address is a secret, and a proxy logs the Referer
    });
  app.get('/assets/:name', ({ req }) => assetResponse(req.param('name')) ?? replies.notFound());
  app.get('/', ({ req }) => pages.signedIn(req.raw, (call) => pages.list(call)));
  app.get('/asks/:id', ({ req }) => pages.signedIn(req.raw, (call) => pages.detail(call, req.param('id'))));
  for (const action of ['answer', 'decline', 'cancel'] as const)
    app.post(`/asks/:id/${action}`, ({ req }) =>
      pages.signedIn(req.raw, (call) => pages.decide(call, req.param('id'), action)),
    );
  app.get('/log', ({ req }) => pages.signedIn(req.raw, (call) => pages.log(call)));
  app.get('/health', ({ req }) => pages.signedIn(req.raw, (call) => pages.health(call)));
  app.get('/parked', ({ req }) => pages.signedIn(req.raw, (call) => pages.parked(call)));
  for (const action of ['retry', 'close'] as const)
    app.post(`/parked/:id/${action}`, ({ req }) =>
      pages.signedIn(req.raw, (call) => pages.changeParked(call, req.param('id'), action)),
    );
  app.get('/link/:token', ({ req }) => pages.byLink(req.raw, req.param('token'), (call) => pages.linked(call)));
  for (const action of ['answer', 'decline'] as const)
    app.post(`/link/:token/${action}`, ({ req }) =>
      pages.byLink(req.raw, req.param('token'), (call) => pages.decideByLink(call, action)),
    );
  app.get('/sign-in', ({ req }) => replies.guarded(() => pages.signInForm(req.raw)));
  app.post('/sign-in', ({ req }) => replies.guarded(() => pages.signIn(req.raw)));
  app.post('/sign-out', ({ req }) => pages.signedIn(req.raw, (call) => pages.signOut(call)));
  app.all('*', () => replies.notFound());
  return app;
}

class Pages {
  readonly #parts: InboxParts;
  readonly #base: string;
  readonly #replies: PageReplies;

  constructor(parts: InboxParts, replies: PageReplies) {
    this.#parts = parts;
    this.#replies = replies;
    this.#base = parts.options.basePath;
  }

  // --- who is there ---

  /** Answers somebody who is signed in; anybody else gets the form to sign in, under the same address. */
  signedIn(request: Request, answer: (call: PageCall) => Promise<Response>): Promise<Response> {
    return this.#replies.guarded(async () => {
      const caller = await this.#parts.access.page(request);
      if (caller.type === 'caller')
        return answer({ request, url: new URL(request.url), caller, frame: await this.#replies.signedInFrame(caller) });
      if (caller.code !== 'unauthenticated') return this.#replies.refused(caller);
      const { pathname, search } = new URL(request.url);
      const next = request.method === 'GET' ? `${pathname}${search}` : homeOf(this.#base);
      return this.#replies.reply(401, { title: texts.signInTitle, content: signInPage(this.#base, { next }) });
    });
  }

  // --- the list and one question ---

  async list({ url, caller, frame }: PageCall): Promise<Response> {
    const { query, found } = await this.#find(caller, url);
    const blank = html`<div class="blank"><h2>${texts.choose}</h2><p>${texts.chooseMore}</p></div>`;
    const pane = listPane({ ...this.#pane(frame, caller), query, found });
    const content = html`<main id="content" class="panes">${pane}${found.asks.length === 0 ? nothing : blank}</main>`;
    const waiting = countOf(found, query);
    return this.#replies.reply(
      200,
      { title: texts.listTitle, current: 'waiting', content, ...definedFields({ waiting }) },
      frame,
    );
  }

  #pane({ base, now }: PageFrame, { person }: Caller) {
    return { base, now, readsAll: has(person, 'read') };
  }

  /** The list as the address asks for it. A cursor that was not given out for it is left out: that is the first page. */
  async #find({ person }: Caller, { searchParams }: URL): Promise<{ query: ListQuery; found: InboxPage }> {
    const { cursor: given, ...filters } = listQueryOf(searchParams);
    const { agent, channel, older, search, mine } = filters;
    const place = { person, list: 'page', filter: filters };
    const cursor = this.#opened(place, given);
    const until = older === undefined ? undefined : this.#parts.port.clock.now() - agesInMs[older];
    const filter: AskFilter = definedFields({
      sort: 'deadline' as const,
      agentName: agent,
      channelName: channel,
      search,
      until,
      for: mine === true ? participantOf(person) : undefined,
      cursor,
    });
    const found = await this.#parts.calls.list(person, { ...filter, limit: pageSize });
    const query = { ...filters, ...definedFields({ cursor: cursor === undefined ? undefined : given }) };
    return { query, found: this.#parts.access.cursors.sealed(place, found) };
  }

  #opened(place: CursorPlace, given: string | null | undefined): string | undefined {
    return given ? this.#parts.access.cursors.open(place, given) : undefined;
  }

  async detail(call: PageCall, id: string): Promise<Response> {
    const ask = await this.#parts.calls.get(call.caller.person, id);
    if (ask === null) return this.#replies.notFound();
    const isReceived = call.url.searchParams.get('after') === 'received' && ask.status === 'pending';
    const notice: PageNotice | undefined = isReceived
      ? { tone: 'good', title: texts.received, more: texts.receivedMore }
      : undefined;
    return this.#shown(call, ask, 200, definedFields({ notice }));
  }

  async #shown(
    { url, caller, frame }: PageCall,
    ask: InboxAsk,
    status: number,
    more: { readonly notice?: PageNotice; readonly filled?: Filled } = {},
  ): Promise<Response> {
    const [{ query, found }, around, isParked] = await Promise.all([
      this.#find(caller, url),
      this.#around(caller, ask, url),
      this.#parts.calls.isParked(ask),
    ]);
    const path = askPath(this.#base, ask.id);
    const detail: Detail = {
      base: this.#base,
      now: frame.now,
      person: caller.person,
      ask,
      path,
      hidden: (action) => this.#replies.hidden(caller, ask, action),
      around,
      isParked,
      ...definedFields({ next: this.#next(found, ask, query) }),
      ...more,
    };
    const pane = listPane({ ...this.#pane(frame, caller), query, found, current: ask.id });
    const content = html`<div class="panes has-detail">${pane}<main id="content">${detailPane(detail)}</main></div>`;
    const waiting = countOf(found, query);
    const title = ask.question.replace(/\s+/g, ' ').slice(0, 60);
    return this.#replies.reply(status, { title, current: 'waiting', content, ...definedFields({ waiting }) }, frame);
  }

  async #around({ person }: Caller, ask: InboxAsk, url: URL): Promise<Around | null> {
    const { conversationId, originConversationId, id } = ask;
    const around = originConversationId ?? conversationId;
    const place = { person, list: `page history ${around}`, filter: {} };
    const page = definedFields({ limit: historySize, cursor: this.#opened(place, url.searchParams.get('before')) });
    const found = await this.#parts.calls.history(person, around, page, ask);
    if (found === null) return null;
    const { items, cursor } = this.#parts.access.cursors.sealed(place, found);
    const earlier =
      cursor === undefined ? undefined : `${askPath(this.#base, id)}?${new URLSearchParams({ before: cursor })}`;
    return { items, ...definedFields({ earlier }) };
  }

  /** The question after this one in the list, which this person may answer. */
  #next({ asks }: InboxPage, ask: InboxAsk, query: ListQuery): Detail['next'] {
    const at = asks.findIndex(({ id }) => id === ask.id);
    const others = [...asks.slice(at + 1), ...asks.slice(0, Math.max(0, at))];
    const next = others.find(({ mayAnswer }) => mayAnswer);
    return next && { href: `${askPath(this.#base, next.id)}${queryString(query)}`, question: next.question };
  }

  // --- changes ---

  async decide(call: PageCall, id: string, action: 'answer' | 'decline' | 'cancel'): Promise<Response> {
    const { person } = call.caller;
    const sent = await this.#replies.sent(call, `${action} ${id}`);
    if ('type' in sent) return this.#replies.refused(sent);
    const { values, drawn } = sent;
    const ask = await this.#parts.calls.get(person, id);
    if (ask === null) return this.#replies.notFound();
    const how = { drawn, key: keyOf(values) };
    const { calls } = this.#parts;
    const reason = reasonIn(values);
    if (action === 'cancel') return this.#decided(call, await calls.cancel(person, id, reason, how), values);
    if (action === 'decline')
      return this.#decided(call, await calls.decline(person, id, { ...how, ...definedFields({ reason }) }), values);
    const given = sentAnswer(ask, values);
    const isOpen = ask.status === 'pending' && ask.mayAnswer;
    if ('errors' in given && isOpen) return this.#shown(call, ask, 422, { filled: { values, errors: given.errors } });
    const answer = 'answer' in given ? given.answer : { text: '' };
    return this.#decided(call, await calls.answer(person, id, answer, how), values);
  }

  #decided(call: PageCall, decision: InboxDecision, values: URLSearchParams): Promise<Response> | Response {
    if (decision.type === 'unknown') return this.#replies.notFound();
    const { ask } = decision;
    switch (decision.type) {
      case 'accepted':
      case 'counted':
        return this.#replies.redirect(askPath(this.#base, ask.id));
      case 'received':
        return this.#replies.redirect(`${askPath(this.#base, ask.id)}?after=received`);
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
    const found = await this.#parts.calls.list(person, { ...filter, limit: pageSize });
    const content: Html = logPage(this.#base, this.#parts.access.cursors.sealed(place, found), {
      status,
      isFirst: cursor === undefined,
    });
    return this.#replies.reply(200, { title: texts.logTitle, current: 'log', content }, frame);
  }

  // --- the operator's view ---

  async health({ url, caller, frame }: PageCall): Promise<Response> {
    const step = url.searchParams.get('by') === 'day' ? 'day' : 'hour';
    const stats = await statsFor(this.#parts.port, caller.person, step);
    if (stats === null) return this.#replies.notFound();
    const content: Html = healthView(this.#base, stats);
    return this.#replies.reply(200, { title: texts.healthPage, current: 'health', content }, frame);
  }

  // --- parked work ---

  async parked({ url, caller, frame }: PageCall): Promise<Response> {
    const place = { person: caller.person, list: 'page parked', filter: {} };
    const cursor = this.#opened(place, url.searchParams.get('cursor'));
    const page = { limit: pageSize, ...definedFields({ cursor }) };
    const found = await this.#parts.calls.parked(caller.person, page);
    if (found === null) return this.#replies.notFound();
    const hidden = (action: string, id: string) => this.#replies.hidden(caller, { id, digest: '' }, action);
    const content = parkedPage(this.#base, this.#parts.access.cursors.sealed(place, found), hidden);
    return this.#replies.reply(200, { title: texts.parkedPage, current: 'parked', content }, frame);
  }

  async changeParked(call: PageCall, id: string, action: 'retry' | 'close'): Promise<Response> {
    const sent = await this.#replies.sent(call, `${action} ${id}`);
    if ('type' in sent) return this.#replies.refused(sent);
    const how = { key: keyOf(sent.values) };
    const { person } = call.caller;
    const { calls } = this.#parts;
    const reason = reasonIn(sent.values);
    if (action === 'retry') await calls.retryParked(person, id, how);
    else await calls.closeParked(person, id, reason, how);
    return this.#replies.redirect(`${this.#base}/parked`);
  }

  // --- signed links ---

  /** Whoever comes by a link. One that is not valid any more says so, whatever the reason. */
  byLink(request: Request, token: string, answer: (call: LinkCall) => Promise<Response>): Promise<Response> {
    return this.#replies.guarded(async () => {
      const caller = await this.#parts.access.link(token);
      if (caller.type === 'caller' && isByLink(caller))
        return answer({ request, token, url: new URL(request.url), caller, frame: this.#replies.frame() });
      return this.#replies.message(404, texts.linkOverTitle, texts.linkOverMore);
    });
  }

  /** Shows the question of a link. It changes nothing: programs that look into mails open links, too. */
  async linked(call: LinkCall): Promise<Response> {
    const found = await this.#parts.linked.get(call.caller);
    if (found.type === 'shown') return this.#linkShown(call, found.ask, 200);
    if (found.type === 'over' && found.why === 'used')
      return this.#replies.message(410, texts.linkUsedTitle, texts.linkUsedMore);
    return this.#replies.message(404, texts.linkOverTitle, texts.linkOverMore);
  }

  #linkShown(
    { caller, frame, token }: LinkCall,
    ask: InboxAsk,
    status: number,
    more: { readonly notice?: PageNotice; readonly filled?: Filled } = {},
  ): Promise<Response> {
    const { person } = caller;
    const instead = html`<h2>${texts.linkShowsOnly}</h2><p>${texts.linkShowsOnlyMore(person.name ?? person.id)}</p><p><a href="${askPath(this.#base, ask.id)}">${texts.signIn}</a></p>`;
    const detail: Detail = {
      base: this.#base,
      now: frame.now,
      person,
      ask,
      path: `${this.#base}/link/${token}`,
      hidden: (action) => this.#replies.hidden(caller, ask, action),
      around: null,
      ...(ask.status === 'pending' && !ask.mayAnswer ? { instead } : {}),
      ...more,
    };
    const content = html`<main id="content" class="scroll alone">${detailPane(detail)}</main>`;
    return this.#replies.reply(status, { title: texts.linkTitle, content }, frame);
  }

  async decideByLink(call: LinkCall, action: 'answer' | 'decline'): Promise<Response> {
    const { caller } = call;
    const sent = await this.#replies.sent(call, `${action} ${caller.link.askId}`);
    if ('type' in sent) return this.#replies.refused(sent);
    const { values, drawn } = sent;
    const found = await this.#parts.linked.get(caller);
    const given = action === 'answer' && found.type === 'shown' ? sentAnswer(found.ask, values) : undefined;
    if (given !== undefined && 'errors' in given && found.type === 'shown')
      return this.#linkShown(call, found.ask, 422, { filled: { values, errors: given.errors } });
    // a link that was used shows nothing any more; the same form again is still told what it decided
    const answer =
      given !== undefined && 'answer' in given ? given.answer : action === 'decline' ? 'decline' : { text: '' };
    return this.#decidedByLink(
      call,
      await this.#parts.linked.decide(caller, answer, {
        drawn,
        key: keyOf(values),
        ...definedFields({ reason: reasonIn(values) }),
      }),
      values,
    );
  }

  async #decidedByLink(call: LinkCall, decision: LinkDecision, values: URLSearchParams): Promise<Response> {
    switch (decision.type) {
      case 'accepted':
      case 'counted':
      case 'received':
        return this.#linkShown(call, { ...decision.ask, mayAnswer: false }, 200, {
          notice: { tone: 'good', title: texts.received, more: texts.linkUsedMore },
        });
      case 'invalid':
        return this.#linkShown(call, decision.ask, 422, {
          filled: { values, errors: errorsFor(decision.ask, decision.problem) },
        });
      case 'link-used':
        return this.#replies.message(410, texts.linkUsedTitle, texts.linkUsedMore);
      case 'link-busy':
        return this.#replies.message(409, texts.linkBusyTitle, texts.linkBusyMore);
      case 'link-shows':
        return this.#replies.message(
          403,
          texts.linkShowsOnly,
          texts.linkShowsOnlyMore(call.caller.person.name ?? call.caller.person.id),
        );
      case 'unknown':
        return this.#replies.message(404, texts.linkOverTitle, texts.linkOverMore);
      default: {
        const notice = refusedNotice(decision.type, writtenIn(decision.ask, values));
        return this.#linkShown(call, decision.ask, notice.status, { notice });
      }
    }
  }

  // --- coming and going ---

  async signInForm(request: Request): Promise<Response> {
    const token = new URL(request.url).searchParams.get('token')?.slice(0, 4096);
    const content = signInPage(this.#base, { next: homeOf(this.#base), ...definedFields({ token }) });
    return this.#replies.reply(200, { title: texts.signInTitle, content });
  }

  async signIn(request: Request): Promise<Response> {
    const { access, options } = this.#parts;
    const refused = formRefusal(request, options.origin);
    if (refused !== undefined) return this.#replies.refused(refused);
    const values = await formValues(request);
    const next = ownPath(this.#base, values.get('next'));
    const signed = await access.signIn(values.get('token')?.trim());
    if (signed.type === 'signed-in') return this.#replies.redirect(next, { 'set-cookie': signed.cookie });
    if (signed.code !== 'unauthenticated') return this.#replies.refused(signed);
    return this.#replies.reply(401, {
      title: texts.signInTitle,
      content: signInPage(this.#base, { next, problem: texts.wrongToken }),
    });
  }

  async signOut(call: PageCall): Promise<Response> {
    const sent = await this.#replies.sent(call, 'sign-out');
    if ('type' in sent) return this.#replies.refused(sent);
    const { session } = call.caller;
    const cookie = session && (await this.#parts.access.sessions.end(session));
    return this.#replies.redirect(`${this.#base}/sign-in`, definedFields({ 'set-cookie': cookie }));
  }
}

const reasonIn = (values: URLSearchParams): string | undefined =>
  values.get('reason')?.trim().slice(0, 1000) || undefined;

/**
 * The same form sent again with the same words is the same call: a double click, a reload. One that was corrected after "back" is another,
 * because its first words may have been no answer.
 */
const keyOf = (values: URLSearchParams): string => digest('form', values.get('key') || randomId(), values.toString());

/** What is said where a decision was not taken, with what the person had written. */
function refusedNotice(
  why: 'already' | 'late' | 'changed' | 'refused',
  written: readonly string[],
): PageNotice & { readonly status: number } {
  const said = {
    already: { status: 409, title: texts.alreadyTitle, more: texts.alreadyMore },
    late: { status: 409, title: texts.lateTitle, more: texts.lateMore },
    changed: { status: 409, title: texts.changedTitle, more: texts.changedMore },
    refused: { status: 403, title: texts.refusedTitle, more: texts.refusedMore },
  };
  return { tone: 'bad', written, ...said[why] };
}

/** A path of this inbox; the list for anything else, so that nobody is sent to another site. */
function ownPath(base: string, path: string | null): string {
  const home = homeOf(base);
  const inside = base === '' ? '/' : `${base}/`;
  const isOwn = path !== null && (path === home || path.startsWith(inside) || path.startsWith(`${base}?`));
  return isOwn && !/^\/\/|[^\x21-\x7e]|\\/.test(path) ? path : home; // a header takes ASCII only
}

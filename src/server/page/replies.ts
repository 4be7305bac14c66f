/**
 * What all pages of the inbox share, as the class that they extend: the frame around them, refusals and failures as pages, and the check of
 * forms. It renders no page of its own but messages.
 */
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import { randomId } from '../../machine/clock.js';
import type { Caller } from '../access/caller.js';
import type { Refusal } from '../access/refusal.js';
import type { InboxAsk } from '../ask-view.js';
import type { NotDone } from '../idempotency.js';
import { html } from '../packages.js';
import type { InboxParts } from '../parts.js';
import type { PageBody, PageFrame } from './layout.js';
import { message, page, pageHeaders } from './layout.js';
import { toListLink } from './other-pages.js';
import { formValues, keyIn, wordsIn } from './sent-forms.js';
import { texts } from './texts.js';

/** Results that recorded nothing. */
const refusals: ReadonlySet<string> = new Set(['unknown', 'refused', 'link-used', 'link-busy', 'link-shows']);

/** A request of an identified caller. */
export interface PageCall {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  readonly frame: PageFrame;
}

export class PageReplies {
  protected readonly parts: InboxParts;
  protected readonly base: string;

  constructor(parts: InboxParts) {
    this.parts = parts;
    this.base = parts.options.basePath;
  }

  /** Answers, or logs the failure and shows the person a reference to it. */
  async guarded(answer: () => Promise<Response>): Promise<Response> {
    try {
      return await answer();
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): Promise<Response> {
    const code = error instanceof AgentError ? error.code : undefined;
    const status = error instanceof AgentError ? error.details['status'] : undefined;
    if (status === 413) return this.message(413, texts.tooLargeTitle, texts.tooLargeMore);
    if (status === 400) return this.message(400, texts.refusedRequestTitle, failureOf(error).message);
    if (code === 'bad-option' || code === 'bad-message')
      return this.message(400, texts.notFoundTitle, texts.badCursorMore);
    if (code === 'store-unavailable' || code === 'stopped' || code === 'store-full' || code === 'queue-full')
      return this.message(503, texts.unavailableTitle, texts.unavailableMore);
    const reference = randomId().slice(0, 8);
    this.parts.port.logger.error(`A page of the inbox failed (reference ${reference}).`, { error: failureOf(error) });
    return this.message(500, texts.errorTitle, texts.errorMore(reference));
  }

  notFound(): Promise<Response> {
    return this.message(404, texts.notFoundTitle, texts.notFoundMore);
  }

  refused({ status, code, message: why }: Refusal): Promise<Response> {
    if (code === 'wrong-form') return this.message(status, texts.wrongFormTitle, texts.wrongFormMore);
    return this.message(status, texts.refusedRequestTitle, why);
  }

  message(status: number, title: string, more: string, toList: string = texts.toList): Promise<Response> {
    return this.reply(status, { title, content: message(title, more, toListLink(this.base, toList)) });
  }

  /** For a form that is still worked on. `path` is where its result will be seen. */
  running(path: string): Promise<Response> {
    const link = html`<p><a href="${path}">${texts.lookAgain}</a></p>`;
    return this.reply(409, {
      title: texts.runningTitle,
      content: message(texts.runningTitle, texts.runningMore, link),
    });
  }

  frame(): PageFrame {
    const { options, port } = this.parts;
    return { base: this.base, styles: options.styles, now: port.clock.now(), person: undefined };
  }

  /** Reads the cursor of live updates before the page reads anything else, so that it misses nothing. */
  async signedInFrame(caller: Caller): Promise<PageFrame> {
    const { access, live } = this.parts;
    const after = await live.cursor(caller.person);
    const signOutToken = caller.via === 'session' ? access.forms.create(caller, 'sign-out') : undefined;
    const key = digest(caller.key);
    return { ...this.frame(), person: caller.person, live: { key, after }, ...definedFields({ signOutToken }) };
  }

  async reply(status: number, body: PageBody, frame = this.frame()): Promise<Response> {
    return new Response(await page(frame, body), { status, headers: pageHeaders });
  }

  redirect(to: string, headers: Readonly<Record<string, string>> = {}): Response {
    const { 'content-type': _, ...own } = pageHeaders;
    return new Response(null, { status: 303, headers: { ...own, ...headers, location: to } });
  }

  hidden(caller: Caller, { id, digest: drawn }: Pick<InboxAsk, 'id' | 'digest'>, action: string) {
    return { token: this.parts.access.forms.create(caller, `${action} ${id}`, drawn), key: randomId() };
  }

  /** The fields of a form; a refusal if it comes from another site, or was rendered for another person. */
  async sent(
    { request, caller }: PageCall,
    subject: string,
  ): Promise<{ values: URLSearchParams; drawn: string } | Refusal> {
    const { access } = this.parts;
    const refused = access.formRefusal(request);
    if (refused !== undefined) return refused;
    const values = await formValues(request);
    const form = access.forms.open(caller, subject, values.get('token'));
    return form.type === 'refused' ? form : { values, drawn: form.drawn };
  }

  /** Does the work of a form once: the same form sent again gets the same result. `route` names the work. */
  async once<D extends { readonly type: string }>(
    { person }: Caller,
    route: string,
    values: URLSearchParams,
    work: (key: string) => Promise<D>,
  ): Promise<D | NotDone> {
    const key = keyIn(values);
    const call = { person, route: `page ${route}`, key, body: wordsIn(values), repeats: 'work' as const };
    const result = await this.parts.idempotency.once(call, async () => {
      const body = await work(key);
      return { status: body.type === 'received' ? 202 : 200, body, isRefused: refusals.has(body.type) };
    });
    return 'reply' in result ? result.reply.body : result;
  }
}

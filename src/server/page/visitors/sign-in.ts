/**
 * Signing in and out: the check that a person is signed in, the form for a token, and the end of a session. access/ identifies people.
 */
import { definedFields } from '../../../core/defined-fields.js';
import { cookieOf, setCookie } from '../../access/cookies.js';
import { homeOf } from '../layout.js';
import { signedOutPage, signInPage } from '../other-pages.js';
import { type PageCall, PageReplies } from '../replies.js';
import { formValues } from '../sent-forms.js';
import { texts } from '../texts.js';

/**
 * Marks a browser that was just redirected to sign in. An application that signs people in whom `authenticate` does not know would
 * otherwise redirect them for ever.
 */
const sentCookie = 'askback_sent_to_sign_in';
const sentFor = 5 * 60_000;

export class SignInPages extends PageReplies {
  /** Answers a person who is signed in. Others are asked to sign in, and return to this page. */
  signedIn(request: Request, answer: (call: PageCall) => Promise<Response>): Promise<Response> {
    return this.guarded(async () => {
      const caller = await this.parts.access.page(request);
      if (caller.type === 'caller')
        return answer({ request, url: new URL(request.url), caller, frame: await this.signedInFrame(caller) });
      return caller.code === 'unauthenticated' ? this.#signedOut(request) : this.refused(caller);
    });
  }

  /** Redirects where a page is opened. The script and a sent form get a page instead: a redirect would lose what was typed. */
  #signedOut(request: Request): Promise<Response> | Response {
    const { pathname, search } = new URL(request.url);
    const next = request.method === 'GET' ? `${pathname}${search}` : homeOf(this.base);
    const { signInUrl } = this.parts.options;
    const mode = request.headers.get('sec-fetch-mode');
    const isOpened = request.method === 'GET' && (mode === null || mode === 'navigate');
    const isInVain = isOpened && cookieOf(request.headers, sentCookie) !== undefined;
    if (signInUrl !== undefined && isOpened && !isInVain) return this.#toSignIn(signInUrl, request, next);
    if (signInUrl === undefined && this.parts.access.takesTokens)
      return this.reply(401, { title: texts.signInTitle, content: signInPage(this.base, { next }) });
    const where = signInUrl && this.#signInAddress(signInUrl, request, next);
    const content = signedOutPage(this.base, { where, next, isInVain });
    return this.reply(401, { title: texts.signedOut, content });
  }

  #toSignIn(signInUrl: string, request: Request, next: string): Response {
    const secure = this.parts.options.origin?.startsWith('https:') === true;
    const cookie = setCookie({ name: sentCookie, path: homeOf(this.base), secure }, '1', sentFor);
    return this.redirect(this.#signInAddress(signInUrl, request, next), { 'set-cookie': cookie });
  }

  #signInAddress(signInUrl: string, request: Request, next: string): string {
    const own = this.parts.options.origin ?? new URL(request.url).origin;
    const address = new URL(signInUrl, own);
    address.searchParams.set('next', signInUrl.startsWith('/') ? next : `${own}${next}`);
    return signInUrl.startsWith('/') ? `${address.pathname}${address.search}${address.hash}` : address.href;
  }

  async form(request: Request): Promise<Response> {
    const { signInUrl } = this.parts.options;
    if (signInUrl !== undefined) return this.redirect(this.#signInAddress(signInUrl, request, homeOf(this.base)));
    const { searchParams } = new URL(request.url);
    const token = searchParams.get('token')?.slice(0, 4096);
    const next = ownPath(this.base, searchParams.get('next'));
    const content = signInPage(this.base, { next, ...definedFields({ token }) });
    return this.reply(200, { title: texts.signInTitle, content });
  }

  async signIn(request: Request): Promise<Response> {
    const { access } = this.parts;
    const refused = access.formRefusal(request);
    if (refused !== undefined) return this.refused(refused);
    const values = await formValues(request);
    const next = ownPath(this.base, values.get('next'));
    const signed = await access.signIn(values.get('token')?.trim());
    if (signed.type === 'signed-in') return this.redirect(next, { 'set-cookie': signed.cookie });
    if (signed.code !== 'unauthenticated') return this.refused(signed);
    return this.reply(401, {
      title: texts.signInTitle,
      content: signInPage(this.base, { next, problem: texts.wrongToken }),
    });
  }

  async signOut(call: PageCall): Promise<Response> {
    const sent = await this.sent(call, 'sign-out');
    if ('type' in sent) return this.refused(sent);
    const { session } = call.caller;
    const cookie = session && (await this.parts.access.sessions.end(session));
    return this.redirect(`${this.base}/sign-in`, definedFields({ 'set-cookie': cookie }));
  }
}

/** A path of this inbox; the list for any other path, so that no redirect leads to another site. */
function ownPath(base: string, path: string | null): string {
  const home = homeOf(base);
  const inside = base === '' ? '/' : `${base}/`;
  const isOwn = path !== null && (path === home || path.startsWith(inside) || path.startsWith(`${base}?`));
  return isOwn && !/^\/\/|[^\x21-\x7e]|\\/.test(path) ? path : home; // a header takes ASCII only
}

/**
 * Replies to requests that are not for this inbox: another host, or a path that it is not mounted under. A browser gets a page, a program
 * JSON. Both say what was expected. Nothing is looked up here.
 */
import type { Refusal } from '../../access/refusal.js';
import { errorReply, refusalReply } from '../../api/errors.js';
import { responseOf } from '../../api/reply.js';
import { alonePage, alonePageHeaders } from '../layout.js';
import { texts } from '../texts.js';

/** A browser that opens a page says that it takes HTML; programs and scripts do not. */
const wantsPage = ({ headers }: Request): boolean => (headers.get('accept') ?? '').includes('text/html');

export async function wrongHostReply(request: Request, refused: Refusal): Promise<Response> {
  if (!wantsPage(request)) return responseOf(refusalReply(refused));
  return pageReply(refused.status, texts.wrongHostTitle, refused.message);
}

/** For a path that no route has: outside of the base path, it says where the inbox is. */
export async function noRouteReply(request: Request, base: string): Promise<Response> {
  const { pathname } = new URL(request.url);
  const isInside = pathname === base || pathname.startsWith(`${base}/`);
  const [title, more] = isInside
    ? [texts.notFoundTitle, texts.notFoundMore]
    : [texts.wrongPathTitle, texts.wrongPathMore(base, pathname)];
  if (wantsPage(request)) return pageReply(404, title, more);
  return responseOf(errorReply('not-found', isInside ? {} : { message: more }));
}

async function pageReply(status: number, title: string, more: string): Promise<Response> {
  return new Response(await alonePage(title, more), { status, headers: alonePageHeaders });
}

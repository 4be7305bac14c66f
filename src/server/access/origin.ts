/**
 * Where a request may come from. Pure functions of its headers; they give a refusal, or undefined if there is none.
 * `X-Forwarded-Host` and its like are never read: anybody can send them.
 */
import { wrongOption } from '../../core/check-options.js';
import { isLoopback, isSafeUrl } from '../../core/loopback.js';
import { type Refusal, refusal } from './refusal.js';

/** The option `origin`: the scheme and host that people see. A cookie is safe over https only, except on the machine itself. */
export function checkedOrigin(value: unknown, name: string): string {
  const wrong = () => wrongOption(name, "an origin such as 'https://inbox.example.com', or http on localhost", value);
  if (typeof value !== 'string' || !URL.canParse(value)) throw wrong();
  const url = new URL(value);
  const { origin, href } = url;
  if (!isSafeUrl(url) || href !== `${origin}/`) throw wrong(); // nothing but scheme, host and port
  return origin;
}

/** True if the inbox is for this machine only: it has no origin, or a loopback one. */
export function isLocal(origin: string | undefined): boolean {
  return origin === undefined || isLoopback(new URL(origin).host);
}

/**
 * The Host must be the one of `origin`; without it, one of this machine. A page of another site whose name was rebound to this
 * machine still sends its own name.
 */
export function hostRefusal(request: Request, origin: string | undefined): Refusal | undefined {
  const host = hostOf(request);
  const isOurs = origin === undefined ? isLoopback(host) : isHostOf(origin, host);
  return isOurs ? undefined : refusal('wrong-host');
}

function hostOf(request: Request): string {
  return (request.headers.get('host') ?? new URL(request.url).host).toLowerCase();
}

function isHostOf(origin: string, host: string): boolean {
  const { protocol, host: own } = new URL(origin);
  const port = protocol === 'https:' ? ':443' : ':80';
  return host === own || host === `${own}${port}`; // a URL leaves the standard port out
}

/** A change over the JSON API: a browser cannot send this content type to another site without being asked first. */
export function jsonRefusal({ headers }: Pick<Request, 'headers'>): Refusal | undefined {
  if (isContentType(headers, 'application/json')) return undefined;
  return refusal('wrong-content-type', 'Send the body as JSON, with Content-Type: application/json.');
}

/** A change by a form: from a page of ours, as the browser says. */
export function formRefusal(request: Request, origin: string | undefined): Refusal | undefined {
  if (!isContentType(request.headers, 'application/x-www-form-urlencoded'))
    return refusal('wrong-content-type', 'Send the form with Content-Type: application/x-www-form-urlencoded.');
  const site = request.headers.get('sec-fetch-site');
  const isOwn = site === null ? isOwnOrigin(request, origin) : site === 'same-origin';
  return isOwn ? undefined : refusal('wrong-origin');
}

/** A stream that a page of ours opens. A browser that says nothing about the site sends no cookie of ours from another one (SameSite). */
export function streamRefusal({ headers }: Request): Refusal | undefined {
  const site = headers.get('sec-fetch-site');
  return site === null || site === 'same-origin' ? undefined : refusal('wrong-origin');
}

function isOwnOrigin(request: Request, origin: string | undefined): boolean {
  const from = request.headers.get('origin');
  if (from === null) return false;
  if (origin !== undefined) return from === origin;
  const host = hostOf(request);
  return isLoopback(host) && (from === `http://${host}` || from === `https://${host}`);
}

/** The type alone, or with UTF-8 named as its charset. */
function isContentType(headers: Headers, type: string): boolean {
  const [given, parameter, ...more] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const isUtf8 = parameter === undefined || /^\s*charset="?utf-8"?\s*$/.test(parameter);
  return given?.trim() === type && isUtf8 && more.length === 0;
}

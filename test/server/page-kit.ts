/** What tests of the page share: a visitor without a browser, who fills in the forms that a page has. */
import { createInbox, type InboxOptions, type InboxPerson } from '../../src/server/index.js';
import { anna, boss, person, shop } from './kit.js';

export const otto = person('staff:otto', ['answer'], { name: 'Otto', roles: ['manager'] });
export const reader = person('staff:rita', ['read'], { name: 'Rita' });
export const everybody = [anna, boss, otto, reader];

/** Everybody is signed in by a header, as behind an application of one's own. */
export const byHeader = (people: readonly InboxPerson[]) => (request: Request) =>
  people.find(({ id }) => id === request.headers.get('x-user')) ?? null;

export interface Loaded {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A form of a page as a browser would send it without scripts: its hidden fields, and what a person fills in. */
export function formOf(text: string, action: string): { readonly action: string; readonly fields: URLSearchParams } {
  const form = [...text.matchAll(/<form[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].find(([, to]) =>
    to?.endsWith(action),
  );
  if (form === undefined) throw new Error(`The page has no form for ${action}.`);
  const fields = new URLSearchParams();
  for (const [, name = '', value = ''] of (form[2] ?? '').matchAll(
    /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
  ))
    fields.append(name, value);
  return { action: form[1] ?? '', fields };
}

export function visitor(fetch: (request: Request) => Promise<Response>, by: InboxPerson) {
  const load = async (path: string, init: RequestInit = {}): Promise<Loaded> => {
    const headers = new Headers({ 'x-user': by.id, ...(init.headers as Record<string, string> | undefined) });
    const response = await fetch(new Request(new URL(path, 'http://localhost'), { ...init, headers }));
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const post = (path: string, body: URLSearchParams | string, headers: Record<string, string> = {}) =>
    load(path, {
      method: 'POST',
      body: String(body),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
    });
  /** Sends a form of a page with these values, and follows the redirect to its result. */
  const send = async (page: Loaded, action: string, values: Readonly<Record<string, string | readonly string[]>>) => {
    const form = formOf(page.text, action);
    for (const [name, value] of Object.entries(values))
      for (const each of [value].flat()) form.fields.append(name, each);
    const sent = await post(form.action, form.fields);
    return sent.status === 303 ? load(sent.headers.get('location') ?? '') : sent;
  };
  return { load, post, send };
}

export async function pageShop(options: InboxOptions = {}, more: object = {}) {
  const here = await shop(more);
  const inbox = createInbox(here.registry, { authenticate: byHeader(everybody), ...options });
  const as = (by: InboxPerson) => visitor(inbox.fetch, by);
  return { ...here, inbox, as, anna: as(anna), boss: as(boss), otto: as(otto), reader: as(reader) };
}

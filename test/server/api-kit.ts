/** What tests of the JSON API share: the inbox of a shop, where everybody's token says who they are. */
import { inboxPort } from '../../src/registry/inbox/inbox-port.js';
import type { AgentRegistry } from '../../src/registry/registry.js';
import type { InboxPerson } from '../../src/server/index.js';
import { createInbox } from '../../src/server/index.js';
import { shop } from './kit.js';

/** A reply as a test reads it. */
export interface Replied {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON, which the test looks into
  readonly body: any;
  readonly headers: Headers;
}

export async function apiOf(more: object = {}) {
  const here = await shop(more);
  return { ...here, ...serving(here.registry) };
}

export const token = (person: InboxPerson): string =>
  `Bearer ${Buffer.from(JSON.stringify(person)).toString('base64url')}`;

/** The API of a registry. That of another registry on the same store is another replica. */
export function serving(registry: AgentRegistry) {
  const inbox = createInbox(registry, {
    authenticate: ({ headers }) => {
      const [, given = ''] = (headers.get('authorization') ?? '').split(' ');
      try {
        return JSON.parse(Buffer.from(given, 'base64url').toString()) as InboxPerson;
      } catch {
        return null;
      }
    },
  });
  const raw = async (path: string, init: RequestInit = {}): Promise<Replied> => {
    const response = await inbox.fetch(new Request(`http://localhost/inbox${path}`, init));
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body = isJson && text !== '' ? JSON.parse(text) : text;
    return { status: response.status, body, headers: response.headers };
  };
  /** A request of somebody who is known. */
  const api = (person: InboxPerson, method: string, path: string, sent?: object, headers: object = {}) => {
    const type = sent === undefined ? {} : { 'content-type': 'application/json' };
    const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
    return raw(`/api/v1${path}`, { method, headers: { authorization: token(person), ...type, ...headers }, ...body });
  };
  return { inbox, raw, api, port: registry[inboxPort] };
}

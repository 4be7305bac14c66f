/**
 * The reply of an endpoint, and the Response that is made of it. Every response of the API is made here.
 */

export interface ApiReply {
  readonly status: number;
  /** Plain data for JSON; a string is sent as plain text. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ok = (body: object): ApiReply => ({ status: 200, body });

/** No cache keeps it, no browser guesses another type, and no other site may read it: there is no CORS header. */
export function responseOf({ status, body, headers = {} }: ApiReply): Response {
  const isText = typeof body === 'string';
  return new Response(isText ? body : JSON.stringify(body), {
    status,
    headers: {
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}

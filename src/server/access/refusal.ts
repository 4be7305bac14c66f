/**
 * Why a request is not served, before anything is looked up. Whether something exists is never said here.
 */

const refusals = {
  unauthenticated: {
    status: 401,
    message: 'Nobody is signed in. Send Authorization: Bearer TOKEN, or sign in on the page.',
  },
  'authenticate-failed': { status: 503, message: 'Who is calling could not be found out. Try again later.' },
  'wrong-host': {
    status: 403,
    message:
      'The inbox is not served under this host. Set `origin` to the address that people use; without it only localhost is served.',
  },
  'wrong-origin': { status: 403, message: 'The request comes from another site. Open the page itself and try again.' },
  'wrong-form': { status: 403, message: 'The form is not of this page, or is too old. Reload the page and try again.' },
  'wrong-content-type': { status: 415, message: 'The content type is not taken here.' },
} as const;

/** What a refused request is told: a code that programs can compare. */
export type RefusalCode = keyof typeof refusals;

/** A request that is not served. */
export interface Refusal {
  readonly type: 'refused';
  readonly status: 401 | 403 | 415 | 503;
  readonly code: RefusalCode;
  readonly message: string;
}

export function refusal(code: RefusalCode, message: string = refusals[code].message): Refusal {
  return { type: 'refused', status: refusals[code].status, code, message };
}

/** The refusal as JSON, in the form of all errors of the API. */
export function refusalResponse({ status, code, message }: Refusal): Response {
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...challenge };
  return Response.json({ error: { code, message } }, { status, headers });
}

/**
 * The reasons why a request is refused before anything is looked up. None of them says whether something exists.
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

/** The reason of a refusal, for programs to compare. */
export type RefusalCode = keyof typeof refusals;

/** A request that is refused. */
export interface Refusal {
  readonly type: 'refused';
  readonly status: 401 | 403 | 415 | 503;
  readonly code: RefusalCode;
  readonly message: string;
}

export function refusal(code: RefusalCode, message: string = refusals[code].message): Refusal {
  return { type: 'refused', status: refusals[code].status, code, message };
}

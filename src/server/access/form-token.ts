/**
 * The token of a form: it says that we drew this form, for this caller and this subject, and what we drew. A form that another site
 * made up has none, and one that was drawn from older data says so.
 */
import { digest } from '../../core/ids.js';
import type { Keyring } from './keyring.js';

export interface FormOf {
  /** The caller's key: the session, the link, or the person of the host's own session. */
  readonly key: string;
  /** What the form is about, such as the path it is sent to. */
  readonly subject: string;
}

/** `drawn` is a digest of what was drawn, in letters, digits, - and _; empty where that does not matter. */
export function formToken(
  keys: Keyring,
  form: FormOf,
  { drawn, expiresAt }: { drawn: string; expiresAt: number },
): string {
  const claims = `v1.${Math.floor(expiresAt).toString(36)}.${drawn}`;
  return `${claims}.${keys.sign('form', signed(claims, form))}`;
}

/** What was drawn, or undefined if the token is not ours, not of this caller and subject, or too old. */
export function drawnIn(keys: Keyring, form: FormOf, token: unknown, now: number): string | undefined {
  const parts =
    typeof token === 'string' && token.length <= 512
      ? /^(v1\.([0-9a-z]{1,11})\.([\w-]*))\.([\w-]{43})$/.exec(token)
      : null;
  const [, claims, expiresAt, drawn, signature] = parts ?? [];
  if (claims === undefined || expiresAt === undefined || signature === undefined) return undefined;
  if (!keys.isSigned('form', signed(claims, form), signature)) return undefined;
  return now < Number.parseInt(expiresAt, 36) ? drawn : undefined;
}

const signed = (claims: string, { key, subject }: FormOf): string => digest(key, subject, claims);

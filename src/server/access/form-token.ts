/**
 * The tokens of forms. A token proves that the inbox rendered the form, for this caller and this subject, and from which data. A form that
 * another site made has none.
 */
import { digest } from '../../core/ids.js';
import type { Clock } from '../../machine/clock.js';
import type { Keyring } from './keyring.js';
import { type Refusal, refusal } from './refusal.js';

/** The caller that a form is rendered for: `key` is of their session, of their link, or of the person by the session of the application. */
interface FormCaller {
  readonly key: string;
  readonly expiresAt: number;
}

export class FormTokens {
  readonly #keys: Keyring;
  readonly #clock: Clock;

  constructor(keys: Keyring, clock: Clock) {
    [this.#keys, this.#clock] = [keys, clock];
  }

  /** `subject`: what the form is about. `drawn`: a digest of what the caller sees, in letters, digits, - and _, if that matters. */
  create({ key, expiresAt }: FormCaller, subject: string, drawn = ''): string {
    const claims = `v1.${Math.floor(expiresAt).toString(36)}.${drawn}`;
    return `${claims}.${this.#keys.sign('form', digest(key, subject, claims))}`;
  }

  /** The digest that the form was rendered with, or a refusal if it was not rendered for this caller and subject, or is too old. */
  open(
    { key }: Pick<FormCaller, 'key'>,
    subject: string,
    token: unknown,
  ): { readonly type: 'ours'; readonly drawn: string } | Refusal {
    const isShort = typeof token === 'string' && token.length <= 512;
    const parts = isShort ? /^(v1\.([0-9a-z]{1,11})\.([\w-]*))\.([\w-]{43})$/.exec(token) : null;
    const [, claims = '', expiresAt = '', drawn = '', signature = ''] = parts ?? [];
    const isOurs = parts !== null && this.#keys.isSigned('form', digest(key, subject, claims), signature);
    return isOurs && this.#clock.now() < Number.parseInt(expiresAt, 36)
      ? { type: 'ours', drawn }
      : refusal('wrong-form');
  }
}

/**
 * The keys of an inbox: derived from its secret, one for each purpose, so that what was signed for one purpose is worthless for
 * another. The first secret signs and seals; all of them verify and open, so that a secret can be replaced without signing anybody out.
 */
import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { secretBytes } from '../../machine/clock.js';
import { isEqualInConstantTime } from '../../machine/secrets.js';

/** What a key is for. */
export type KeyPurpose = 'session' | 'form' | 'link' | 'cursor';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export class Keyring {
  readonly #secrets: readonly string[];
  readonly #scope: string;
  readonly #keys = new Map<KeyPurpose, readonly Buffer[]>();

  /** `scope` is the base path: two inboxes with one secret take nothing from each other. */
  constructor(secrets: readonly string[], scope: string) {
    this.#secrets = secrets;
    this.#scope = scope;
  }

  sign(purpose: KeyPurpose, text: string): string {
    return signature(this.#first(purpose), text);
  }

  isSigned(purpose: KeyPurpose, text: string, given: string): boolean {
    return this.#all(purpose).some((key) => isEqualInConstantTime(signature(key, text), given));
  }

  /** Encrypts and authenticates (AES-256-GCM): an address shows nobody's id. */
  seal(purpose: KeyPurpose, text: string): string {
    const nonce = secretBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#first(purpose), nonce, { authTagLength: tagBytes });
    const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64url');
  }

  /** What was sealed, or undefined for anything else. */
  open(purpose: KeyPurpose, sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    // the decoder ignores what is no base64url, and two strings must not be one token
    if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined;
    for (const key of this.#all(purpose)) {
      const text = opened(key, bytes);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  #first(purpose: KeyPurpose): Buffer {
    return this.#all(purpose)[0] as Buffer; // there is at least one secret
  }

  #all(purpose: KeyPurpose): readonly Buffer[] {
    let keys = this.#keys.get(purpose);
    if (keys === undefined) {
      const info = JSON.stringify(['askback inbox 1', purpose, this.#scope]);
      keys = this.#secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', info, keyBytes)));
      this.#keys.set(purpose, keys);
    }
    return keys;
  }
}

function signature(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function opened(key: Buffer, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined; // made with another key, or changed
  }
}

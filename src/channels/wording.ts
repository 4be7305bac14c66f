/**
 * The words that a channel itself puts around what is said: in the language of whoever reads them, by the registry that started it.
 */
import { english } from '../core/wording/english.js';
import type { Wording } from '../core/wording/wording.js';
import type { Desk } from './port.js';

/** English where the desk has no languages, or the channel is not started. */
export function wordingIn(desk: Desk | undefined, locale: string | undefined): Wording {
  return desk?.wording?.(locale) ?? english.wording;
}

/**
 * A reply that is not accepted, with the reason in the wording table's terms. For the built-in answer types.
 */

import { english } from '../core/languages/english.js';
import type { Parsed } from '../core/question.js';
import type { Wording } from '../core/wording.js';

export function refusal(why: 'not-understood' | 'not-valid', say: (wording: Wording) => string): Parsed<never> {
  return { ok: false, why, problem: say(english.wording), say };
}

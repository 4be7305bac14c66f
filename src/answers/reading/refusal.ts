/**
 * Builds the refusal of a reply, with a sentence of the wording table. For the built-in answer types.
 */

import type { Parsed } from '../../core/ask/answer-type.js';
import { english } from '../../core/wording/english.js';
import type { Wording } from '../../core/wording/wording.js';

export function refusal(why: 'not-understood' | 'not-valid', say: (wording: Wording) => string): Parsed<never> {
  return { ok: false, why, problem: say(english.wording), say };
}

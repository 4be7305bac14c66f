/**
 * The digest of what a person is shown of an ask before they decide. It says whether the ask is still the one that they saw; it
 * never says what they may do with it.
 */
import { digest } from '../ids.js';
import type { Json } from '../json.js';
import { canonical } from '../json.js';
import type { Ask } from './ask.js';
import { promptOf, withoutSensitiveAnswer } from './ask.js';
import { toolOf } from './tool-call.js';

/** It changes with every part of the answer, such as a field of a form; a vote or a failed attempt does not change it. */
export function drawnDigest(ask: Ask): string {
  const { id, agentName, question, details = null, shape, kind, expiresAt = null, quorum = null } = ask;
  const { partial = null } = withoutSensitiveAnswer(ask); // a part that is not shown is not in the digest either
  const tool = toolOf(ask) ?? null;
  const drawn = { id, agentName, question, prompt: promptOf(ask), details, kind, expiresAt, quorum, tool, partial };
  return digest(canonical({ ...drawn, shape: shape as unknown as Json })); // plain data
}

/**
 * Words that usually call a question off, such as "stop", to a question that they answer: they name one of its options, or
 * its pattern fits. Never decides which words these are; the languages list them.
 */
import { builtInType } from '../../answers/built-in-types.js';
import type { FormData } from '../../answers/reading/form-reading.js';
import type { ReplyContext } from '../../core/ask/answer-type.js';
import { choicesOf, currentField } from '../../core/ask/answer-type.js';
import type { Ask, AskedQuestion } from '../../core/ask/ask.js';
import { shapeOf } from '../../core/ask/ask.js';
import type { Json } from '../../core/json.js';
import { replyWords } from '../../core/reply-words.js';

/** Whether words may be an answer to what is asked now because its options or its pattern say so, not because anything fits. */
export function provesWords(ask: Ask): boolean {
  return provingPart(ask) !== undefined;
}

/** Whether they are, or name a part of what is asked. */
export async function isProvenAnswer(ask: Ask, reply: string, context: ReplyContext): Promise<boolean> {
  const part = provingPart(ask);
  const type = part && builtInType(part.kind);
  if (part === undefined || type === undefined) return false;
  const { partial: _, ...asked } = context; // of the whole form
  const asksFor = shapeOf(ask);
  const { shape = asksFor, text: question = ask.question.text } = currentField(asksFor) ?? {};
  // "cancel" beside "Cancel booking", or under "Cancel the order?", may mean that: it is asked again
  const asks = [...choicesOf(shape).map(({ label }) => label), question].join('\n');
  if (withOptions.has(part.kind) && hasWords(asks, reply)) return true;
  const parsed = await type.parse(reply, part.data, undefined, { ...asked, shape, question });
  return parsed.ok || parsed.why === 'more';
}

/** The question, or the field of a form that is asked for now, if it has options or a pattern. */
function provingPart(ask: Ask): Pick<AskedQuestion, 'kind' | 'data'> | undefined {
  const { question, progress } = ask;
  const { other, inner } = (progress.part?.partial ?? {}) as { readonly other?: Json; readonly inner?: Json }; // as their types store it
  if (other !== undefined || inner !== undefined) return undefined; // an answer in their own words
  const name = currentField(shapeOf(ask))?.name;
  const form = question.kind === 'form' ? (question.data as unknown as FormData) : undefined;
  const part = form === undefined ? question : form.fields.find((field) => field.name === name);
  if (part === undefined) return undefined;
  const isProving = part.kind === 'text' ? hasPattern(part.data) : withOptions.has(part.kind);
  return isProving ? { kind: part.kind, data: part.data } : undefined;
}

function hasWords(text: string, reply: string): boolean {
  const stem = (word: { readonly text: string }) => word.text.slice(0, 5); // "annulez" and "annuler"
  const stems = new Set(replyWords(text.replace(/[?¿]/g, ' ')).words.map(stem));
  return replyWords(reply).words.some((word) => word.text.length > 2 && stems.has(stem(word)));
}

const withOptions: ReadonlySet<string> = new Set(['choice', 'choices', 'confirm']);

function hasPattern(data: Json): boolean {
  return (data as { readonly pattern?: Json } | null)?.pattern !== undefined;
}

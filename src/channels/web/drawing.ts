/**
 * What happened in a conversation, as JSON for the page of the web chat. Text is made inert, and only what the person may see is in it.
 */
import type { Followed, FollowedItem } from '../../core/conversation/said.js';
import { definedFields } from '../../core/defined-fields.js';
import { inert } from '../../core/text.js';
import { inertShape } from '../inert-shape.js';
import { withoutField } from '../whole-form.js';

/** A batch of items, the place behind them, and whether to draw the conversation anew. */
export function drawnBatch({ items, cursor, gap }: Followed): object {
  return { items: items.map(drawnItem), cursor, ...definedFields({ gap }) };
}

function drawnItem(item: FollowedItem): object {
  const at = item.at.toISOString();
  if (item.type === 'received') {
    const { id, text, control } = item;
    return { type: 'in', id, at, text: inert(text), ...definedFields({ control }) };
  }
  if (item.type === 'decided') {
    const { askId, status, answer } = item;
    return { type: 'decided', at, askId, status, ...definedFields({ answer: answer && inert(answer) }) };
  }
  const { message, mayAnswer, answer } = item;
  const { key, text, ask, shape, hint, only } = message;
  const said = {
    type: 'out',
    key,
    at,
    text: inert(withoutField(text, shape)),
    ...definedFields({ only: only && true }),
  };
  if (ask === undefined) return said;
  const question = {
    id: ask.id,
    status: ask.status,
    shape: inertShape(shape),
    ...definedFields({
      mine: mayAnswer,
      answer: answer && inert(answer),
      hint: hint && inert(hint),
      details: ask.details && Object.entries(ask.details).map((pair) => pair.map(inert)),
      expiresAt: ask.expiresAt?.toISOString(),
      sensitive: ask.sensitive,
    }),
  };
  return { ...said, ask: question };
}

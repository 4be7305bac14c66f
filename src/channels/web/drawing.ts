/**
 * Writes what happened in a conversation as JSON for the page of the web chat. Makes text inert, and leaves out what the participant may
 * not see.
 */
import type { ChatBatch, ChatItem, SaidItem } from '../../browser/chat/wire.js';
import type { Followed, FollowedItem } from '../../core/conversation/said.js';
import { definedFields } from '../../core/defined-fields.js';
import { inert } from '../../core/text.js';
import { inertShape } from '../inert-shape.js';
import { withoutField } from '../whole-form.js';

/** Returns the items and the cursor behind them. */
export function drawnBatch({ items, cursor, gap }: Followed): ChatBatch {
  return { items: items.map(drawnItem), cursor, ...definedFields({ gap }) };
}

function drawnItem(item: FollowedItem): ChatItem {
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
  const said: SaidItem = {
    type: 'out',
    key,
    at,
    text: inert(withoutField(text, shape)),
    ...(only !== undefined && { only: true }),
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
      details: ask.details && Object.entries(ask.details).map(([name, value]) => [inert(name), inert(value)] as const),
      expiresAt: ask.expiresAt?.toISOString(),
      sensitive: ask.sensitive,
    }),
  };
  return { ...said, ask: question };
}

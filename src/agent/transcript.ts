/**
 * The conversation so far as messages for a model: bounded, oldest first, without private content.
 */
import type { ModelMessage } from '../core/agent.js';
import type { Turn } from '../registry/turn/turn.js';

export async function transcript(turn: Turn): Promise<readonly ModelMessage[]> {
  const items = await turn.history(turn.context.settings.transcript);
  return items.flatMap((item): ModelMessage[] => {
    if (item.type === 'in') return item.text === '' ? [] : [{ role: 'user', content: item.text }];
    return item.type === 'out' ? [{ role: 'assistant', content: item.text }] : [];
  });
}

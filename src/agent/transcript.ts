/**
 * The conversation so far as messages for a model: bounded, oldest first, without private content. A question stands there with
 * its options, and a choice by its label, as the person saw them.
 */
import type { ModelMessage } from '../core/agent.js';
import type { Choice } from '../core/ask/answer-type.js';
import { choicesOf } from '../core/ask/answer-type.js';
import { findAsk } from '../core/conversation/conversation.js';
import type { HistoryItem } from '../core/conversation/history.js';
import type { Turn } from '../registry/turn/turn.js';
import { settledAsk } from '../registry/work/work-item.js';

export async function transcript(turn: Turn): Promise<readonly ModelMessage[]> {
  const items = await turn.history(turn.context.settings.transcript);
  const choices = await choicesIn(turn, items);
  return items.flatMap((item): ModelMessage[] => {
    if (item.type === 'in' && item.disposition.type === 'ignored') return []; // an interceptor dropped it: it was not for the agent
    if (item.type === 'in') return item.text === '' ? [] : [{ role: 'user', content: chosenIn(item, choices) }];
    return item.type === 'out' ? [{ role: 'assistant', content: askedIn(item, choices) }] : [];
  });
}

type ChoicesByAsk = ReadonlyMap<string, readonly Choice[]>;

/** The options of the questions among these items. Beside a call of a model, looking up a few asks costs nothing. */
async function choicesIn(turn: Turn, items: readonly HistoryItem[]): Promise<ChoicesByAsk> {
  const ids = new Set(items.flatMap((item) => (item.type === 'out' && item.askId !== undefined ? [item.askId] : [])));
  const found = await Promise.all(
    [...ids].map(async (id) => findAsk(turn.written, id) ?? settledAsk(turn.context, id, turn.conversationId)),
  );
  return new Map(found.flatMap((ask) => (ask === undefined ? [] : [[ask.id, choicesOf(ask.shape)] as const])));
}

function askedIn({ askId, text }: Extract<HistoryItem, { type: 'out' }>, choices: ChoicesByAsk): string {
  const options = choices.get(askId ?? '') ?? [];
  return options.length === 0 ? text : `${text}\nOptions: ${options.map(({ label }) => label).join(', ')}`;
}

/** A pressed control stands in the history by its id. */
function chosenIn({ text, disposition }: Extract<HistoryItem, { type: 'in' }>, choices: ChoicesByAsk): string {
  const askId = 'askId' in disposition ? disposition.askId : undefined;
  const options = choices.get(askId ?? '') ?? [];
  const labelOf = (id: string): string | undefined => options.find((option) => option.id === id)?.label;
  const labels = text.split(',').map((id) => labelOf(id));
  return labelOf(text) ?? (labels.includes(undefined) ? text : labels.join(', '));
}

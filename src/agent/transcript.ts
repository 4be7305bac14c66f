/**
 * The conversation so far as messages for a model: bounded, oldest first, without private content. A question stands there with
 * its options, and a choice by its label, as the person saw them. What did not count never stands there as an answer.
 */
import type { ModelMessage } from '../core/agent.js';
import type { Choice } from '../core/ask/answer-type.js';
import { choicesOf } from '../core/ask/answer-type.js';
import { shapeOf } from '../core/ask/ask.js';
import { findAsk } from '../core/conversation/conversation.js';
import type { Disposition } from '../core/conversation/entry.js';
import type { HistoryItem } from '../core/conversation/history.js';
import { historyOf } from '../registry/turn/remembering.js';
import type { Turn } from '../registry/turn/turn.js';
import { settledAsk } from '../registry/work/read-turn.js';

export async function transcript(turn: Turn): Promise<readonly ModelMessage[]> {
  const items = await historyOf(turn, turn.context.settings.transcript);
  const choices = await choicesIn(turn, items);
  return items.flatMap((item): ModelMessage[] => {
    if (item.type === 'out') return [{ role: 'assistant', content: askedIn(item, choices) }];
    const content = item.type === 'in' ? saidIn(item, choices) : '';
    return content === '' ? [] : [{ role: 'user', content }];
  });
}

type Incoming = Extract<HistoryItem, { type: 'in' }>;

const uncounted = 'This did not count as an answer.';

/** The remark beside a message, by its disposition: empty if the message counts, undefined if the model is not shown it. */
const remarks: Readonly<Record<Disposition['type'], string | undefined>> = {
  accepted: '',
  partial: '',
  declined: '',
  ordinary: '',
  control: '',
  voted: 'This was one vote, and did not decide the question.',
  failed: 'An error interrupted the handling of this.',
  insufficient: uncounted,
  'not-authorised': uncounted,
  invalid: uncounted,
  late: uncounted,
  already: uncounted,
  outdated: uncounted,
  ignored: undefined, // an interceptor dropped it: it was not for the agent
};

/** A message as the model is shown it; empty if it is not. A control or a call of the API that did not count has no words to show. */
function saidIn(item: Incoming, choices: ChoicesByAsk): string {
  const remark = remarks[item.disposition.type];
  const isWritten = item.channel !== undefined && item.control !== true;
  if (remark === undefined || item.text === '' || (remark === uncounted && !isWritten)) return '';
  const words = remark === uncounted ? item.text : chosenIn(item, choices);
  return remark === '' ? words : `${words}\n[${remark}]`;
}

type ChoicesByAsk = ReadonlyMap<string, readonly Choice[]>;

/** The options of the questions among these items. Beside a call of a model, looking up a few asks costs nothing. */
async function choicesIn(turn: Turn, items: readonly HistoryItem[]): Promise<ChoicesByAsk> {
  const ids = new Set(items.flatMap((item) => (item.type === 'out' && item.askId !== undefined ? [item.askId] : [])));
  const found = await Promise.all(
    [...ids].map(async (id) => findAsk(turn.written, id) ?? settledAsk(turn.context, id, turn.conversationId)),
  );
  return new Map(found.flatMap((ask) => (ask === undefined ? [] : [[ask.id, choicesOf(shapeOf(ask))] as const])));
}

function askedIn({ askId, text }: Extract<HistoryItem, { type: 'out' }>, choices: ChoicesByAsk): string {
  const options = choices.get(askId ?? '') ?? [];
  return options.length === 0 ? text : `${text}\nOptions: ${options.map(({ label }) => label).join(', ')}`;
}

/** A pressed control stands in the history by its id. */
function chosenIn({ text, disposition }: Incoming, choices: ChoicesByAsk): string {
  const askId = 'askId' in disposition ? disposition.askId : undefined;
  const options = choices.get(askId ?? '') ?? [];
  const labelOf = (id: string): string | undefined => options.find((option) => option.id === id)?.label;
  const labels = text.split(',').map((id) => labelOf(id));
  return labelOf(text) ?? (labels.includes(undefined) ? text : labels.join(', '));
}

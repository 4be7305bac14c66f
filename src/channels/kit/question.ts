/** What a question needs on every platform with buttons, whatever draws it. It draws nothing itself. */
import type { Field } from '../../core/ask/answer-type.js';
import { withoutPrefix } from '../../core/ask/drawn.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { readableAnswer } from '../../core/conversation/said.js';
import { oneLine } from '../../core/text.js';
import type { Wording } from '../../core/wording/wording.js';

/** A message that asks. */
export type QuestionMessage = OutgoingMessage & { readonly ask: NonNullable<OutgoingMessage['ask']> };

/** The address of the page where an ask can be answered; undefined for one that no browser should open. */
export function pageOf(askId: string, inboxUrl: ((askId: string) => string) | undefined): string | undefined {
  const url = inboxUrl?.(askId);
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
}

/** Colours the buttons of confirmations and approvals by what they answer. */
export function buttonStyle(optionId: string): { readonly style?: 'primary' | 'danger' } {
  if (optionId === 'yes' || optionId === 'once') return { style: 'primary' };
  return optionId === 'deny' ? { style: 'danger' } : {};
}

/** How a question ended and who decided, and the same with the answer where it is no secret. `drawName` makes a name fit to be shown. */
export function endOf(
  { ask, shape }: QuestionMessage,
  wording: Wording,
  drawName: (name: string) => string,
): { readonly over: string; readonly withAnswer: string } {
  const { status, decidedBy: by } = ask;
  if (status === 'pending') return { over: '', withAnswer: '' };
  const name = drawName(by?.name ?? '');
  const over = oneLine(wording.ended(status, by === undefined || name === '' ? undefined : { ...by, name }));
  const answer = readableAnswer({ ...ask, shape } as Parameters<typeof readableAnswer>[0]); // its value is plain data
  return { over, withAnswer: answer === undefined ? over : `${over}: ${answer}` };
}

/** The fields of a form that is filled in at once: their options have ids of their own, without the name of the field before them. */
export function fieldsAtOnce(fields: readonly Field[]): Field[] {
  return fields.map((field) => ({ ...field, shape: withoutPrefix(field.shape, `${field.name}/`) }));
}

/** What was typed into an input of a modal; undefined for nothing. A number that a program would round stays as it was typed. */
export function typedValue(typed: string, isNumber: boolean): string | number | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const isExact = /^[+-]?(?=[\d.]{1,15}$)\d+(?:\.\d+)?$/.test(text);
  return isNumber && isExact ? Number(text) : typed;
}

/**
 * A question, with the controls to answer it, or with what became of it.
 */
import { el } from '../../elements.js';
import type { AskedItem } from '../conversation.js';
import type { PendingMessage } from '../outbox.js';
import { parkFocus } from '../panel.js';
import { send } from '../sending.js';
import { texts } from '../settings.js';
import type { DecidedItem, OptionsShape, PostedReply, ShownOption, ShownQuestion } from '../wire.js';
import { controlFor, shownLabel } from './control.js';
import { newElementId, type ShownEntry, words } from './words.js';

type Decision = Pick<DecidedItem, 'status' | 'answer'>;

/** Takes what was chosen, and how that is shown. */
type Press = (reply: PostedReply, label: string) => void;

/** More options than these are a list. */
const mostButtons = 6;

/** A question that was asked again has its controls where it stands last. */
export function questionElement({ text, ask }: AskedItem, decision: Decision | undefined, isLast: boolean): ShownEntry {
  const id = newElementId();
  const box = el('div', { class: 'bubble' }, el('p', { id }, words(text)));
  const node = el('li', { class: 'theirs ask', tabindex: '-1' }, box);
  if (!isLast) return { node };
  if (ask.details !== undefined) box.append(detailsOf(ask.details));
  if (decision === undefined) return openQuestionElement(ask, id, node, box);
  if (ask.shape.type === 'choices') box.append(buttons(ask.shape, id, decision.answer));
  node.append(el('p', { class: 'note' }, ...outcomeOf(decision)));
  return { node };
}

function detailsOf(details: NonNullable<ShownQuestion['details']>): HTMLElement {
  return el('dl', {}, ...details.flatMap(([name, value]) => [el('dt', {}, words(name)), el('dd', {}, words(value))]));
}

function outcomeOf({ status, answer }: Decision): readonly (Node | string)[] {
  if (status !== 'answered') return [status === 'pending' ? '' : texts[status]];
  if (!answer) return [texts.answeredPlain];
  return [texts.answered + (answer.includes('\n') ? '\n' : ' '), words(answer)];
}

function openQuestionElement(ask: ShownQuestion, id: string, node: HTMLElement, box: HTMLElement): ShownEntry {
  node.classList.add('open');
  const note = el('p', { class: 'note' }, ask.mine ? '' : texts.others);
  node.append(note);
  if (!ask.mine) return { node };
  node.classList.add('yours');
  const controls = controlsOf(ask, id);
  if (controls !== undefined) box.append(controls);
  const until = ask.expiresAt === undefined ? '' : `${texts.until} ${new Date(ask.expiresAt).toLocaleString()}`;
  /** While an answer is on its way the controls keep what was entered: an answer that is refused can be corrected. */
  const setPress = (press: PendingMessage | undefined) => {
    const isBusy = press !== undefined && press.state !== 'failed';
    for (const control of box.querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input'))
      control.disabled = isBusy;
    note.textContent = isBusy ? texts.sending : until;
  };
  return { node, setPress };
}

/** Returns the controls of an open question; undefined if it is answered in the composer. */
function controlsOf(ask: ShownQuestion, id: string): HTMLElement | undefined {
  const { shape } = ask;
  const press: Press = (reply, label) => {
    parkFocus();
    send({ askId: ask.id, ...reply }, { label, secret: ask.sensitive === true });
  };
  if (shape.type === 'text' && shape.input === undefined) return undefined;
  const isShort = shape.type === 'choices' && !shape.many && shape.choices.length <= mostButtons;
  return isShort ? buttons(shape, id, undefined, press) : formOf(shape, id, press);
}

/** A button for each option. Without `press` they show what was chosen. */
function buttons(shape: OptionsShape, id: string, chosen: string | undefined, press?: Press): HTMLElement {
  const several = shape.many ? (chosen ?? '').split(', ') : [chosen];
  const button = (choice: ShownOption, index: number) => {
    const isChosen = chosen === choice.label || several.includes(choice.label);
    const attributes = {
      type: 'button',
      disabled: press === undefined,
      class: isChosen ? 'chosen' : '',
      'aria-pressed': press === undefined ? String(isChosen) : undefined,
      onclick: press && (() => press({ choice: choice.id }, choice.label)),
    };
    return el('button', attributes, words(shownLabel(shape, choice, index)));
  };
  return el('fieldset', { role: 'group', 'aria-labelledby': id }, ...shape.choices.map(button));
}

/** A form for each other shape. A question of one part is a form with one control. */
function formOf(shape: ShownQuestion['shape'], id: string, press: Press): HTMLElement {
  const fields = shape.type === 'fields' ? shape.fields : [{ name: '', shape, optional: false }];
  const controls = fields.map((field) => controlFor(field, id));
  const submit = el('div', {}, el('button', { class: 'main' }, texts.send));
  const attributes = { class: 'fields', 'aria-labelledby': id };
  const form = el('form', attributes, ...controls.map(({ node }) => node), submit);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const missing = controls.filter((control) => control.complain());
    if (missing.length > 0) return missing[0]?.focus();
    const values = Object.fromEntries(controls.map(({ name, value }) => [name, value()]));
    if (shape.type === 'fields') return press({ value: values }, '');
    const value = values[''];
    if (shape.type === 'text') return press({ text: `${value}` }, `${value}`);
    const ids = [value].flat().map(String);
    const labels = shape.choices.filter(({ id }) => ids.includes(id)).map(({ label }) => label);
    press({ choice: shape.many ? ids : `${value}` }, labels.join(', '));
  });
  return form;
}

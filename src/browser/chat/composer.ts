/**
 * The field in which the visitor writes. What is written is kept as a draft, except the answer to a sensitive question.
 */
import { openQuestion } from './conversation.js';
import { composer, input } from './panel.js';
import { send } from './sending.js';
import { texts } from './settings.js';
import { keep, kept } from './storage.js';

/** Whether what is written now answers a sensitive question. */
function isSecret(): boolean {
  const ask = openQuestion()?.ask;
  return Boolean(ask?.sensitive && ask.mine);
}

/** Puts the draft that was kept into an empty field. */
export function restoreDraft(): void {
  const draft = kept('draft');
  if (typeof draft === 'string' && input.value === '') input.value = draft;
}

export function listenToComposer(): void {
  input.addEventListener('input', () => {
    if (!isSecret()) keep('draft', input.value);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    composer.requestSubmit();
  });
  composer.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value;
    if (text.trim() === '') return;
    const secret = isSecret();
    send({ text }, { label: secret ? texts.hidden : text, secret });
    input.value = '';
    keep('draft', null);
  });
}

/**
 * What a form that was sent back carries beside its answer, and what is said where its decision was not taken.
 */
import { Buffer } from 'node:buffer';
import { FormFields, limitedBody } from '../../channels/http.js';
import { randomId } from '../../machine/clock.js';
import { isIdempotencyKey } from '../idempotency.js';
import type { PageNotice } from './detail.js';
import { texts } from './texts.js';

const mostBytes = 128 * 1024;

/** The fields of a form. The content type was looked at before. */
export async function formValues(request: Request): Promise<FormFields> {
  return new FormFields(new TextDecoder().decode(await limitedBody(request, mostBytes)));
}

export const reasonIn = (values: URLSearchParams): string | undefined =>
  values.get('reason')?.trim().slice(0, 1000) || undefined;

/** The id of the call. A form of ours has one; without it each sending is a call of its own. */
export function keyIn(values: URLSearchParams): string {
  const key = values.get('key') ?? '';
  return isIdempotencyKey(key) ? key : randomId();
}

/** What the person says by the form, without what we put into it. */
export function wordsIn(values: URLSearchParams): Uint8Array {
  const words = new URLSearchParams(values);
  for (const ours of ['token', 'key']) words.delete(ours);
  return Buffer.from(words.toString());
}

/** What is said where the form was sent before with other words. `isOpen`: the person can still answer. */
export function sentBeforeNotice(isOpen: boolean, written: readonly string[]): PageNotice {
  const more = isOpen ? texts.sentBeforeOpen : texts.sentBeforeMore;
  return { tone: 'bad', title: texts.sentBeforeTitle, more, written };
}

/** What is said where a decision was not taken, with what the person had written. */
export function refusedNotice(
  why: 'already' | 'late' | 'changed' | 'refused',
  written: readonly string[],
): PageNotice & { readonly status: number } {
  const said = {
    already: { status: 409, title: texts.alreadyTitle, more: texts.alreadyMore },
    late: { status: 409, title: texts.lateTitle, more: texts.lateMore },
    changed: { status: 409, title: texts.changedTitle, more: texts.changedMore },
    refused: { status: 403, title: texts.refusedTitle, more: texts.refusedMore },
  };
  return { tone: 'bad', written, ...said[why] };
}

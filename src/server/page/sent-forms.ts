/**
 * What a form that was sent back carries beside its answer, and what is said where its decision was not taken.
 */
import { limitedBody } from '../../channels/http.js';
import { digest } from '../../core/ids.js';
import { randomId } from '../../machine/clock.js';
import type { PageNotice } from './detail.js';
import { texts } from './texts.js';

const mostBytes = 128 * 1024;

/** The fields of a form. The content type was looked at before. */
export async function formValues(request: Request): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await limitedBody(request, mostBytes)));
}

export const reasonIn = (values: URLSearchParams): string | undefined =>
  values.get('reason')?.trim().slice(0, 1000) || undefined;

/**
 * The same form sent again with the same words is the same call: a double click, a reload. One that was corrected after "back" is another,
 * because its first words may have been no answer.
 */
export const keyOf = (values: URLSearchParams): string =>
  digest('form', values.get('key') || randomId(), values.toString());

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

/**
 * Server-sent events as text: the wire format alone. A block without data fires no event in the browser; its id is remembered all
 * the same.
 */

/** What one block of the stream says. */
export interface LiveFrame {
  readonly event?: string;
  /** One line: JSON has no line breaks outside strings, and escapes them inside. */
  readonly data?: string;
  /** From where the client goes on when it comes back. */
  readonly id?: string | undefined;
  /** After how many ms the client comes back. */
  readonly retry?: number | undefined;
  /** For nobody: it keeps proxies from closing a stream on which nothing happens. */
  readonly comment?: string;
}

export function frameText({ event, data, id, retry, comment }: LiveFrame): string {
  let text = '';
  if (comment !== undefined) text += `: ${comment}\n`;
  if (retry !== undefined) text += `retry: ${Math.round(retry)}\n`;
  if (id !== undefined) text += `id: ${id}\n`;
  if (event !== undefined) text += `event: ${event}\n`;
  if (data !== undefined) text += `data: ${data}\n`;
  return `${text}\n`;
}

export const streamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

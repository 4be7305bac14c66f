/**
 * Redis's wire format, as far as somebody in the middle needs it: where one command or one reply ends.
 */

export interface Told {
  readonly args: readonly string[];
  /** Where the next command begins. */
  readonly end: number;
}

/** The command that begins at `from`; undefined while a part of it is missing. */
export function commandAt(bytes: Buffer, from: number): Told | undefined {
  const line = lineAt(bytes, from);
  if (line === undefined) return undefined;
  if (!line.text.startsWith('*')) return { args: line.text.split(' '), end: line.end };
  const args: string[] = [];
  let at = line.end;
  for (let left = Number(line.text.slice(1)); left > 0; left -= 1) {
    const size = lineAt(bytes, at);
    if (size === undefined) return undefined;
    const end = size.end + Number(size.text.slice(1));
    if (bytes.length < end + 2) return undefined;
    args.push(bytes.toString('latin1', size.end, end)); // an argument may be no text
    at = end + 2;
  }
  return { args, end: at };
}

/** Where the reply that begins at `from` ends; undefined while a part of it is missing. Both RESP2 and RESP3. */
export function replyEnd(bytes: Buffer, from: number): number | undefined {
  const line = lineAt(bytes, from);
  if (line === undefined) return undefined;
  const type = line.text.charAt(0);
  const size = Number(line.text.slice(1));
  if ('$=!'.includes(type)) {
    if (size < 0) return line.end;
    const end = line.end + size + 2;
    return bytes.length < end ? undefined : end;
  }
  if (!'*~>%|'.includes(type)) return line.end;
  const parts = type === '%' ? 2 * size : type === '|' ? 2 * size + 1 : size; // an attribute stands before its reply
  let at: number | undefined = line.end;
  for (let left = parts; left > 0 && at !== undefined; left -= 1) at = replyEnd(bytes, at);
  return at;
}

/** Something nobody asked for: a message of a channel that is subscribed to. */
export const isPush = (bytes: Buffer, from: number): boolean => bytes[from] === 0x3e;

function lineAt(bytes: Buffer, from: number): { text: string; end: number } | undefined {
  const end = bytes.indexOf('\r\n', from);
  return end < 0 ? undefined : { text: bytes.toString('latin1', from, end), end: end + 2 };
}

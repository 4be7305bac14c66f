/** The fields of a message that a person wrote on a chat platform: its text, its files, and whether it can be an answer. */
import { isBlank, withoutControls } from '../../core/text.js';
import type { OwnWords } from '../own-words.js';
import type { IncomingMessage } from '../port.js';

interface Written {
  /** What was typed; undefined if nothing of it is the author's. */
  readonly typed: OwnWords | undefined;
  /** What to take for the text if nothing was typed. */
  readonly otherwise?: string;
  /** The names of the files. */
  readonly files: readonly string[];
  /** True if the message mentions the app. */
  readonly isMentioned: boolean;
}

/** A message of files alone names them in its text. A file is no answer, whatever it is called. */
export function writtenFields({
  typed,
  otherwise = '',
  files,
  isMentioned,
}: Written): Pick<IncomingMessage, 'text' | 'data' | 'wordless'> {
  const isOnlyFiles = files.length > 0 && isBlank(typed?.text ?? '');
  const data = {
    ...(isMentioned ? { mentioned: true } : {}),
    ...(files.length > 0 ? { attachments: files } : {}),
  };
  return {
    text: isOnlyFiles ? files.map((file) => `[attachment: ${file}]`).join('\n') : (typed?.text ?? otherwise),
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...(isOnlyFiles || typed === undefined || typed.isNoAnswer ? { wordless: true } : {}),
  };
}

/** The first of these that is a name, without control characters and at most this long. */
export function personName(candidates: readonly unknown[], most: number): string | undefined {
  const found = candidates.find((each): each is string => typeof each === 'string' && !isBlank(each));
  return found === undefined ? undefined : withoutControls(found).slice(0, most).toWellFormed();
}

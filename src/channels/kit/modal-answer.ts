/**
 * The answer of a modal: handed to the desk, with what is wrong shown in the modal while it is open, or sent to the person once it is
 * closed. It draws nothing: the channel does.
 */
import type { Handled } from '../../core/conversation/said.js';
import { failureOf } from '../../core/errors.js';
import type { Logger } from '../../core/events.js';
import type { Desk, IncomingMessage } from '../port.js';

/** How long a modal stays open for a slow handler, in ms. Platforms wait for three seconds. */
const openWithin = 2_000;
/** How long the outcome is waited for after the modal was closed, in ms. */
const lateWithin = 60_000;

/** How the person is told. */
export interface ModalSender {
  /** The name of the channel, for the log. */
  readonly channel: string;
  readonly logger: Logger;
  /** Sends what is wrong as a direct message. Its errors are logged, so they must not quote secrets. */
  tell(problem: string): Promise<unknown>;
}

/**
 * Records the answer. Resolves with what is wrong, for the modal that is still open; undefined if the answer is accepted, or if its outcome
 * is not known yet. A problem that is found later is sent by `sender.tell`. Rejects if the answer is not recorded.
 */
export async function problemOfModal(
  desk: Desk,
  message: IncomingMessage,
  sender: ModalSender,
): Promise<string | undefined> {
  if (desk.handle === undefined) {
    await desk.receive(message);
    return undefined;
  }
  const answer = { ...message, tellsProblem: true };
  const handled = await desk.handle(answer, { timeout: openWithin });
  if (handled.disposition.type === 'received') void tellLate(desk, answer, sender);
  return problemIn(handled);
}

async function tellLate(desk: Desk, answer: IncomingMessage, { channel, logger, tell }: ModalSender): Promise<void> {
  try {
    const handled = await desk.handle?.(answer, { timeout: lateWithin });
    const problem = handled && problemIn(handled);
    if (problem !== undefined) await tell(problem);
  } catch (error) {
    const about = { channel, askId: answer.askId, failure: failureOf(error) };
    logger.warn('The sender of a modal could not be told what is wrong with the answer', about);
  }
}

function problemIn({ disposition }: Handled): string | undefined {
  return disposition.type === 'invalid' ? disposition.problem : undefined;
}

/**
 * What is wrong, by the id of the input that it is about. Each line of a problem begins with the text of its field; of several texts that
 * fit, the longest counts. A line that begins with none is about the first input.
 */
export function problemsByInput(
  problem: string,
  inputs: readonly { readonly id: string; readonly text: string }[],
  otherwise: string,
): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const line of problem.split('\n')) {
    const [about = inputs[0]] = inputs
      .filter(({ text }) => text !== '' && line.startsWith(`${text} `))
      .sort((a, b) => b.text.length - a.text.length);
    const id = about?.id ?? otherwise;
    errors[id] = errors[id] === undefined ? line : `${errors[id]} ${line}`;
  }
  return errors;
}

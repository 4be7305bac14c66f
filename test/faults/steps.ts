/** The store's steps as they look on the wire: which script a command runs, and what a save is for. */
import { createHash } from 'node:crypto';
import { lead } from '../../src/stores/redis/scripts/numbers.js';
import { gone, lend, lendOf, ready, sent } from '../../src/stores/redis/scripts/outbox.js';
import { conversation, erase, history, list, outcome, participant } from '../../src/stores/redis/scripts/read.js';
import { save, saveNumbers } from '../../src/stores/redis/scripts/save.js';
import { swapSave, swapTake } from '../../src/stores/redis/scripts/swap.js';
import { take } from '../../src/stores/redis/scripts/take.js';
import { within } from '../../src/stores/redis/scripts/within.js';
import { due, publish, remember, renew } from '../../src/stores/redis/scripts/work.js';
import type { Fits } from '../support/fault-proxy.js';

const scripts = {
  ...{ take, save, remember, renew, due, publish, ready, lend, lendOf, gone, sent, within, swapTake, swapSave },
  ...{ conversation, outcome, history, list, participant, erase },
};
const sha = (text: string) => createHash('sha1').update(text).digest('hex');
const names = new Map(Object.entries(scripts).map(([name, text]) => [sha(text), name as keyof typeof scripts]));

export type Step =
  | Exclude<keyof typeof scripts, 'save' | 'within' | 'gone' | 'swapTake' | 'swapSave'>
  | ('save hold' | 'save closing' | 'save release' | 'get');

/** What a command is to the store, for its first conversation if it has several; undefined for what is not ours. */
export function stepOf([name = '', script = '', keys = '', ...rest]: readonly string[]): Step | undefined {
  const command = name.toLowerCase();
  if (command === 'get') return 'get';
  if (command !== 'evalsha' && command !== 'eval') return undefined;
  const step = names.get(command === 'eval' ? sha(script) : script);
  if (step === 'within') return 'save hold';
  if (step === 'gone') return 'sent';
  if (step === 'swapTake') return 'take';
  if (step === 'swapSave') return 'save closing';
  if (step !== 'save') return step;
  const numbers = rest[Number(keys)] as string; // behind the keys
  if (isNone(numbers, 'after')) return 'save hold';
  return isNone(numbers, 'closes') ? 'save release' : 'save closing';
}

/** A number of a save that is one sign long, and zero. */
function isNone(numbers: string, name: 'after' | 'closes'): boolean {
  const place = saveNumbers.names.indexOf(name);
  const before = saveNumbers.widths.slice(0, place).reduce((sum, width) => sum + width, 0);
  return numbers[lead + before] === '\0';
}

/** A command that is this step, and is about that conversation if one is named. */
export function step(wanted: Step, conversationId?: string): Fits {
  return (command) => stepOf(command) === wanted && (conversationId === undefined || isAbout(command, conversationId));
}

const isAbout = (command: readonly string[], conversationId: string) =>
  command.some((part) => part.endsWith(`}:c:${conversationId}`));

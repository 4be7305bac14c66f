/** The store's steps as they look on the wire: which script a command runs, and the names of the steps that it applies. */
import { createHash } from 'node:crypto';
import {
  applyAnyway,
  applySteps,
  publish,
  readConversation,
  readHistory,
  readListing,
  upToNow,
} from '../../src/stores/redis/script.js';
import type { Fits } from '../support/fault-proxy.js';
import { unpacked } from '../support/msgpack.js';

const scripts = {
  applySteps,
  applyAnyway,
  publish,
  conversation: readConversation,
  history: readHistory,
  list: readListing,
  'up to now': upToNow,
};
type Script = keyof typeof scripts;
const sha = (text: string) => createHash('sha1').update(text).digest('hex');
const names = new Map(Object.entries(scripts).map(([name, text]) => [sha(text), name as Script]));

export type Step =
  | Exclude<Script, 'applySteps' | 'applyAnyway' | 'up to now'>
  | ('take' | 'save hold' | 'save next' | 'save release' | 'remember' | 'renew' | 'lend' | 'sent' | 'erase')
  | ('due' | 'unsent' | 'get');

/** A step that a command makes, and the key it is about. */
interface Made {
  readonly step: Step;
  readonly key: string;
}

/** What a command is to the store; nothing for what is not ours. */
export function stepsOf([name = '', script = '', count = '', ...rest]: readonly string[]): readonly Made[] {
  const command = name.toLowerCase();
  if (command === 'get') return [{ step: 'get', key: script }];
  if (command !== 'evalsha' && command !== 'eval') return [];
  const ran = names.get(command === 'eval' ? sha(script) : script);
  const key = rest[0] ?? '';
  if (ran === undefined) return [];
  if (ran === 'up to now') return [{ step: key.endsWith('}:due') ? 'due' : 'unsent', key }];
  if (ran !== 'applySteps' && ran !== 'applyAnyway') return [{ step: ran, key }];
  const steps = unpacked(rest[Number(count)] ?? '') as readonly (readonly unknown[])[]; // behind the keys
  return steps.map(([step], i) => ({ step: step as Step, key: rest[i] ?? '' }));
}

/** A command that makes this step, and for that conversation if one is named. */
export function step(wanted: Step, conversationId?: string): Fits {
  return (command) =>
    stepsOf(command).some(
      ({ step: made, key }) =>
        made === wanted && (conversationId === undefined || key.endsWith(`}:c:${conversationId}`)),
    );
}

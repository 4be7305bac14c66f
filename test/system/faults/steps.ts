/** The store's steps as they look on the wire: which script a command runs, and the names of the steps that it applies. */
import { createHash } from 'node:crypto';
import {
  applyAnyway,
  applySteps,
  lendOutputs,
  markSent,
  publish,
  readConversation,
  readHistory,
  readListing,
  upToNow,
} from '../../../src/stores/redis/script.js';
import type { Fits } from '../../support/fault-proxy.js';

const scripts = {
  applySteps,
  applyAnyway,
  lendOutputs,
  markSent,
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
  | Exclude<Script, 'applySteps' | 'applyAnyway' | 'lendOutputs' | 'markSent' | 'up to now'>
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
  if (ran === 'up to now') return [{ step: 'due', key }];
  if (ran === 'lendOutputs') {
    const conversation = rest[Number(count) + 2] ?? '';
    const root = key.slice(0, key.indexOf('}:') + 2);
    return [conversation === '' ? { step: 'unsent', key } : { step: 'lend', key: `${root}c:${conversation}` }];
  }
  if (ran === 'markSent')
    return Array.from({ length: Number(count) / 5 }, (_, i) => ({ step: 'sent', key: rest[5 * i + 3] ?? '' }));
  if (ran !== 'applySteps' && ran !== 'applyAnyway') return [{ step: ran, key }];
  const args = rest.slice(Number(count) + 2); // behind the keys, and the time
  return args.flatMap((how, i) => {
    if (i % 2 === 1) return [];
    const [first = 0, second = 0] = how.split(/(?=[cs])/).map((part) => Number(part.slice(1)));
    const text = args[i + 1] ?? '';
    return [{ step: text.slice(0, first).replace('?', '') as Step, key: text.slice(first, first + second) }];
  });
}

/** A command that makes this step, and for that conversation if one is named. */
export function step(wanted: Step, conversationId?: string): Fits {
  return (command) =>
    stepsOf(command).some(
      ({ step: made, key }) =>
        made === wanted && (conversationId === undefined || key.endsWith(`}:c:${conversationId}`)),
    );
}

/**
 * Makes a failing history short and simple: commands are left out while it still fails, then what is left is made plainer.
 */
import type { Command, History } from './commands.js';

/** What is wrong with a history; nothing is a pass. */
export type Trial = (history: History) => Promise<readonly string[]>;

/** Plainer ways to say the same. */
function plainer(command: Command): readonly Command[] {
  if (command.do === 'both') return [command.first, command.second];
  const plain: Command[] = [];
  if (command.do === 'say' && typeof command.what !== 'string' && command.what.length > 1)
    plain.push(...command.what.map((plan) => ({ ...command, what: [plan] })));
  if ('quick' in command && command.quick) plain.push({ ...command, quick: false });
  if ('in' in command && command.in > 0) plain.push({ ...command, in: 0 });
  if ('on' in command && command.on > 0) plain.push({ ...command, on: 0 });
  if ('which' in command && typeof command.which === 'number' && command.which > 0)
    plain.push({ ...command, which: 0 });
  if ('names' in command && command.names !== 0) plain.push({ ...command, names: 0 });
  if ('by' in command && command.by !== 'ann') plain.push({ ...command, by: 'ann' });
  return plain;
}

export async function shortened(history: History, fails: Trial, within: number) {
  const until = performance.now() + within;
  let best = { history, wrong: await fails(history) };
  const better = async (next: History): Promise<boolean> => {
    if (performance.now() > until) return false;
    const wrong = await fails(next);
    if (wrong.length > 0) best = { history: next, wrong };
    return wrong.length > 0;
  };
  const leaveOut = async (size: number): Promise<void> => {
    for (let i = 0; i < best.history.length; ) {
      const next = best.history.toSpliced(i, size);
      if (!(await better(next))) i += size;
    }
  };
  for (let size = Math.ceil(history.length / 2); size > 1; size = Math.ceil(size / 2)) await leaveOut(size);
  await leaveOut(1);
  for (let i = 0; i < best.history.length; i += 1) {
    for (const plain of plainer(best.history[i] as Command)) await better(best.history.with(i, plain));
  }
  await leaveOut(1);
  return best;
}

/** Plays random histories of approvals until one goes wrong. */
import type { Ground } from '../grounds.js';
import { firstWrong, type StepByStep } from '../step-by-step.js';
import { commands, Office } from './office.js';

/** The first history that goes wrong, made short, and what is wrong with it. */
export function firstFailure(ground: () => Ground, runs: number, how?: StepByStep): Promise<string | undefined> {
  return firstWrong(commands, (history, broken) => new Office(ground(), broken).plays(history), runs, how);
}

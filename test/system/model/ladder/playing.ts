/** Plays random histories of questions in several places until one goes wrong. */
import type { Ground } from '../grounds.js';
import { firstWrong, type StepByStep } from '../step-by-step.js';
import { commands, LadderStage } from './stage.js';

/** The first history that goes wrong, made short, and what is wrong with it. */
export function firstWrongLadder(ground: () => Ground, runs: number, how?: StepByStep): Promise<string | undefined> {
  return firstWrong(commands, (history, broken) => new LadderStage(ground(), broken).plays(history), runs, how);
}

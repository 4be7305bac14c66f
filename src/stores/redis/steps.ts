/**
 * The two steps of every turn, take and save: by a swap where the outcome is known here, else by the script that finds it out.
 */
import { checkSave, checkTake } from '../call-check.js';
import type { Save, Saved, Take, Taken } from '../port.js';
import { isWithin, saved, taken, writeSave, writeTake, writeWithin } from './codec.js';
import type { Keys } from './keys.js';
import { KnownRecords } from './known.js';
import { save } from './scripts/save.js';
import { swapSave, swapTake } from './scripts/swap.js';
import { take } from './scripts/take.js';
import { within } from './scripts/within.js';
import { writeSwapSave, writeSwapTake } from './swap.js';
import type { Together } from './together.js';

export class Steps {
  readonly known = new KnownRecords();
  private readonly keys: Keys;
  private readonly together: () => Together;

  constructor(keys: Keys, together: () => Together) {
    this.keys = keys;
    this.together = together;
  }

  take(call: Take): Promise<Taken> {
    return tried(() => {
      checkTake(call);
      const { conversationId } = call;
      const together = this.together();
      const swap = this.known.take(call);
      const key = swap?.from.key ?? this.keys.conversation(conversationId);
      const found = () =>
        together.step(take, key, call, writeTake, (answer) => {
          const told = taken(answer, call);
          this.known.taken(key, call, told);
          return told;
        });
      if (swap === undefined) return found();
      const { to } = swap; // the rest of it is not kept while the step is under way
      return together.step(swapTake, key, swap, writeSwapTake, (now) => {
        if (!this.known.done(conversationId, to, now as number)) return found();
        return taken([to.last, to.revision, to.incarnation, 1], call);
      });
    });
  }

  save(call: Save): Promise<Saved> {
    return tried(() => {
      checkSave(call);
      const { conversationId } = call;
      const together = this.together();
      const swap = this.known.save(call);
      const key = swap?.from.key ?? this.keys.conversation(conversationId);
      const found = () => together.step(save, key, call, writeSave, (answer) => saved(answer, call));
      if (swap !== undefined) {
        const { to } = swap; // as above
        return together.step(swapSave, key, swap, writeSwapSave, (now) =>
          this.known.done(conversationId, to, now as number) ? saved(to.last, call) : found(),
        );
      }
      if (!isWithin(call)) return found();
      return together.step(within, key, call, writeWithin, (now) => (now === 0 ? found() : saved(now, call)));
    });
  }
}

/** What an async function throws and gives back, without its further promises. */
function tried<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

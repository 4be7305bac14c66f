/**
 * The two steps of every turn, take and save: by a swap where the outcome is known here, else by the script that finds it out.
 */
import { checkSave, checkTake } from '../call-check.js';
import type { Save, Saved, Take, Taken } from '../port.js';
import { isWithin, saved, taken, writeSave, writeTake, writeWithin } from './codec.js';
import type { Keys } from './keys.js';
import { KnownRecords } from './known.js';
import { save } from './scripts/save.js';
import { begin, swapSave, swapTake } from './scripts/swap.js';
import { take } from './scripts/take.js';
import { within } from './scripts/within.js';
import { writeBegin, writeSwapSave, writeSwapTake } from './swap.js';
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
    try {
      return this.taking(call);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  save(call: Save): Promise<Saved> {
    try {
      return this.saving(call);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  private taking(call: Take): Promise<Taken> {
    checkTake(call);
    const { conversationId } = call;
    const together = this.together();
    const swap = this.known.take(call);
    if (swap === undefined) return this.beginning(this.keys.conversation(conversationId), call);
    const { to } = swap; // the rest of it is not kept while the step is under way
    const { key } = swap.from;
    return together.step(swapTake, key, swap, writeSwapTake, (now) => {
      if (!this.known.done(conversationId, to, now as number)) return this.takenAsFound(key, call);
      return taken([to.last, to.revision, to.incarnation, 1], call);
    });
  }

  /** Takes a conversation of which nothing is known here: as a new one, if it may be that. */
  private beginning(key: string, call: Take): Promise<Taken> {
    const begun = this.known.begin(key, call);
    if (begun === undefined) return this.takenAsFound(key, call);
    const { to } = begun;
    return this.together().step(begin, key, begun, writeBegin, (now) => {
      if (!this.known.began(call.conversationId, to, now as number)) return this.takenAsFound(key, call);
      return taken([to.last, to.revision, to.incarnation, null], call);
    });
  }

  private takenAsFound(key: string, call: Take): Promise<Taken> {
    return this.together().step(take, key, call, writeTake, (answer) => {
      const told = taken(answer, call);
      this.known.taken(key, call, told);
      return told;
    });
  }

  private saving(call: Save): Promise<Saved> {
    checkSave(call);
    const { conversationId } = call;
    const together = this.together();
    const swap = this.known.save(call);
    if (swap !== undefined) {
      const { to } = swap; // as above
      const { key } = swap.from;
      return together.step(swapSave, key, swap, writeSwapSave, (now) =>
        this.known.done(conversationId, to, now as number) ? saved(to.last, call) : this.savedAsFound(key, call),
      );
    }
    const key = this.keys.conversation(conversationId);
    if (!isWithin(call)) return this.savedAsFound(key, call);
    return together.step(within, key, call, writeWithin, (now) =>
      now === 0 ? this.savedAsFound(key, call) : saved(now, call),
    );
  }

  private savedAsFound(key: string, call: Save): Promise<Saved> {
    return this.together().step(save, key, call, writeSave, (answer) => saved(answer, call));
  }
}

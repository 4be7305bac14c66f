/**
 * What the stories about votes and forms share: two processes on one Redis, people who write to them, and the world
 * outside that counts what was done.
 */
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Settings } from '../../../src/core/settings.js';
import type { Participant, PendingAsk } from '../../../src/index.js';
import { type Caller, callerOf, type NodeProcess, spawnNode } from '../../support/processes.js';
import { type Call, fresh, safe, type World } from '../../support/replica/world.js';

const child = fileURLToPath(new URL('staff.mjs', import.meta.url));

/** What somebody does in a conversation: writes words, or presses an option of a question. */
interface Does {
  readonly text?: string;
  readonly askId?: string;
  readonly choice?: string;
}

export class Staff {
  readonly process: NodeProcess;
  readonly call: Caller;

  private constructor(process: NodeProcess) {
    this.process = process;
    this.call = callerOf(process);
  }

  /** A process for one test: killed when it is over. */
  static async begin(world: World, redis: string, settings: Partial<Settings> = safe): Promise<Staff> {
    const config = { world: world.url, redis, name: fresh('staff'), settings };
    const staff = new Staff(spawnNode(child, [JSON.stringify(config)]));
    onTestFinished(() => void staff.end());
    await staff.process.next((message) => message['ready'] === true);
    return staff;
  }

  /** Through the channel that the person's id begins with; resolves once it is recorded. */
  hears(participant: Participant, conversationId: string, does: Does): Promise<unknown> {
    const [channel = ''] = participant.id.split(':');
    const message = { id: fresh('message'), conversationId, text: '', participant, address: participant.id, ...does };
    return this.call('says', channel, message);
  }

  /** The same in a process that dies of it. */
  hearsAndDies(participant: Participant, conversationId: string, does: Does): Promise<unknown> {
    return this.call('arm').then(() => this.hears(participant, conversationId, does).catch(() => {}));
  }

  /** As a test sees it over IPC: times are texts. */
  getAsk(id: string): Promise<PendingAsk<unknown> | null> {
    return this.call('getAsk', id);
  }

  /** The operator of this process hears that this person was refused; resolves with the ask. */
  async refused(participantId: string): Promise<string> {
    const { about } = await this.process.next<{
      readonly event?: string;
      readonly about: { readonly askId: string; readonly participantId?: string };
    }>((message) => message.event === 'refused' && message.about.participantId === participantId);
    return about.askId;
  }

  async end(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.process.exited;
  }
}

/** Where a text was shown. */
export type Shown = Call & { readonly channel: string };

/** The next time that these words are shown in a conversation, and where. */
export async function shown(world: World, conversationId: string, text: string): Promise<Shown> {
  return (await world.hears(conversationId, text)) as Shown;
}

/** A process of the tests about waiting, seen from the test that started it. */
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Caller, callerOf, type NodeProcess, spawnNode } from '../../support/processes.js';
import type { RedisServer } from '../../support/redis-server.js';
import { fresh, soon } from '../../support/replica/world.js';

const child = fileURLToPath(new URL('waiting.mjs', import.meta.url));

interface Shown {
  readonly shown?: string;
  readonly conversationId?: string;
  readonly askId?: string;
}

/** A process that asks and waits, and works on what others ask if it is told to. */
export class WaitingProcess {
  readonly process: NodeProcess;
  readonly call: Caller;

  private constructor(process: NodeProcess) {
    this.process = process;
    this.call = callerOf(process);
  }

  static async begin(
    redis: RedisServer,
    more: { readonly works?: boolean; readonly quiet?: boolean } = {},
  ): Promise<WaitingProcess> {
    const config = { redis: redis.url, name: fresh('waiter'), settings: soon, ...more };
    const begun = new WaitingProcess(spawnNode(child, [JSON.stringify(config)]));
    onTestFinished(() => void begun.kill());
    await begun.process.next((message) => message['ready'] === true);
    return begun;
  }

  says(conversationId: string, text: string): Promise<unknown> {
    return this.call('says', { id: fresh('m'), conversationId, text, address: conversationId });
  }

  async shows(conversationId: string): Promise<Shown> {
    return this.process.next<Shown>(
      (message) => message.conversationId === conversationId && message.shown !== undefined,
    );
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.process.exited;
  }
}

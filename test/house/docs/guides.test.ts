/** The script in the guide to waiting, and what the guides promise beside their programs. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, type Channel, type Desk, MemoryStore, number } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { requireApproval } from '../../../src/tools/index.js';
import { patience } from '../../support/processes.js';
import { read } from '../repository.js';

/** ASKBACK_EXAMPLES names another folder with built examples. */
const script = resolve(process.env['ASKBACK_EXAMPLES'] ?? 'dist-examples', 'ask-in-the-terminal.js');

describe('ask-in-the-terminal', () => {
  const where = 'Deploy to where?\n1. staging\n2. production\nReply with a number or a label.\n';
  const tests = 'Run the tests before?\n- Yes\n- No\nReply with one of these.\n';

  function piped(input: string): string {
    if (!existsSync(script)) throw new Error(`${script} is not built. Run: npm run build && npm run build:examples`);
    const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
      input,
      encoding: 'utf8',
      timeout: patience,
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  }

  test('the line in its header answers both questions, and it ends by itself', () => {
    const lines =
      /printf '(.*)' \| npx tsx ask-in-the-terminal\.ts/.exec(read('examples/ask-in-the-terminal.ts'))?.[1] ?? '';
    expect(piped(lines.replaceAll('\\n', '\n'))).toBe(`${where}${tests}Deploys to production, after the tests.\n`);
  });

  test('a no is an answer', () => {
    expect(piped('staging\nno\n')).toContain('Deploys to staging, without the tests.\n');
  });

  test.each([
    ['', 'cancelled, cancelled'],
    ['2\n', 'answered, cancelled'],
    ['never mind\nyes\n', 'declined, answered'],
  ])('with the input %j nothing is deployed, and it ends all the same', (input, said) => {
    expect(piped(input)).toContain(`Nothing is deployed: ${said}.\n`);
  });
});

describe('what the guides promise', () => {
  const breath = () => new Promise<void>((resolve) => setImmediate(resolve));
  async function settle(): Promise<void> {
    for (let i = 0; i < 30; i += 1) await breath();
  }

  /** Processes without agents on one store, each with a chat of its own. */
  function processes() {
    const clock = new FakeClock();
    const store = new MemoryStore({ clock });
    let messages = 0;
    const begin = async () => {
      let desk: Desk | undefined;
      const chat: Channel = {
        name: 'chat',
        start: (given) => {
          desk = given;
        },
        send: async () => {},
        conversationFor: String,
      };
      const registry = new AgentRegistry({ channels: [chat], store, clock });
      onTestFinished(() => registry.stop());
      await registry.start();
      const types = async (conversationId: string, text: string) => {
        messages += 1;
        const participant = { id: `chat:${conversationId}` };
        await desk?.receive({ id: `m${messages}`, conversationId, text, participant, address: conversationId });
        await settle();
      };
      return { registry, types };
    };
    return { begin, clock };
  }

  test('without agents, a message where nobody waits stays in line; where somebody does it is handled by nobody', async () => {
    const { registry, types } = await processes().begin();
    const { askId: id } = await registry.ask(number('How many?'), { channel: 'chat', to: 'anna' });
    await types('ben', 'hello');
    await types('anna', '/help');
    expect((await registry.history('ben')).items).toEqual([]);
    expect((await registry.history('anna')).items.at(-1)).toMatchObject({ disposition: { type: 'ordinary' } });
    await types('anna', '4');
    expect(await registry.wait(id)).toMatchObject({ status: 'answered', value: 4 });
  });

  test('without agents, after a restart a deadline is kept, and whoever waits then is told', async () => {
    const { begin, clock } = processes();
    const { registry: before } = await begin();
    const { askId: id } = await before.ask(number('How many?'), { channel: 'chat', to: 'anna', expiresIn: 60_000 });
    await before.stop();
    const { registry: after } = await begin();
    await clock.advance(120_000, settle);
    expect(await after.getAsk(id)).toMatchObject({ status: 'expired' });
    expect(await after.wait(id)).toMatchObject({ status: 'expired' });
  });

  test('an approval is used once, whichever process resumes it', async () => {
    const { begin } = processes();
    const keys: (string | undefined)[] = [];
    const made = async () => {
      const { registry } = await begin();
      const tool = {
        name: 'refund',
        inputSchema: { type: 'object' },
        execute: (_: unknown, { effectKey }: { effectKey?: string }) => {
          keys.push(effectKey);
          return 'Refunded.';
        },
      };
      const where = { channel: 'chat', to: 'max' };
      return { registry, refund: requireApproval(tool, { registry, where, answerableBy: ['web:max'] }) };
    };
    const [here, there] = [await made(), await made()];
    const interrupt = await here.refund.open({ order: '1' }, { callId: 'a' });
    if (interrupt === undefined || interrupt.kind === 'closed') throw new Error('nothing was asked');
    await here.registry.answer(interrupt.id, { value: 'once' }, { by: { id: 'web:max' } });
    expect(await here.refund.resume(interrupt)).toBe('Refunded.');
    expect(await here.refund.resume(interrupt)).toMatch(/has been used already/);
    expect(await there.refund.resume(interrupt)).toMatch(/has been used already/);
    expect(keys).toEqual([interrupt.id]);
  });
});

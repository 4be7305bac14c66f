/** What was written before a question could be seen does not answer it. */
import { expect, test } from 'vitest';
import type { AgentInput, AgentResult } from '../../../src/index.js';
import { agent, BaseAgent, confirm } from '../../../src/index.js';
import { gate, minute, settle, TestChannel, world } from '../../support/engine.js';

async function serving(served: BaseAgent | ReturnType<typeof agent>) {
  const here = world();
  const phone = new TestChannel();
  const registry = await here.replica({ agents: [served], channels: [phone] });
  const says = (said: string) => here.says(phone, said);
  const dispositions = async () =>
    (await registry.history('c1')).items.flatMap((item) => (item.type === 'in' ? [item.disposition.type] : []));
  return { here, phone, registry, says, dispositions };
}

test('a reply that comes too late for its question does not answer the one that is asked instead', async () => {
  class Plant extends BaseAgent {
    name = 'plant';
    off = this.question('off', confirm('Nobody answered. Shut the plant down?'), { onAnswer: (yes) => `Shut: ${yes}` });
    on = this.question('on', confirm('Keep running?'), {
      expiresIn: 1_000,
      onAnswer: () => 'It runs.',
      onClosed: () => this.ask(this.off),
    });
    async invokeAgent({ message }: AgentInput): Promise<AgentResult> {
      return message === 'check' ? this.ask(this.on) : { output: `You said ${message}.` };
    }
  }
  const { here, phone, registry, says, dispositions } = await serving(new Plant());
  await says('check');
  await here.clock.advance(1_300, settle); // nobody has looked since it ran out
  await says('yes');
  expect(phone.texts().filter((said) => said.startsWith('Shut:'))).toEqual([]);
  expect(await dispositions()).not.toContain('accepted');
  expect((await registry.listAsks()).asks.map(({ question }) => question)).toEqual([
    'Nobody answered. Shut the plant down?',
  ]);
  await registry.stop();
});

test('what was written while a handler worked does not answer the question that the handler then waits for', async () => {
  const support = agent('support');
  const working = gate();
  support.onMessage(async ({ message, askAndWait }) => {
    if (message !== 'clean up') return `You said ${message}.`;
    await working.passed;
    const outcome = await askAndWait(confirm('Delete all customer data?'), { timeout: minute });
    return outcome.status === 'answered' ? `Deleted: ${outcome.value}` : 'Nothing was deleted.';
  });
  const { here, phone, registry, says } = await serving(support);
  await says('clean up');
  await says('yes');
  await here.clock.advance(250, settle);
  working.open();
  await here.clock.advance(1_000, settle);
  expect(phone.texts()).toEqual([expect.stringMatching(/^Delete all customer data\?/)]);
  await here.clock.advance(minute, settle);
  expect(phone.texts().slice(1)).toEqual(expect.arrayContaining(['Nothing was deleted.', 'You said yes.']));
  await registry.stop();
});

test('a reply that is sent twice does not answer the question that is shown after it', async () => {
  const working = gate();
  class Drafts extends BaseAgent {
    name = 'drafts';
    purge = this.question('purge', confirm('Delete all?'), { onAnswer: (yes) => `Deleted: ${yes}` });
    draft = this.question('draft', confirm('Save a draft?'), {
      onAnswer: async () => {
        await working.passed;
        return 'Saved.';
      },
    });
    async invokeAgent({ message }: AgentInput): Promise<AgentResult> {
      if (message !== 'go') return { output: `You said ${message}.` };
      await this.ask(this.draft);
      return this.ask(this.purge);
    }
  }
  const { here, phone, registry, says, dispositions } = await serving(new Drafts());
  await says('go');
  await here.clock.advance(minute, settle);
  await says('yes');
  await says('yes');
  await here.clock.advance(250, settle);
  working.open();
  await settle();
  expect(phone.texts().slice(1)).toEqual(['Saved.', expect.stringMatching(/^Delete all\?/), 'You said yes.']);
  expect(await dispositions()).toEqual(['ordinary', 'accepted', 'ordinary']);
  await says('yes');
  expect(phone.texts().at(-1)).toBe('Deleted: true');
  await registry.stop();
});

test('a parked message that is tried again does not answer a question that was asked since', async () => {
  let fails = true;
  class Drafts extends BaseAgent {
    name = 'drafts';
    purge = this.question('purge', confirm('Delete all?'), { onAnswer: (yes) => `Deleted: ${yes}` });
    async invokeAgent({ message }: AgentInput): Promise<AgentResult> {
      if (message === 'go') return this.ask(this.purge);
      if (fails) throw new Error('down');
      return { output: `You said ${message}.` };
    }
  }
  const { here, phone, registry, says } = await serving(new Drafts());
  await says('yes'); // to nothing, and its turn fails
  await here.clock.advance(10 * minute, settle);
  const [parked] = (await registry.parked()).items.slice();
  fails = false;
  await says('go');
  await registry.retry(parked?.id ?? '');
  await settle();
  expect(phone.texts().at(-1)).toBe('You said yes.');
  expect((await registry.listAsks()).asks).toHaveLength(1);
  await registry.stop();
});

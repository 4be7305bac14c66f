import { expect, test } from 'vitest';
import { rehearse } from '../../../src/testing/index.js';
import { bare, Probe, thrownBy } from '../../support/agents.js';

/** Asks on 'ask'; `/resolve <id> <answer>` is an ordinary message that resolves by hand and reports what was thrown. */
function resolver(onReply?: (self: Probe, reply: string) => Promise<string>) {
  const thrown: Awaited<ReturnType<typeof thrownBy>>[] = [];
  const probe = new Probe(async (self, { message = '' }) => {
    if (message === 'ask') return self.asks('Which order?', { expiresIn: 60_000 });
    const [command, id = '', answer = ''] = message.split(' ');
    if (command === '/resolve') {
      thrown.push(await thrownBy(() => self.resolves(id, answer)));
      return { output: 'tried' };
    }
    if (self.pending() === null || onReply === undefined) return { output: 'hi' };
    return { output: await onReply(self, message) };
  });
  return { probe, thrown };
}

test('resolvePendingAsk accepts an answer without evaluation, and what follows is the continuation', async () => {
  const { probe } = resolver(async (self, reply) => {
    await self.resolves(self.pending()?.id ?? '', reply);
    return `noted ${reply}`;
  });
  const { human, asks, registry, stop } = await rehearse({ agents: [probe] });
  const user = human('user');
  await user.says('ask');
  const id = (await asks())[0]?.id ?? '';
  expect(await user.says('?')).toEqual(['noted ?']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', answer: '?', decidedBy: user.participant });
  expect(await user.says('hello')).toEqual(['hi']);
  await stop();
});

test('resolving an unknown id is an error that names it', async () => {
  const { probe, thrown } = resolver();
  const { human, stop } = await rehearse({ agents: [probe] });
  await human('user').says('/resolve nonsense x');
  expect(thrown[0]?.code).toBe('unknown-ask');
  expect(thrown[0]?.message).toContain('nonsense');
  await stop();
});

test('resolving an ask of another conversation is an error and changes nothing', async () => {
  const { probe, thrown } = resolver();
  const { registry, says } = bare({ agents: [probe] });
  await says('one', 'ask');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  await says('two', `/resolve ${id} stolen`);
  expect(thrown[0]?.code).toBe('unknown-ask');
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending' });
  await registry.stop();
});

test("resolving another agent's ask in the same conversation is an error and changes nothing (22, 58)", async () => {
  const { probe, thrown } = resolver();
  const asker = new Probe((self) => self.asks('Which order?'), 'asker');
  const route = ({ text }: { text: string }) => (text === 'ask' ? 'asker' : 'probe');
  const { registry, says } = bare({ agents: [asker, probe], route });
  await says('c', 'ask');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  await says('c', `/resolve ${id} stolen`);
  expect(thrown[0]?.code).toBe('unknown-ask');
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending' });
  await registry.stop();
});

test.each([
  ['answered', (id: string, play: Play) => play.registry.answer(id, { text: '1' }, { by: play.by })],
  ['declined', (id: string, play: Play) => play.registry.decline(id, { by: play.by })],
  ['cancelled', (id: string, play: Play) => play.registry.cancel(id)],
  ['expired', (_id: string, play: Play) => play.clock.advance(120_000)],
] as const)(
  'resolving an ask that is %s is an error that carries the decision and changes nothing',
  async (status, end) => {
    const { probe, thrown } = resolver(async (self, reply) => {
      await self.resolves(self.pending()?.id ?? '', reply);
      return 'noted';
    });
    const { human, asks, registry, clock, stop } = await rehearse({ agents: [probe] });
    const user = human('user');
    await user.says('ask');
    const id = (await asks())[0]?.id ?? '';
    await end(id, { registry, clock, by: user.participant });
    const before = await registry.getAsk(id);
    expect(before?.status).toBe(status);
    await user.says(`/resolve ${id} overwritten`);
    expect(thrown[0]?.code).toBe('already');
    expect(thrown[0]?.message).toContain(status);
    expect(thrown[0]?.details['ask']).toEqual(before);
    expect(await registry.getAsk(id)).toEqual(before);
    await stop();
  },
);

test('resolving twice in one turn is a repeat, and the first answer stands', async () => {
  const { probe } = resolver(async (self, reply) => {
    const id = self.pending()?.id ?? '';
    await self.resolves(id, reply);
    await self.resolves(id, 'something else');
    return 'noted';
  });
  const { human, asks, registry, stop } = await rehearse({ agents: [probe] });
  const user = human('user');
  await user.says('ask');
  const id = (await asks())[0]?.id ?? '';
  expect(await user.says('first')).toEqual(['noted']);
  expect(await registry.getAsk(id)).toMatchObject({ answer: 'first' });
  await stop();
});

test('a re-run of the turn that resolved it resolves again without an error', async () => {
  let runs = 0;
  const { probe } = resolver(async (self, reply) => {
    runs += 1;
    await self.resolves(self.pending()?.id ?? '', `${reply} run ${runs}`);
    if (runs === 1) throw new Error('The provider is down.');
    return 'noted';
  });
  const { human, asks, registry, clock, stop } = await rehearse({ agents: [probe], failures: 'collect' });
  const user = human('user');
  await user.says('ask');
  const id = (await asks())[0]?.id ?? '';
  await user.says('12345');
  await clock.advance(10_000);
  expect(user.sees()).toEqual(['noted']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', answer: '12345 run 1' });
  await stop();
});

test('a turn that decided an ask and went on with nothing is parked, not saved', async () => {
  let runs = 0;
  const { probe } = resolver(async (self, reply) => {
    runs += 1;
    if (runs > 1) return 'forgot'; // a deploy lost the code that continues
    await self.resolves(self.pending()?.id ?? '', reply);
    throw new Error('The provider is down.');
  });
  const { human, clock, registry, stop } = await rehearse({ agents: [probe], failures: 'collect' });
  const user = human('user');
  await user.says('ask');
  await user.says('12345');
  await clock.advance(10_000);
  expect((await registry.parked()).items).toMatchObject([{ failure: { code: 'not-continued' } }]);
  expect(user.sees()).not.toContain('forgot');
  await stop();
});

test('an answer that is no text is refused', async () => {
  const { probe } = resolver(async (self) => {
    const error = await thrownBy(() => self.resolves(self.pending()?.id ?? '', { not: 'a text' } as unknown as string));
    return error.message;
  });
  const { human, asks, stop } = await rehearse({ agents: [probe] });
  const user = human('user');
  await user.says('ask');
  expect((await user.says('12345'))[0]).toContain('answer');
  expect(await asks()).toMatchObject([{ status: 'pending' }]);
  await stop();
});

interface Play {
  readonly registry: Awaited<ReturnType<typeof rehearse>>['registry'];
  readonly clock: Awaited<ReturnType<typeof rehearse>>['clock'];
  readonly by: { readonly id: string };
}

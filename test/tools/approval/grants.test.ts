/** Permissions for a session: stored with the asks that gave them, so every process knows them, and knows their end. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Channel, Participant } from '../../../src/index.js';
import { AgentRegistry, agent, MemoryStore } from '../../../src/index.js';
import { uses } from '../../../src/registry/calls/single-use.js';
import { FakeClock, rehearse, scriptedModel } from '../../../src/testing/index.js';
import type { ApprovalOptions } from '../../../src/tools/index.js';
import { approve, requireApproval } from '../../../src/tools/index.js';
import { anna, idle, Phone, settle } from '../kit.js';

const action = { tool: 'refund', input: { order: '12345' } };

/** Processes on one store, each with its own phone, whose person always says the same. */
function processes(words = 'for this session') {
  const time = new FakeClock();
  const store = new MemoryStore({ clock: time });
  const asked: string[] = [];
  const begin = (options: Partial<ApprovalOptions> = {}) => {
    const phone = new Phone(({ conversationId }) => {
      asked.push(conversationId);
      return words;
    });
    const registry = new AgentRegistry({ agents: [idle()], channels: [phone], store, clock: time });
    onTestFinished(() => registry.stop());
    return { registry, phone, approvals: approve(registry, { where: anna, answerableBy: 'anyone', ...options }) };
  };
  return { begin, asked, time, store };
}

test('a grant for the session counts after a restart and in every process, each use under a key of its own', async () => {
  const { begin, asked } = processes();
  const first = begin();
  const given = await first.approvals.request(action);
  await first.registry.stop();
  const [second, third] = [begin(), begin()];
  const both = await Promise.all([second, third, second].map(({ approvals }) => approvals.request(action)));
  expect(asked).toEqual(['anna']);
  expect(both.map(({ approved }) => approved)).toEqual([true, true, true]);
  const keys = [given, ...both].map((approval) => (approval.approved ? approval.effectKey : ''));
  expect(new Set(keys).size).toBe(4);
  await settle();
  const [grant, ...more] = await third.approvals.grants();
  expect(more).toEqual([]);
  expect(grant).toMatchObject({ ...action, id: keys[0], by: { id: 'phone:anna' }, uses: 4, place: anna });
  expect(keys.every((key) => key.startsWith(keys[0] as string))).toBe(true);
});

test('one call under a grant has one effect key, however often and in whichever process it is repeated', async () => {
  const { begin, asked } = processes();
  const [first, second] = [begin(), begin()];
  const keyOf = async ({ approvals }: typeof first, callId: string) => {
    const approval = await approvals.request(action, { callId });
    return approval.approved ? approval.effectKey : '';
  };
  const approved = await keyOf(first, 'call_1');
  expect(await keyOf(second, 'call_1')).toBe(approved);
  const another = await keyOf(first, 'call_2');
  expect(another).not.toBe(approved);
  expect(await Promise.all([keyOf(second, 'call_2'), keyOf(first, 'call_2')])).toEqual([another, another]);
  expect(asked).toEqual(['anna']);
  expect(await first.approvals.grants()).toMatchObject([{ uses: 2 }]);
});

test('a grant that one process has revoked counts in none, at once and after a restart', async () => {
  const { begin, asked } = processes();
  const [first, second] = [begin(), begin()];
  await first.approvals.request(action);
  const [grant] = await second.approvals.grants();
  expect(await second.approvals.revoke(grant?.id ?? '')).toBe(true);
  expect(await first.approvals.revoke(grant?.id ?? '')).toBe(false);
  expect(await first.approvals.grants()).toEqual([]);
  await first.approvals.request(action);
  expect(asked).toEqual(['anna', 'anna']);
  const [again] = await first.approvals.grants();
  await first.approvals.revoke(again?.id ?? '');
  await Promise.all([first, second].map(({ registry }) => registry.stop()));
  await begin().approvals.request(action);
  expect(asked).toHaveLength(3);
});

test('a grant that is erased while it is used counts no more, and the person is asked', async () => {
  const { begin, asked } = processes();
  const { registry, approvals } = begin();
  await approvals.request(action);
  await settle();
  const use = registry[uses].use.bind(registry[uses]);
  vi.spyOn(registry[uses], 'use').mockImplementationOnce(async (...call) => {
    await registry.erase({ conversationId: 'anna' });
    return use(...call);
  });
  expect(await approvals.request(action)).toMatchObject({ approved: true });
  expect(asked).toHaveLength(2);
});

test('a grant ends when its time is over, whichever process asks; what was allowed once is no grant', async () => {
  const { begin, asked, time } = processes();
  await begin({ expiresIn: 60_000 }).approvals.request(action);
  const later = begin({ expiresIn: 60_000 }).approvals;
  await time.advance(59_000, settle);
  await later.request(action);
  expect(asked).toHaveLength(1);
  const [grant] = await later.grants();
  await time.advance(1_000, settle);
  expect(await later.grants()).toEqual([]);
  expect(await later.revoke(grant?.id ?? '')).toBe(false);
  await later.request(action);
  expect(asked).toHaveLength(2);
  const once = processes('once');
  await once.begin().approvals.request(action);
  await once.begin().approvals.request(action);
  expect(once.asked).toHaveLength(2);
  expect(await once.begin().approvals.grants()).toEqual([]);
});

test('a grant counts only where the same people would be asked, and where a session is offered', async () => {
  const { begin, asked } = processes();
  await begin().approvals.request(action);
  await begin({ answerableBy: ['phone:anna'] }).approvals.request(action);
  expect(asked).toHaveLength(2);
  const strict = begin({ session: false, maxRetries: 0 }).approvals;
  expect(await strict.request(action)).toMatchObject({ approved: false });
  expect(asked).toHaveLength(3);
});

test('among hundreds of messages the grant is found; other arguments and another conversation have none', async () => {
  const { begin, asked } = processes();
  const { approvals, registry, phone } = begin();
  await approvals.request(action);
  for (let i = 0; i < 450; i += 1) await phone.types(`and ${i}`);
  await registry.idle();
  expect(await begin().approvals.request(action)).toMatchObject({ approved: true });
  expect(asked).toHaveLength(1);
  await begin().approvals.request({ ...action, input: { order: '12346' } });
  await begin({ where: { channel: 'phone', to: 'bert' } }).approvals.request(action);
  expect(asked).toEqual(['anna', 'anna', 'bert']);
});

test('an approval that somebody waited for was carried out there: it cannot be resumed as an interrupt', async () => {
  const { begin } = processes('once');
  const { approvals, registry } = begin();
  const open = await begin().approvals.open({ ...action, input: {} }, { callId: 'c1' });
  const approval = await approvals.request(action, { callId: 'c1' });
  expect(approval).toMatchObject({ approved: true });
  if (open?.kind !== 'approval' || !approval.approved) throw new Error('both were asked');
  const forged = { ...open, id: approval.effectKey };
  expect(await registry.getAsk(forged.id)).toMatchObject({ status: 'answered', value: 'once' });
  expect(await begin().approvals.resume('refund', forged)).toMatchObject({ approved: false });
  expect(await approvals.resume('refund', forged)).toMatchObject({ approved: false });
});

test('a place must be named where the place of each call is found by a function', async () => {
  const { begin } = processes();
  const { approvals } = begin({ where: () => anna });
  await approvals.request(action);
  await expect(approvals.grants()).rejects.toMatchObject({ code: 'bad-option', message: /Say which place/ as never });
  expect(await approvals.grants(anna)).toHaveLength(1);
});

/** An agent whose model wants the same refund three times, each behind an approval, and a provider that counts by key. */
async function paying(diesAt = 0) {
  const paid: string[] = [];
  let dies = diesAt > 0;
  const pay = {
    name: 'refund',
    inputSchema: { type: 'object' },
    execute: (_: unknown, { effectKey = 'none' }: { effectKey?: string }) => {
      paid.push(effectKey);
      if (dies && paid.length === diesAt) {
        dies = false;
        play.crash(); // paid, and not remembered
      }
      return 'Paid.';
    },
  };
  const gated = requireApproval(pay, {
    registry: () => play.registry,
    where: 'here',
    answerableBy: ['rehearsal:anna'],
  });
  const calling = (id: string) => ({ calls: [{ id, name: 'refund', input: { order: '12345' } }] });
  const said = ({ messages }: { messages: readonly { role: string }[] }) => {
    const results = messages.filter(({ role }) => role === 'tool').length;
    return results < 3 ? calling('call_0') : 'Refunded three times.';
  };
  const model = scriptedModel(Array.from({ length: 12 }, () => said));
  const play = await rehearse({ agents: [agent('shop', { model, tools: [gated] })] });
  const anna = play.human('anna');
  await anna.says('refund it three times');
  await anna.says('for this session');
  return { play, paid, seen: anna };
}

test('in a run the same grant is used by each call, once under its own key, though the model reuses its call ids', async () => {
  const { paid, seen } = await paying();
  expect(paid).toHaveLength(3);
  expect(new Set(paid).size).toBe(3);
  expect(seen.sees()).toEqual([]);
});

test.each([1, 2, 3])(
  'killed after payment %i, the call runs again under the key it had: three were meant, three keys exist',
  async (diesAt) => {
    const { paid, play } = await paying(diesAt);
    await play.restart();
    await play.clock.advance(60_000);
    expect(paid).toHaveLength(4);
    expect(new Set(paid).size).toBe(3);
  },
);

test.each(['once', 'for this session'])(
  'allowed %s: a turn that fails afterwards and runs again, in the same process, is told the same',
  async (words) => {
    const paid: string[] = [];
    const execute = (_: unknown, { effectKey = 'none' }: { effectKey?: string }) => {
      paid.push(effectKey);
      return 'Paid.';
    };
    const refund = requireApproval(
      { name: 'refund', inputSchema: {}, execute },
      { registry: () => play.registry, where: 'here', answerableBy: ['rehearsal:anna'] },
    );
    const shop = agent('shop').onMessage(async ({ attempt }) => {
      const result = await refund.execute({ order: '12345' });
      if (attempt === 1) throw new Error('the printer is out of paper');
      return result;
    });
    const play = await rehearse({ agents: [shop], failures: 'collect' });
    const person = play.human('anna');
    await person.says('refund it');
    await person.says(words);
    await play.clock.advance(60_000);
    expect(person.sees()).toEqual(['Paid.']);
    expect(paid).toHaveLength(2);
    expect(new Set(paid).size).toBe(1);
  },
);

test.each([
  { words: 'once', keys: 2, said: 'Paid. Paid.' },
  { words: 'deny', keys: 1, said: 'no Paid.' },
])(
  'a call that was told "$words" is told the same when its turn runs again, though the next was granted for the session',
  async ({ words, keys, said }) => {
    const paid = new Set<string>();
    const execute = (_: unknown, { effectKey = 'none' }: { effectKey?: string }) => {
      paid.add(effectKey);
      return 'Paid.';
    };
    const refund = requireApproval(
      { name: 'refund', inputSchema: {}, execute },
      { registry: () => play.registry, where: 'here', answerableBy: ['rehearsal:anna'] },
    );
    const shop = agent('shop').onMessage(async ({ attempt }) => {
      const results = [
        await refund.execute({ order: '12345' }, { callId: 'call_1' }),
        await refund.execute({ order: '12345' }, { callId: 'call_2' }),
      ];
      if (attempt === 1) throw new Error('the printer is out of paper');
      return results.map((each) => (each === 'Paid.' ? each : 'no')).join(' ');
    });
    const play = await rehearse({ agents: [shop], failures: 'collect' });
    const person = play.human('anna');
    await person.says('refund it twice');
    await person.says(words);
    await person.says('for this session');
    await play.clock.advance(60_000);
    expect(person.sees()).toEqual([said]);
    expect(paid.size).toBe(keys);
  },
);

test('revoked while the turn goes on that it was given in: the next call of that turn asks again', async () => {
  const refund = requireApproval(
    { name: 'refund', inputSchema: {}, execute: () => 'Paid.' },
    { registry: () => play.registry, where: 'here', answerableBy: ['rehearsal:anna'] },
  );
  const shop = agent('shop').onMessage(async () => {
    await refund.execute({ order: '12345' });
    const [grant] = await refund.grants();
    const revoked = await refund.revoke(grant?.id ?? '');
    return `${revoked} ${await refund.execute({ order: '12345' })}`;
  });
  const play = await rehearse({ agents: [shop] });
  const person = play.human('anna');
  await person.says('refund it');
  const [told, asked] = await person.says('for this session');
  expect([told, asked]).toEqual(['Approved for this session.', expect.stringContaining('Allow refund?')]);
  expect(await person.says('once')).toEqual(['Approved, just this once.', 'true Paid.']);
});

test("a grant for the session is the requester's: another conversation or tenant at the same approvers asks again", async () => {
  const time = new FakeClock();
  let approver: Participant = { id: 'web:boss' };
  const phone = new Phone(({ ask }) => {
    setImmediate(() => void registry.answer(ask?.id ?? '', { value: 'session' }, { by: approver }));
    return undefined;
  });
  const results: unknown[] = [];
  const shop = agent('shop').onMessage(async ({ conversationId, message }) => {
    if (message === 'refund') results.push([conversationId, (await approvals.request(action)).approved]);
  });
  const registry: AgentRegistry = new AgentRegistry({ agents: [shop], channels: [phone], clock: time });
  onTestFinished(() => registry.stop());
  const approvals = approve(registry, { where: { channel: 'phone', to: 'boss' }, answerableBy: 'anyone' });
  let number = 0;
  const writes = async (conversationId: string, tenant: string) => {
    number += 1;
    approver = { id: 'web:boss', tenant };
    const participant = { id: `web:${tenant}`, tenant };
    await registry.handle({ id: String(number), conversationId, text: 'refund', participant });
    await settle();
  };
  const asked = () => phone.sent.filter(({ ask }) => ask?.status === 'pending').length;
  await registry.start();
  await writes('one', 'north');
  await writes('one', 'north');
  expect(asked()).toBe(1);
  await writes('two', 'north');
  expect(asked()).toBe(2);
  await writes('one', 'south');
  expect(asked()).toBe(3);
  expect(results).toEqual([
    ['one', true],
    ['one', true],
    ['two', true],
    ['one', true],
  ]);
});

test('with excludeAsker nobody goes on by a grant that they gave themselves', async () => {
  const boss = { channel: 'boss', conversationId: 'boss' };
  const eve = { id: 'boss:eve', roles: ['manager'] };
  const asked: string[] = [];
  const bossChannel: Channel = {
    name: 'boss',
    start: () => {},
    send: async ({ ask }) => {
      if (ask?.status !== 'pending') return;
      asked.push(ask.id);
      // answered by eve, who may
      setImmediate(() => void registry.answer(ask.id, { value: 'session' }, { by: eve }));
    },
  };
  const results: unknown[] = [];
  const paying = agent('paying').onMessage(async () => {
    const approvals = approve(registry, {
      where: boss,
      answerableBy: { roles: ['manager'] },
      excludeAsker: true,
      timeout: 500,
    });
    const { approved } = await approvals.request(action);
    results.push(approved);
    return 'done';
  });
  const registry: AgentRegistry = new AgentRegistry({ agents: [paying], channels: [bossChannel] });
  onTestFinished(() => registry.stop());
  await registry.start();
  const pays = async (id: string, by: string) => {
    await registry.handle({ id, conversationId: 'shop', text: 'pay', participant: { id: by } });
    await expect.poll(() => results).toHaveLength(Number(id)); // handle() does not wait for a person
  };
  await pays('1', 'web:bob');
  await pays('2', 'web:bob');
  expect([results, asked.length]).toEqual([[true, true], 1]); // bob goes on by eve's grant
  await pays('3', 'boss:eve');
  expect([results, asked.length]).toEqual([[true, true, false], 2]); // eve is asked about, and may not answer herself
});

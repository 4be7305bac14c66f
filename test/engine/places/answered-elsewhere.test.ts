/**
 * A question that was put to somebody in one place, and is answered elsewhere: its copy is drawn again, or whoever got it is told so. Nobody
 * is told of a question that never arrived.
 */
import { expect, test } from 'vitest';
import type { OutgoingMessage } from '../../../src/index.js';
import { AgentError, agent, confirm } from '../../../src/index.js';
import { crashableStore } from '../../../src/testing/crashable-store.js';
import { gate, minute, settle, world } from '../../support/engine.js';
import { Board, ben, cleo, Mail } from '../../support/places.js';

/** A board whose posts can be looked for by their keys. Two processes have the same one. */
class FindingBoard extends Board {
  async findSent({ key }: OutgoingMessage): Promise<string | undefined> {
    const index = this.sent.filter(({ ask }) => ask !== undefined).findIndex((sent) => sent.key === key);
    return index < 0 ? undefined : `${index}`;
  }
}

/** Somebody is asked on this channel from outside of an agent. The process that asks can be killed, and another one started. */
async function asked(channel: Mail) {
  const { replica, advance, store } = world();
  const mortal = crashableStore(store);
  const pay = () => {
    const shop = agent('shop');
    const answerableBy = ['staff:ben', 'staff:cleo'];
    return { shop, sure: shop.question('sure', confirm('Pay?'), { answerableBy, onAnswer: () => undefined }) };
  };
  const { shop, sure } = pay();
  const first = await replica({ agents: [shop], channels: [channel], store: mortal.store });
  await first.ask(sure, { channel: channel.name, to: 'managers' });
  await settle();
  const [{ id = '' } = {}] = (await first.listAsks()).asks;
  const second = () => replica({ agents: [pay().shop], channels: [channel] });
  return { first, second, id, advance, kill: () => mortal.crash() };
}

test('the process is killed between posting and noting: the post is found and drawn again, and nothing else is posted', async () => {
  const board = new FindingBoard();
  const { id, kill, second, advance } = await asked(board);
  kill();
  await (await second()).answer(id, { value: true }, { by: ben });
  await advance(2 * minute);
  expect(board.shows('managers')).toEqual(['answered']);
  expect(board.texts('managers')).toEqual(['Pay?']);
});

test('the same on a platform that cannot be asked what was posted: nothing else is posted', async () => {
  const board = new Board();
  const { id, kill, second, advance } = await asked(board);
  kill();
  await (await second()).answer(id, { value: true }, { by: ben });
  await advance(5 * minute);
  expect(board.texts('managers')).toEqual(['Pay?']);
});

test.each([
  ['that can draw again', Board],
  ['that cannot draw again', Mail],
] as const)('a question that never arrived is not announced as over, on a channel %s', async (_, Kind) => {
  const channel = new Kind('staff');
  channel.onSend = ({ ask }) => (ask === undefined ? undefined : Promise.reject(new Error('not now')));
  const { id, first, advance } = await asked(channel);
  await advance(minute);
  expect(await first.answer(id, { value: true }, { by: ben })).toMatchObject({ type: 'accepted' });
  await advance(5 * minute);
  expect(channel.sent).toEqual([]);
});

test('nor after it was handed over and answered by the other person', async () => {
  const mail = new Mail();
  mail.onSend = ({ ask }) => (ask === undefined ? undefined : Promise.reject(new Error('not now')));
  const { id, first, advance } = await asked(mail);
  expect(await first.handOver(id, { by: ben, to: 'staff:dan' })).toMatchObject({ type: 'handed-over' });
  await first.answer(id, { value: true }, { by: { id: 'staff:dan', name: 'Dan' } });
  await advance(5 * minute);
  expect(mail.sent).toEqual([]);
});

test('nor one that was given up while the answer was on its way', async () => {
  const mail = new Mail();
  const sending = gate();
  mail.onSend = async ({ ask }) => {
    if (ask === undefined) return;
    await sending.passed;
    throw new AgentError('undeliverable', 'There is no such mailbox.');
  };
  const { id, first, advance } = await asked(mail);
  await first.answer(id, { value: true }, { by: ben });
  sending.open();
  await advance(5 * minute);
  expect(mail.sent).toEqual([]);
});

test('a question whose sending ends after the answer: whoever got it is told once, after it', async () => {
  const mail = new Mail();
  const sending = gate();
  mail.onSend = ({ ask }) => (ask === undefined ? undefined : sending.passed);
  const { id, first, advance } = await asked(mail);
  await first.answer(id, { value: true }, { by: cleo });
  sending.open();
  await advance(5 * minute);
  expect(mail.texts('managers')).toEqual(['Pay?', 'Pay?\nThis was already answered by Cleo.']);
});

test('a question that another process sent is noted as sent: whoever got it is told', async () => {
  const mail = new Mail();
  const { id, first, second, advance } = await asked(mail);
  await advance(minute);
  await first.stop();
  await (await second()).answer(id, { value: true }, { by: ben });
  await advance(minute);
  expect(mail.texts('managers')).toEqual(['Pay?', 'Pay?\nThis was already answered by Ben.']);
});

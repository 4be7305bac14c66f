/** One AbortSignal of a caller may end many waits, as a server's own does when it shuts down. */
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agent, text } from '../../../src/index.js';
import { onAbort } from '../../../src/machine/on-abort.js';
import { rehearse } from '../../../src/testing/index.js';
import { askHuman } from '../../../src/tools/index.js';
import { settle } from '../../support/engine.js';

const many = Array.from({ length: 15 }, (_, i) => i); // Node warns of the 11th listener
const heardBy = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
const warnings: string[] = [];
const note = ({ name }: Error) => warnings.push(name);

beforeEach(() => {
  warnings.length = 0;
  process.on('warning', note);
});
afterEach(() => {
  process.off('warning', note);
});

/** Waits of every kind with one signal: outside of turns, in turns, and in a tool. */
async function waiting(signal: AbortSignal) {
  const desk = agent('desk').onMessage(
    async ({ askAndWait }) => (await askAndWait(text('In a turn?'), { signal, answerableBy: 'anyone' })).status,
  );
  const play = await rehearse({ agents: [desk], failures: 'collect' });
  const { registry, human } = play;
  const at = (to: string) => ({ channel: 'rehearsal', to, answerableBy: 'anyone' }) as const;
  const tool = askHuman(registry, { where: { channel: 'rehearsal', to: 'operator' }, answerableBy: 'anyone' });
  await Promise.all(many.map((i) => human(`person ${i}`).says('go')));
  const opened = await Promise.all(many.map((i) => registry.ask(text('Opened?'), at(`asked ${i}`))));
  const waits: Promise<unknown>[] = [
    ...opened.map(({ askId }) => registry.wait(askId, { signal })),
    ...many.map((i) => registry.askAndWait(text('Waited for?'), { ...at(`waited ${i}`), signal })),
    ...many.map((i) => tool.execute({ prompt: `Tool ${i}?` }, { callId: `call ${i}`, signal })),
  ];
  const ended = Promise.allSettled(waits);
  while ((await play.asks()).length < 4 * many.length) await settle();
  return { ...play, ended };
}

test('many waits share a signal: Node warns of nothing, and no listener stays when they are over', async () => {
  const { signal } = new AbortController();
  const { registry, asks, ended, stop } = await waiting(signal);
  expect(heardBy(signal)).toBe(1);
  for (const { id } of await asks()) await registry.answer(id, { text: 'yes' });
  await ended;
  await settle();
  expect(await asks()).toEqual([]);
  expect([heardBy(signal), warnings]).toEqual([0, []]);
  await stop();
});

test('aborting a shared signal ends every wait with its reason', async () => {
  const leaving = new AbortController();
  const { ended, stop } = await waiting(leaving.signal);
  leaving.abort(new Error('the server stops'));
  const results = await ended;
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(3 * many.length);
  expect(new Set(results.map((each) => each.status === 'rejected' && String(each.reason)))).toEqual(
    new Set(['Error: the server stops']),
  );
  expect(heardBy(leaving.signal)).toBe(0);
  await stop();
});

test('who stops listening while the signal is aborting is not called any more', () => {
  const leaving = new AbortController();
  const called: string[] = [];
  const stops: (() => void)[] = [];
  onAbort(() => {
    called.push('first');
    for (const stop of stops) stop();
  }, leaving.signal);
  stops.push(onAbort(() => called.push('second'), leaving.signal, undefined));
  leaving.abort();
  expect(called).toEqual(['first']);
});

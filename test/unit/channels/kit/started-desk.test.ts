/** The desk of a started channel: one registry at a time. */
import { expect, test } from 'vitest';
import { StartedDesk } from '../../../../src/channels/kit/started-desk.js';
import type { Desk } from '../../../../src/channels/port.js';

const desk = (): Desk => ({ receive: async () => 'recorded' });

test('before start() and after stop() nothing is taken, and the platform is told to send it again', () => {
  const started = new StartedDesk('PagerChannel', 'pager');
  const own = desk();
  expect(() => started.current).toThrow('It takes requests after await registry.start(): send it again later.');
  started.begin(own);
  expect([started.current, started.known]).toEqual([own, own]);
  started.end();
  expect(() => started.current).toThrow('or it was stopped');
  expect(started.known).toBeUndefined();
});

test('a second registry is refused until the first one has stopped; the same one again changes nothing', () => {
  const started = new StartedDesk('PagerChannel', 'pager');
  const [first, second] = [desk(), desk()];
  started.begin(first);
  started.begin(first);
  expect(() => started.begin(second)).toThrow('The PagerChannel "pager" is started already, by another registry.');
  started.end();
  started.begin(second);
  expect(started.current).toBe(second);
});

test('a desk without a method that the channel needs is refused by the name of the method', () => {
  const started = new StartedDesk('PagerChannel', 'pager', ['follow']);
  expect(() => started.begin(desk())).toThrow('PagerChannel: its desk must have follow()');
  expect(started.known).toBeUndefined();
});

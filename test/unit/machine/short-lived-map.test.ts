/** The map for values that come and go. */
import { expect, test } from 'vitest';
import { ShortLivedMap } from '../../../src/machine/short-lived-map.js';

test('it holds what was set and not deleted, the oldest key first', () => {
  const map = new ShortLivedMap<string, number>();
  for (const [i, key] of ['a', 'b', 'c'].entries()) map.set(key, i);
  map.set('a', 7); // keeps its place
  map.delete('b');
  map.delete('never there');
  expect([map.size, map.get('a'), map.get('b'), map.has('b'), map.has('c')]).toEqual([2, 7, undefined, false, true]);
  expect([...map.values()]).toEqual([7, 2]);
  map.set('b', 9);
  expect([...map.values()]).toEqual([7, 2, 9]);
});

test('of more than so many it forgets the one that was set longest ago', () => {
  const map = new ShortLivedMap<string, number>();
  for (const [i, key] of ['a', 'b', 'a', 'c'].entries()) map.setNewest(key, i, 2);
  expect([map.has('b'), ...map.values()]).toEqual([false, 2, 3]);
});

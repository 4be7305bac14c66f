/** The map for values that come and go. */
import { expect, test } from 'vitest';
import { ShortLivedMap } from '../../src/machine/short-lived-map.js';

test('it holds what was set and not deleted, the oldest key first', () => {
  const map = new ShortLivedMap<string, number>();
  for (const [i, key] of ['a', 'b', 'c'].entries()) map.set(key, i);
  map.set('a', 7); // keeps its place
  map.delete('b');
  map.delete('never there');
  expect([map.size, map.get('a'), map.get('b'), map.has('b'), map.has('c')]).toEqual([2, 7, undefined, false, true]);
  expect([[...map.keys()], [...map.values()]]).toEqual([
    ['a', 'c'],
    [7, 2],
  ]);
  map.set('b', 9);
  expect([...map.keys()]).toEqual(['a', 'c', 'b']);
});

/** Random histories of questions in several places: who may answer, each copy, each step and the one decision are what the model says. */
import { expect, test } from 'vitest';
import { inFile, inMemory } from '../grounds.js';
import { firstWrongLadder } from './playing.js';

test('places and steps in memory come to what the model says', async () => {
  expect(await firstWrongLadder(inMemory, 6)).toBeUndefined();
});

test('places and steps in a file come to what the model says', async () => {
  expect(await firstWrongLadder(inFile, 2)).toBeUndefined();
});

/** The whole crash matrix: every crash point, every way to die, one replica and three, on both stores. */
import { type Case, crashMatrix, points, storeNames, ways } from './suite.js';

crashMatrix(
  storeNames.flatMap((store) =>
    points.flatMap((point) =>
      ways.flatMap((how) => ([1, 3] as const).map((replicas): Case => ({ store, point, how, replicas }))),
    ),
  ),
);

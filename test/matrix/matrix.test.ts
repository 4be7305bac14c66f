/**
 * A slice of the crash matrix: every crash point on both stores, the ways to die and the number of replicas in turn.
 * The whole matrix is played by matrix.long.test.ts.
 */
import { type Case, crashMatrix, points, storeNames, ways } from './suite.js';

crashMatrix(
  storeNames.flatMap((store, s) =>
    points.map((point, p): Case => {
      const how = ways[(p + s) % ways.length] as Case['how'];
      return { store, point, how, replicas: (p + s) % 2 === 0 ? 1 : 3 };
    }),
  ),
);

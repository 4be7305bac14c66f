/**
 * A slice of the crash matrix: every crash point on both stores, and every step of a flow on one of them; the ways to die, the
 * number of replicas and the way of writing change from case to case. The whole matrix is played by matrix.long.test.ts.
 */
import { type Case, crashMatrix, flowPoints, points, storeNames, ways } from './suite.js';

const howIn = (i: number) => ways[i % ways.length] as Case['how'];
const replicasIn = (i: number) => (i % 2 === 0 ? 1 : 3);

const one = storeNames.flatMap((store, s) =>
  points.map((point, p): Case => {
    const i = p + s;
    return { led: 'class-once', store, point, time: 1, how: howIn(i), replicas: replicasIn(i) };
  }),
);
const flows = flowPoints.map(
  (at, i): Case => ({
    led: i % 4 < 2 ? 'flow' : 'flowclass',
    store: storeNames[i % 2] as Case['store'],
    ...at,
    how: howIn(i),
    replicas: replicasIn(i + Math.floor(i / 4)),
  }),
);

crashMatrix([...one, ...flows]);

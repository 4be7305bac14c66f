/**
 * The whole crash matrix: every crash point, every way to die, one replica and three, on both stores. A flow is struck at
 * every step in both ways of writing; how it dies and the number of replicas change from case to case. A question that is escalated or handed
 * over is struck at each of its points: alone, because of several replicas any may take a step that is due.
 */
import { approvalPoints, type Case, crashMatrix, flowPoints, points, storeNames, ways } from './suite.js';

const one = storeNames.flatMap((store) =>
  points.flatMap((point) =>
    ways.flatMap((how) =>
      ([1, 3] as const).map((replicas): Case => ({ led: 'class-once', store, point, time: 1, how, replicas })),
    ),
  ),
);
const flows = storeNames.flatMap((store, s) =>
  flowPoints.flatMap((at, p) =>
    (['flow', 'flowclass'] as const).map((led, l): Case => {
      const how = ways[(p + s + l) % ways.length] as Case['how'];
      return { led, store, ...at, how, replicas: (p + s + l) % 2 === 0 ? 1 : 3 };
    }),
  ),
);

const approvals = storeNames.flatMap((store, s) =>
  (['ladder', 'handover'] as const).flatMap((led) =>
    approvalPoints[led].map(([point, time], p): Case => {
      return { led, store, point, time, how: ways[(p + s) % ways.length] as Case['how'], replicas: 1 };
    }),
  ),
);

crashMatrix([...one, ...flows, ...approvals]);

/**
 * One contender as a process of its own, so that nobody pays for another's garbage: it opens what it is told, and runs
 * pairs in so many lanes for so long when it is asked to.
 */
import { performance } from 'node:perf_hooks';

const { module, config } = JSON.parse(process.argv[2]);
let made = 0;

/** Runs pairs until the time is over; each lane has one conversation under way at any moment. */
async function measured(contender, lanes, ms) {
  const times = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const lane = async () => {
    for (let now = performance.now(); now - start < ms; ) {
      made += 1;
      await contender.pair(`${config.run}-${process.pid}-${made}`);
      const then = performance.now();
      times.push(then - now);
      now = then;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await contender.settled?.();
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return {
    pairs: times.length,
    perSecond: (times.length / took) * 1_000,
    p50: at(0.5),
    p99: at(0.99),
    cpu: (user + system) / times.length,
  };
}

const tell = (message) => new Promise((resolve) => process.send(message, resolve));

try {
  const { open } = await import(module);
  const contender = await open(config);
  process.on('message', ({ n, lanes, ms, call, args }) => {
    const work = call === undefined ? measured(contender, lanes, ms) : contender[call](...args);
    work.then(
      (result) => tell({ n, result }),
      (error) => tell({ n, error: String(error?.stack ?? error) }),
    );
  });
  await tell({ ready: true, version: contender.version });
} catch (error) {
  const missing = error?.code === 'ERR_MODULE_NOT_FOUND' || error?.code === 'MODULE_NOT_FOUND';
  await tell({ failed: missing ? 'not installed' : String(error?.stack ?? error) });
  process.exit(0);
}
process.on('disconnect', () => process.exit());

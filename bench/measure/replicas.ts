/** Several askback processes on one Redis, 64 lanes each: what they do together. */
import { cpus } from 'node:os';
import type { Contender } from '../crew.js';
import { median, whole } from '../page/numbers.js';
import type { ReplicaPoint } from '../page/result.js';
import { ofAllRounds, type Server, type Stage } from '../stage.js';
import { atATime, type Plan } from './rounds.js';

export const processCounts = [1, 2, 4] as const;
const lanes = 64;

interface Group {
  readonly server: Server;
  readonly members: readonly Contender[];
  readonly rates: number[];
  readonly busy: number[];
}

export async function measureReplicas(stage: Stage, plan: Plan): Promise<readonly ReplicaPoint[]> {
  const groups: Group[] = [];
  for (const count of processCounts) {
    // a server for each group: replicas that only wait listen to the hints of those that work
    const server = await stage.server();
    const members: Contender[] = [];
    for (let i = 0; i < count; i++) {
      const config = { store: 'redis', url: server.url, run: 'replicas', dist: plan.dist };
      const member = await stage.contender('askback', config);
      members.push(member);
    }
    groups.push({ server, members, rates: [], busy: [] });
  }
  await atATime(
    cpus().length,
    groups.flatMap(({ members }) => members),
    (member) => member.run(lanes, plan.warmUp),
  );
  for (const { server } of groups) await server.enlarge(ofAllRounds);
  for (let round = 0; round < plan.rounds; round++) {
    for (const { server, members, rates, busy } of groups) {
      const before = await server.cpu();
      const start = performance.now();
      const each = await Promise.all(members.map((member) => member.run(lanes, plan.ms)));
      const took = performance.now() - start;
      const after = await server.cpu();
      const rate = each.reduce((sum, one) => sum + one.perSecond, 0);
      rates.push(rate);
      if (before !== undefined && after !== undefined) busy.push((after - before) / 1_000 / took);
      plan.print(`round ${round + 1}/${plan.rounds}  ${members.length} processes: ${whole(rate)} pairs/s together`);
    }
  }
  for (const { server, members } of groups) await stage.end(...members, server);
  return groups.map(({ members, rates, busy }) => ({
    processes: members.length,
    perSecond: median(rates),
    redisBusy: busy.length === 0 ? undefined : median(busy),
  }));
}

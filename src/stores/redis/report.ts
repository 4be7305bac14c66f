/**
 * What a Redis says of itself, judged by what the store needs: role, eviction, append-only file, version, latency.
 * It only looks.
 */
import { definedFields } from '../../core/defined-fields.js';
import { systemClock } from '../../machine/clock.js';
import { addressOf, masters, type RedisClient, type RedisConnection } from './transport/client.js';
import { storeError } from './transport/errors.js';

/** One master, and what is wrong with it. */
export interface RedisReport {
  /** The address of the server, without a password. */
  readonly address: string;
  /** Its role: `master` or `slave`. */
  readonly role?: string;
  /** Its version. */
  readonly version?: string;
  /** What it does when its memory is full: `noeviction` is the only one that loses nothing. */
  readonly maxmemoryPolicy?: string;
  /** Whether it writes an append-only file. */
  readonly appendOnly?: boolean;
  /** `always`, `everysec` or `no`; absent where the server does not tell. */
  readonly appendFsync?: string;
  /** The median time of a round trip, in ms. */
  readonly latency: number;
  /** Why the store refuses to start on it. */
  readonly faults: readonly string[];
  /** What may lose data, in words. Empty: nothing that is known. */
  readonly warnings: readonly string[];
}

const pings = 5;
const slow = 20; // a turn makes up to three round trips that a person waits for

/**
 * Looks at a Redis as the store does when it opens, without opening it: for a health page or a deployment check.
 *
 * @example
 * import { checkRedis } from 'askback/stores/redis';
 * import { Redis } from 'ioredis';
 *
 * const client = new Redis('redis://localhost:6379');
 * for (const { address, faults, warnings } of await checkRedis(client)) console.log(address, faults, warnings);
 */
export function checkRedis(client: RedisClient): Promise<readonly RedisReport[]> {
  return reportsOf(client, client.isCluster === true, addressOf(client));
}

export async function reportsOf(
  connection: RedisConnection,
  isCluster: boolean,
  address: string,
): Promise<RedisReport[]> {
  return Promise.all(masters(connection, isCluster).map((master) => reportOf(master, address)));
}

async function reportOf(master: RedisConnection, address: string): Promise<RedisReport> {
  const info = await infoOf(master, address);
  const latency = await latencyOf(master, address);
  const aof = info.get('aof_enabled');
  const report = definedFields({
    address,
    latency,
    role: info.get('role'),
    version: info.get('redis_version'),
    maxmemoryPolicy: info.get('maxmemory_policy'),
    appendOnly: aof === undefined ? undefined : aof === '1',
    appendFsync: aof === '1' ? await fsyncOf(master) : undefined,
  });
  const evicts = Number(info.get('maxmemory') ?? 0) > 0;
  return { ...report, faults: [...faultsOf(report, evicts)], warnings: [...warningsOf(report)] };
}

type Facts = Omit<RedisReport, 'faults' | 'warnings'>;

function* faultsOf(
  { address, role, version, maxmemoryPolicy: policy = 'noeviction' }: Facts,
  evicts: boolean,
): Generator<string> {
  const [major = Number.NaN, minor = 0] = version === undefined ? [] : version.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2))
    yield `Redis at ${address} is version ${version}, expected 6.2 or newer, better 7. Update it.`;
  if (role === 'slave')
    yield `Redis at ${address} is a replica, expected a master: what is written there is refused or lost. Give a client of the master, or one that asks Sentinel.`;
  if (evicts && policy !== 'noeviction')
    yield `Redis at ${address} has maxmemory-policy ${policy}, expected noeviction: it would drop conversations when memory is short. Run: CONFIG SET maxmemory-policy noeviction`;
}

function* warningsOf(report: Facts): Generator<string> {
  const { address, maxmemoryPolicy, appendOnly, appendFsync, version, latency } = report;
  if (version === undefined)
    yield `Redis at ${address} does not let us look at it with INFO. Make sure that it is version 7 or newer, a master, has maxmemory-policy noeviction and an append-only file.`;
  else if (maxmemoryPolicy === undefined)
    yield `Redis at ${address} does not tell its maxmemory-policy. Make sure that it is noeviction.`;
  if (appendOnly === false)
    yield `Redis at ${address} writes no append-only file: what it acknowledged is lost when it stops. Set appendonly yes.`;
  if (appendFsync === 'no')
    yield `Redis at ${address} has appendfsync no: a machine that dies takes up to half a minute of answers with it. Set appendfsync everysec or always.`;
  if (Number.parseInt(version ?? '', 10) < 7)
    yield `Redis at ${address} is version ${version}, expected 7 or newer: when it is out of memory, running turns cannot be saved either. Update it.`;
  if (latency > slow)
    yield `Redis at ${address} answers in ${latency.toFixed(1)} ms, expected less than ${slow}: every turn waits two or three times for it. Put it nearer, or look what keeps it busy.`;
}

async function infoOf(master: RedisConnection, address: string): Promise<ReadonlyMap<string, string>> {
  try {
    const text = await master.info();
    return new Map(text.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
  } catch (cause) {
    if (cause instanceof Error && cause.message.startsWith('NOPERM')) return new Map();
    throw storeError(cause, address);
  }
}

async function latencyOf(master: RedisConnection, address: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < pings; i += 1) {
    const start = systemClock.elapsed();
    await master.ping().catch((cause: unknown) => {
      throw storeError(cause, address);
    });
    times.push(systemClock.elapsed() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(pings / 2)] as number;
}

/** Managed services often forbid CONFIG; then it is simply not known. */
async function fsyncOf(master: RedisConnection): Promise<string | undefined> {
  try {
    const answer = (await master.config('GET', 'appendfsync')) as unknown;
    return Array.isArray(answer) ? (answer[1] as string | undefined) : undefined;
  } catch {
    return undefined;
  }
}

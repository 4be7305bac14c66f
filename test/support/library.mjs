/** What child processes of the tests run on: the built library, and a Redis client of one of the releases it supports. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { ASKBACK_DIST, ASKBACK_CLIENT } = process.env;
const dist = ASKBACK_DIST ? pathToFileURL(`${resolve(ASKBACK_DIST)}/`) : new URL('../../dist/', import.meta.url);

/** A module of the built library, by its path in dist. */
export const library = (path) => import(new URL(path, dist).href);

/** ioredis: every other process runs on release 6, unless ASKBACK_CLIENT names the package for all of them. */
export function redisClients(name) {
  const odd = Number(name.split('-').at(-1)) % 2 === 1;
  return import(ASKBACK_CLIENT ?? (odd ? 'ioredis6' : 'ioredis'));
}

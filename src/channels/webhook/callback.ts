/**
 * Posts to a configured address. The name is resolved once, what it resolves to is checked, and the connection goes to what was checked.
 * It follows no redirect and decides nothing: it gives the status.
 */
import { Buffer } from 'node:buffer';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../../machine/clock.js';
import { onAbort } from '../../machine/on-abort.js';
import { isPublicAddress } from './public-address.js';

/** Where a callback goes. */
export interface CallbackTarget {
  readonly url: URL;
  /** The address may be a private one, and then http as well. */
  readonly allowPrivate: boolean;
}

/** How names are resolved and how long a post may take. */
export interface PostOptions {
  readonly clock: Clock;
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
}

const resolved = (host: string): Promise<readonly LookupAddress[]> => lookup(host, { all: true });

/** The status of the response. Rejects if there is none. */
export async function post(
  target: CallbackTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  { clock, limit, signal, resolve = resolved }: PostOptions,
): Promise<number> {
  const ended = new AbortController();
  const cancel = clock.after(limit, () => ended.abort(new Error(`There was no response within ${limit} ms.`)));
  const ignoreAbort = onAbort(() => ended.abort(new Error('The channel was stopped.')), signal);
  try {
    const aborted = new Promise<never>((_, reject) => {
      onAbort((reason) => reject(reason as Error), ended.signal);
    });
    aborted.catch(() => {}); // it may lose the race
    const addresses = await Promise.race([checkedAddresses(target, resolve), aborted]);
    return await Promise.race([sent(target.url, addresses, body, headers, ended.signal), aborted]);
  } finally {
    cancel();
    ignoreAbort();
  }
}

async function checkedAddresses(
  { url, allowPrivate }: CallbackTarget,
  resolve: (host: string) => Promise<readonly LookupAddress[]>,
): Promise<readonly LookupAddress[]> {
  const host = hostOf(url);
  const version = isIP(host);
  const addresses = version === 0 ? await resolve(host) : [{ address: host, family: version }];
  if (addresses.length === 0) throw new Error('The name of the host resolves to no address.');
  const arePublic = addresses.every(({ address }) => isPublicAddress(address));
  if (!arePublic && !allowPrivate)
    throw new Error('The name of the host resolves to an address that is not public. Set allowPrivate if it is yours.');
  if (url.protocol === 'http:' && addresses.some(({ address }) => isPublicAddress(address)))
    throw new Error('The name of the host resolves to a public address. Use https.');
  return addresses;
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function sent(
  url: URL,
  addresses: readonly LookupAddress[],
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false, // a pooled connection may have been made by somebody who checked nothing
      signal,
      lookup: (_host, options, done) => {
        const [first] = addresses as [LookupAddress];
        if (options.all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      response.on('error', () => {}); // the status is known
      resolve(response.statusCode ?? 0);
      response.destroy(); // nobody looks at its body, which may have no end
    });
    outgoing.end(body);
  });
}

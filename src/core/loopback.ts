/** Which addresses are of this machine, so that what is sent there needs no encryption. It looks up no name. */

/** True for a host of this machine, with a port or without. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?|::1)$/i.test(host);
}

/** True for an address where a text or a token can be read by no other machine on the way: https, or http on this machine. */
export function isSafeUrl({ protocol, host }: Pick<URL, 'protocol' | 'host'>): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(host));
}

/**
 * Reading a Cookie header and writing a Set-Cookie header. No cookie is trusted here.
 */

const mostHeader = 32_768;

/** The value of a cookie. Undefined where there is none, or several: then one of them may be planted by another site of the domain. */
export function cookieOf(headers: Headers, name: string): string | undefined {
  const header = headers.get('cookie') ?? '';
  if (header.length > mostHeader) return undefined;
  const values = header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

export interface CookieScope {
  readonly name: string;
  readonly path: string;
  readonly secure: boolean;
}

/** A Set-Cookie header. `maxAge` is in ms; 0 removes the cookie. */
export function setCookie({ name, path, secure }: CookieScope, value: string, maxAge: number): string {
  const attributes = [`Path=${path}`, `Max-Age=${Math.floor(maxAge / 1000)}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${name}=${value}`, ...attributes, ...(secure ? ['Secure'] : [])].join('; ');
}

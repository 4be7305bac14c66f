/** What is logged where no encrypted connection to a mail server was made. */

/** What to do about an error of TLS, by its word; undefined if it is none. `option` is `imap` or `smtp`. */
export function tlsAdvice(word: string, option: string): string | undefined {
  if (/^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/.test(word))
    return `Nobody vouches for the certificate of the server, so nothing was sent to it. Check ${option}.host; for a server of your own give ${option}.ca`;
  if (/^(?:ERR_TLS_CERT_ALTNAME|CERT_|UNABLE_TO_)/.test(word))
    return `The certificate of the server is not valid for it, so nothing was sent to it. Check ${option}.host, and when the certificate ends`;
  if (/^ERR_(?:TLS|SSL)/.test(word))
    return `No encrypted connection was made. Check ${option}.port and ${option}.secure`;
  return undefined;
}

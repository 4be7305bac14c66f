/**
 * Why no connection to a mail server was made, and what to check, for sending and for receiving. It goes by the words of errors alone: what
 * a server says may quote a password.
 */

/** The server as it is set up, and the option that its author knows it by. */
export interface TriedServer {
  readonly option: 'smtp' | 'imap';
  readonly host: string;
  readonly port: number;
  readonly secure: boolean | 'starttls';
}

const unknownName = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EDNS', 'ENODATA']);
const tooLate = new Set(['ETIMEDOUT', 'ETIMEOUT', 'CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT']);
const untrusted = /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/;
const invalid = /^(?:ERR_TLS_CERT_ALTNAME|CERT_|UNABLE_TO_)/;
const unencrypted = /^(?:ETLS$|EPROTO$|no-encryption$|ERR_(?:TLS|SSL))/;
/** What servers listen at that begin with TLS, and that upgrade to it. */
const ports = { smtp: { tls: 465, starttls: 587 }, imap: { tls: 993, starttls: 143 } };

/** `smtp.example.com:465`, for the beginning of a line. */
export function nameOfServer({ host, port }: TriedServer): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Sentences about the failure that a word names; undefined if it is about something else than the connection. */
export function connectionAdvice(word: string, server: TriedServer): string | undefined {
  const { option, secure, port } = server;
  const { tls, starttls } = ports[option];
  if (unknownName.has(word)) return `No server of that name was found. Check ${option}.host.`;
  if (word === 'ECONNREFUSED')
    return `The server could not be reached: nothing listens at that port. Check ${option}.host and ${option}.port.`;
  if (untrusted.test(word))
    return `Nobody vouches for the certificate of the server, so nothing was sent to it. Check ${option}.host; for a server of your own give ${option}.ca.`;
  if (invalid.test(word))
    return `The certificate of the server is not valid for it, so nothing was sent to it. Check ${option}.host, and when the certificate ends.`;
  if (unencrypted.test(word))
    return `No encrypted connection was made. Check ${option}.port and ${option}.secure: usual are port ${tls} with true, and port ${starttls} with 'starttls'.`;
  if (!tooLate.has(word)) return undefined;
  const hint =
    secure === true
      ? ''
      : ` A server that begins with TLS${port === tls ? ', as one at this port does,' : ` (usual at port ${tls})`} is silent until ${option}.secure is true.`;
  return `The server could not be reached, or did not answer in time. Check ${option}.host, ${option}.port and the firewall.${hint}`;
}

/**
 * A server that receives mail, as a mailbox sees it: it checks SPF, DKIM and DMARC for real (mailauth), with a DNS that answers from a
 * table, and writes down what it found above the mail.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';

/** The parts of mailauth that are used; it has no types. */
interface MailAuth {
  authenticate(mail: string, options: object): Promise<{ readonly headers: string }>;
}
interface DkimSign {
  dkimSign(mail: string, options: object): Promise<{ readonly signatures: string; readonly errors: readonly object[] }>;
}

const load = createRequire(import.meta.url);
const { authenticate } = load('mailauth') as MailAuth;
const { dkimSign } = load('mailauth/lib/dkim/sign') as DkimSign;

/** Domains that send mail: the address of their server, and their DMARC policy. The last has none. */
export const senders = {
  'example.com': { ip: '192.0.2.1', dmarc: 'v=DMARC1; p=reject' },
  'example.org': { ip: '198.51.100.1', dmarc: 'v=DMARC1; p=none' },
  'xn--bcher-kva.example': { ip: '192.0.2.7', dmarc: 'v=DMARC1; p=quarantine' },
  'example.net': { ip: '203.0.113.1', dmarc: undefined },
} as const;

export type SenderDomain = keyof typeof senders;

const keys = new Map<string, { readonly publicKey: KeyObject; readonly privateKey: KeyObject }>();
const selector = 'test';

function keyOf(domain: string): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  const key = keys.get(domain) ?? generateKeyPairSync('ed25519');
  keys.set(domain, key);
  return key;
}

/** DNS without a network. Names that are not in the table do not exist. */
async function resolver(name: string, type: string): Promise<string[][]> {
  for (const [domain, { ip, dmarc }] of Object.entries(senders)) {
    if (type !== 'TXT') continue;
    if (name === domain) return [[`v=spf1 ip4:${ip} -all`]];
    if (name === `_dmarc.${domain}` && dmarc !== undefined) return [[dmarc]];
    if (name === `${selector}._domainkey.${domain}`) {
      const { x = '' } = keyOf(domain).publicKey.export({ format: 'jwk' });
      return [[`v=DKIM1; k=ed25519; p=${Buffer.from(x, 'base64url').toString('base64')}`]];
    }
  }
  throw Object.assign(new Error(`${name} has no ${type} record`), { code: 'ENOTFOUND' });
}

/** The mail with a DKIM signature of this domain, as its server sends it. */
export async function signed(raw: string, domain: SenderDomain): Promise<string> {
  const { signatures, errors } = await dkimSign(raw, {
    algorithm: 'ed25519-sha256',
    // without it the signer reads the clock twice, and a second that changes between breaks the signature
    signTime: new Date(),
    signatureData: [
      {
        signingDomain: domain,
        selector,
        privateKey: keyOf(domain).privateKey.export({ format: 'pem', type: 'pkcs8' }),
      },
    ],
  });
  if (errors.length > 0) throw new Error(`The mail could not be signed: ${JSON.stringify(errors)}`);
  return signatures + raw;
}

/** How a mail came in. */
export interface Arrival {
  /** The address of the server that sent it; by default one that no domain allows, so that only DKIM can pass. */
  readonly ip?: string;
  readonly helo?: string;
  /** MAIL FROM; '' for a bounce. */
  readonly sender?: string;
  /** The name of this server. */
  readonly mta?: string;
  /** Leaves fields with its own name as they came, which RFC 8601 forbids. */
  readonly keepsForged?: boolean;
}

/** The raw mail as the mailbox holds it: Return-Path, Received-SPF, Authentication-Results and Received stand above it. */
export async function received(raw: string, arrival: Arrival = {}): Promise<string> {
  const { ip = '203.0.113.99', helo = 'out.example.com', sender = '', mta = 'mx.shop.example' } = arrival;
  const { headers } = await authenticate(raw, { ip, helo, sender, mta, resolver, disableBimi: true });
  const kept = arrival.keepsForged === true ? raw : withoutResultsOf(mta, raw);
  const trace = `Received: from ${helo} ([${ip}]) by ${mta} with ESMTPS; Tue, 17 Nov 2026 09:00:00 +0000`;
  return `Return-Path: <${sender}>\r\n${headers}${trace}\r\n${kept}`;
}

/** The mail without Authentication-Results fields that bear the name of this server. */
function withoutResultsOf(mta: string, raw: string): string {
  const end = raw.indexOf('\r\n\r\n');
  const fields = raw.slice(0, end).split(/\r\n(?![ \t])/);
  const id = /^authentication-results\s*:\s*([^\s;]+)/i;
  const kept = fields.filter((field) => id.exec(field)?.[1]?.toLowerCase() !== mta.toLowerCase());
  return kept.join('\r\n') + raw.slice(end);
}

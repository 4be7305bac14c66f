/**
 * The addresses of one question: where a reply to it goes, and where a mail server reports that it could not be delivered. They name the
 * ask and the copy of it, and nobody can make one up: they end with an HMAC by a secret of the channel. They say which ask a mail is about,
 * never who wrote the mail. People see the one for replies, and pass it on with what they quote; the other one is for servers alone.
 */
import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { parse, validate } from 'uuid';
import { type OptionRule, wrongOption } from '../../core/check-options.js';
import { isEqualInConstantTime } from '../../machine/secrets.js';
import { domainOf, localPart, parseAddress } from './addresses.js';

/** One message about an ask: the question has gone to several places, or was said again. */
export interface AskCopy {
  readonly askId: string;
  /** The number of the copy, 0 to 65535. */
  readonly copy: number;
}

const idBytes = 16;
const contentBytes = idBytes + 2;
/** 96 bits of the HMAC: too many to try, and few enough for a local part of 64 bytes. */
const macBytes = 12;
/** 30 bytes are exactly 48 characters, so a token has one spelling and needs no padding. */
const tokenLength = ((contentBytes + macBytes) * 8) / 5;
const longestLocalPart = 64;
const longestBase = longestLocalPart - tokenLength - 1;
const wholeDomain = '*';
/** What comes to an address: replies of people, or reports of servers. */
const purposes = { reply: 'askback mail reply v1', report: 'askback mail report v1' };

type ReplyPurpose = keyof typeof purposes;

/** Lower case alone (RFC 4648): some servers write a local part in lower case, so upper case can mean nothing. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const token = new RegExp(`^[${alphabet}]{${tokenLength}}$`);

/** The rule for the address that reply addresses are made of: `replies@shop.example`, or `*@reply.shop.example` for a domain of its own. */
export const replyBaseOption: OptionRule<string> = (value, name) => {
  const { address, name: called } = (typeof value === 'string' ? parseAddress(value) : undefined) ?? {};
  const local = localPart(address ?? '');
  if (address === undefined || called !== undefined || local.startsWith('"') || (local.includes('*') && local !== '*'))
    throw wrongOption(
      name,
      "an address such as 'replies@shop.example' or '*@reply.shop.example', without a name",
      value,
    );
  const bytes = Buffer.byteLength(local);
  if (bytes > longestBase)
    throw wrongOption(name, `an address with at most ${longestBase} bytes before the @, and it has ${bytes}`, value, {
      hint: `A token of ${tokenLength} characters is added to it, and a local part has at most ${longestLocalPart} bytes. Take a shorter one, or a domain of its own: '*@reply.shop.example'.`,
    });
  if (parseAddress(written(address, 'a'.repeat(tokenLength))) === undefined)
    throw wrongOption(name, 'an address with a shorter domain', value, {
      hint: `A token of ${tokenLength} characters is added to it, and an address has at most 254 bytes.`,
    });
  return address;
};

function written(base: string, ending: string): string {
  const local = localPart(base);
  return `${local === wholeDomain ? ending : `${local}+${ending}`}@${domainOf(base)}`;
}

interface ReplyAddressParts {
  /** What `replyBaseOption` gives. */
  readonly base: string;
  /** What `secretRule` gives. */
  readonly secrets: readonly [string, ...string[]];
  /** The name of the channel. */
  readonly channel: string;
}

/** Makes the reply addresses of one channel, and reads them. Another channel's are foreign, even with the same secret. */
export class ReplyAddresses {
  readonly #base: string;
  readonly #secrets: readonly [string, ...string[]];
  readonly #channel: string;

  /** The first secret signs; all of them are accepted, so that one can be replaced while questions are open. */
  constructor({ base, secrets, channel }: ReplyAddressParts) {
    this.#base = base;
    this.#secrets = secrets;
    this.#channel = channel;
  }

  /**
   * The address for replies to this copy of the ask, or for reports. It is the same each time, until the secret is replaced. Throws for an id
   * that is no UUID, and for a number that does not fit.
   */
  of({ askId, copy }: AskCopy, purpose: ReplyPurpose = 'reply'): string {
    const content = Buffer.alloc(contentBytes);
    content.set(parse(askId));
    content.writeUInt16BE(copy, idBytes);
    const bytes = Buffer.concat([content, this.#mac(this.#secrets[0], purpose, content)]);
    const digits = BigInt(`0x${bytes.toString('hex')}`)
      .toString(32)
      .padStart(tokenLength, '0');
    return written(
      this.#base,
      digits.replace(/./g, (digit) => alphabet[Number.parseInt(digit, 32)] as string),
    );
  }

  /** The ask and the copy that an address names; undefined if it is not one of ours for this. */
  read(address: string, purpose: ReplyPurpose = 'reply'): AskCopy | undefined {
    const found = this.#tokenIn(address);
    if (found === undefined) return undefined;
    const { askId, content, mac } = found;
    // each secret is tried: the time must not tell which one fits
    const fitting = this.#secrets.filter((secret) =>
      isEqualInConstantTime(mac, this.#mac(secret, purpose, content).toString('hex')),
    );
    return fitting.length > 0 && askId !== undefined ? { askId, copy: content.readUInt16BE(idBytes) } : undefined;
  }

  /** The ask that an address names without proof: anybody can make one up, and one that was made with another secret looks the same. */
  unproved(address: string): string | undefined {
    return this.#tokenIn(address)?.askId;
  }

  /** Whether an address is made like a reply address, whoever made it. */
  isLike(address: string): boolean {
    const local = localPart(this.#base);
    return domainOf(address) === domainOf(this.#base) && (local === wholeDomain || address.startsWith(`${local}+`));
  }

  /** Whether it is the address that reply addresses are made of, and so nothing but ours. */
  isBase(address: string): boolean {
    return address === this.#base;
  }

  /** What a token says, whoever made it; undefined for an address without one, or of another channel's base. */
  #tokenIn(given: string) {
    const { address } = parseAddress(given) ?? {};
    const ending = localPart(address ?? '').slice(-tokenLength);
    if (!token.test(ending) || address !== written(this.#base, ending)) return undefined;
    const value = [...ending].reduce((sum, digit) => sum * 32n + BigInt(alphabet.indexOf(digit)), 0n);
    const bytes = Buffer.from(value.toString(16).padStart(2 * (contentBytes + macBytes), '0'), 'hex');
    const id = bytes.toString('hex', 0, idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return {
      content: bytes.subarray(0, contentBytes),
      mac: bytes.toString('hex', contentBytes),
      askId: validate(id) ? id : undefined,
    };
  }

  /** The purpose and the channel are signed, too: the same secret may serve another channel, or sign something else. */
  #mac(secret: string, purpose: ReplyPurpose, content: Buffer): Buffer {
    const signed = JSON.stringify([purposes[purpose], this.#channel, content.toString('hex')]);
    return createHmac('sha256', secret).update(signed).digest().subarray(0, macBytes);
  }
}

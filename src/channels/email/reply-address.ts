/**
 * The addresses of one question: where a reply to it goes, and where a mail server reports that it could not be delivered. They name the
 * ask and the copy of it, and nobody can make one up: they end with an HMAC by a secret of the channel. They say which ask a mail is about,
 * never who wrote the mail. People see the one for replies, and pass it on with what they quote; the other one is for servers alone.
 */
import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { parse, stringify, validate } from 'uuid';
import { integer, type OptionRule, wrongOption } from '../../core/check-options.js';
import { isEqualInConstantTime, secretRule } from '../../machine/secrets.js';
import { domainOf, parseAddress } from './addresses.js';

/** One message about an ask: the question has gone to several places, or was said again. */
export interface AskCopy {
  readonly askId: string;
  /** The number of the copy, 0 to 65535. */
  readonly copy: number;
}

/** What comes to an address: replies of people, or reports of servers. */
export type ReplyPurpose = 'reply' | 'report';

const idBytes = 16;
const copyBytes = 2;
/** 96 bits of the HMAC: too many to try, and few enough for a local part of 64 bytes. */
const macBytes = 12;
/** 30 bytes are exactly 48 characters, so a token has one spelling and needs no padding. */
const tokenLength = ((idBytes + copyBytes + macBytes) * 8) / 5;
const longestLocalPart = 64;
const longestBase = longestLocalPart - tokenLength - 1;
const wholeDomain = '*';
const purposes: { readonly [purpose in ReplyPurpose]: string } = {
  reply: 'askback mail reply v1',
  report: 'askback mail report v1',
};

/** Lower case alone (RFC 4648): some servers write a local part in lower case, so upper case can mean nothing. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const token = new RegExp(`^[${alphabet}]{${tokenLength}}$`);

/** The rule for the address that reply addresses are made of: `replies@shop.example`, or `*@reply.shop.example` for a domain of its own. */
export const replyBaseOption: OptionRule<string> = (value, name) => {
  const { address, name: called } = (typeof value === 'string' ? parseAddress(value) : undefined) ?? {};
  const local = address?.slice(0, address.lastIndexOf('@')) ?? '';
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
  const local = base.slice(0, base.lastIndexOf('@'));
  return `${local === wholeDomain ? ending : `${local}+${ending}`}@${domainOf(base)}`;
}

/** Makes the reply addresses of one channel, and reads them. Another channel's are foreign, even with the same secret. */
export class ReplyAddresses {
  readonly #base: string;
  readonly #secrets: readonly [string, ...string[]];
  readonly #channel: string;

  /** The first secret signs; all of them are accepted, so that one can be replaced while questions are open. */
  constructor(given: {
    readonly base: string;
    readonly secrets: string | readonly string[];
    /** The name of the channel. */
    readonly channel: string;
  }) {
    this.#base = replyBaseOption(given.base, 'ReplyAddresses: base');
    this.#secrets = secretRule(given.secrets, 'ReplyAddresses: secrets');
    this.#channel = given.channel;
  }

  /** The address for replies to this copy of the ask, or for reports. It is the same each time, until the secret is replaced. */
  of({ askId, copy }: AskCopy, purpose: ReplyPurpose = 'reply'): string {
    if (!validate(askId)) throw wrongOption('ReplyAddresses: askId', 'the id of an ask, a UUID', askId);
    const content = Buffer.alloc(idBytes + copyBytes);
    content.set(parse(askId));
    content.writeUInt16BE(integer({ min: 0, max: 2 ** (8 * copyBytes) - 1 })(copy, 'ReplyAddresses: copy'), idBytes);
    const mac = this.#mac(this.#secrets[0], purpose, content);
    return written(this.#base, base32(Buffer.concat([content, mac])));
  }

  /** The ask and the copy that an address names; undefined if it is not one of ours for this. */
  read(given: string, purpose: ReplyPurpose = 'reply'): AskCopy | undefined {
    const address = parseAddress(given)?.address;
    const ending = address?.slice(0, address.lastIndexOf('@')).slice(-tokenLength) ?? '';
    if (!token.test(ending) || address !== written(this.#base, ending)) return undefined;
    const bytes = bytesOf(ending);
    const content = bytes.subarray(0, idBytes + copyBytes);
    const mac = bytes.subarray(idBytes + copyBytes).toString('hex');
    let isOurs = false; // each secret is tried: the time must not tell which one fits
    for (const secret of this.#secrets)
      if (isEqualInConstantTime(mac, this.#mac(secret, purpose, content).toString('hex'))) isOurs = true;
    if (!isOurs) return undefined;
    return { askId: stringify(content.subarray(0, idBytes)), copy: content.readUInt16BE(idBytes) };
  }

  /** Whether an address is made like a reply address, whoever made it. */
  isLike(address: string): boolean {
    const local = this.#base.slice(0, this.#base.lastIndexOf('@'));
    if (domainOf(address) !== domainOf(this.#base)) return false;
    return local === wholeDomain || address.startsWith(`${local}+`);
  }

  /** The ask that an address names without proof: anybody can make one up, and one that was made with another secret looks the same. */
  unproved(address: string): string | undefined {
    const ending = address.slice(0, address.lastIndexOf('@')).slice(-tokenLength);
    if (!token.test(ending) || address !== written(this.#base, ending)) return undefined;
    const id = bytesOf(ending).subarray(0, idBytes);
    const text = id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return validate(text) ? text : undefined;
  }

  /** Whether it is the address that reply addresses are made of, and so nothing but ours. */
  isBase(address: string): boolean {
    return address === this.#base;
  }

  /** The purpose and the channel are signed, too: the same secret may serve another channel, or sign something else. */
  #mac(secret: string, purpose: ReplyPurpose, content: Buffer): Buffer {
    const signed = JSON.stringify([purposes[purpose], this.#channel, content.toString('hex')]);
    return createHmac('sha256', secret).update(signed).digest().subarray(0, macBytes);
  }
}

function base32(bytes: Uint8Array): string {
  let text = '';
  let [bits, held] = [0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >>> (bits - 5)) & 31];
    held &= 31; // less than five bits are left
  }
  return text;
}

function bytesOf(text: string): Buffer {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const character of text) {
    held = ((held << 5) | alphabet.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >>> bits) & 0xff);
    }
  }
  return Buffer.from(bytes);
}

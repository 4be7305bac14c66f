/** Reply addresses: each names one copy of one ask, and nobody without the secret can make one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../../../src/channels/email/addresses.js';
import { ReplyAddresses, replyBaseOption } from '../../../../src/channels/email/reply-address.js';
import type { AgentError } from '../../../../src/core/errors.js';
import { routedId } from '../../../../src/core/ids.js';
import { anyCharacter } from '../../../support/any-character.js';

const secret = 'first secret of the reply addresses';
const newer = 'newer secret of the reply addresses';
const askId = routedId('mail:anna@example.com', 'turn', 'What is your order number?', '0');
interface Given {
  readonly base?: string;
  readonly secrets?: readonly [string, ...string[]];
  readonly channel?: string;
}
const replies = ({ base = 'replies@shop.example', secrets = [secret], channel = 'mail' }: Given = {}) =>
  new ReplyAddresses({ base: replyBaseOption(base, 'base'), secrets, channel });

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return `${(error as AgentError).code}: ${(error as AgentError).message}`;
  }
  return 'none';
}

/** The address with another character at this place of its local part. */
function changed(address: string, at: number): string {
  const other = address[at] === 'a' ? 'b' : 'a';
  return address.slice(0, at) + other + address.slice(at + 1);
}

describe('an address', () => {
  test.each([
    ['replies@shop.example', /^replies\+[a-z2-7]{48}@shop\.example$/],
    ['Replies@Shop.example', /^replies\+[a-z2-7]{48}@shop\.example$/],
    ['replies+eu@shop.example', /^replies\+eu\+[a-z2-7]{48}@shop\.example$/],
    ['*@reply.shop.example', /^[a-z2-7]{48}@reply\.shop\.example$/],
    ['replies@bücher.example', /^replies\+[a-z2-7]{48}@xn--bcher-kva\.example$/],
  ])('made of %s names the ask and the copy again', (base, expected) => {
    const ours = replies({ base });
    const address = ours.of({ askId, copy: 3 });
    expect(address).toMatch(expected);
    expect(parseAddress(address)).toEqual({ address });
    expect(ours.read(address)).toEqual({ askId, copy: 3 });
  });

  test('of any ask and copy is read as what it was made of, in upper case, too', () => {
    const ours = replies();
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 65_535 }), (conversation, copy) => {
        const named = { askId: routedId(conversation, 'turn'), copy };
        const address = ours.of(named);
        expect(ours.read(address)).toEqual(named);
        expect(ours.read(address.toUpperCase())).toEqual(named);
      }),
      { numRuns: 200 },
    );
  });

  test('is the same each time, and another for each copy', () => {
    expect(replies().of({ askId, copy: 0 })).toBe(replies().of({ askId, copy: 0 }));
    expect(replies().of({ askId, copy: 0 })).not.toBe(replies().of({ askId, copy: 1 }));
  });

  test('keeps its meaning in later versions: questions are open for weeks', () => {
    const id = '01234567-89ab-8def-8123-456789abcdef';
    const address = replies().of({ askId: id, copy: 258 });
    expect(address).toBe('replies+aerukz4jvog67ajdivtytk6n54aqfmunn5raited4gbkxfqe@shop.example');
  });
});

describe('what is not ours names nothing', () => {
  const ours = replies();
  const address = ours.of({ askId, copy: 0 });
  const [local = '', domain = ''] = address.split('@');

  test('an address with one character changed', () => {
    const wrong = Array.from(local, (_, at) => changed(address, at));
    expect(wrong.filter((each) => ours.read(each) !== undefined)).toEqual([]);
  });

  test.each([
    ['a truncated token', `${local.slice(0, -1)}@${domain}`],
    ['a token with padding', `${local}=@${domain}`],
    ['a token with one character more', `${local}a@${domain}`],
    ['a token with one character before it', `${local.replace('+', '+a')}@${domain}`],
    ['another domain', `${local}@shop.example.org`],
    ['a subdomain', `${local}@mx.${domain}`],
    ['another local part', `${local.replace('replies', 'refunds')}@${domain}`],
    ['no token', `replies@${domain}`],
    ['a token alone', `${local.replace('replies+', '')}@${domain}`],
    ['a quoted local part with more in it', `"x ${local}"@${domain}`],
    ['two addresses', `${address}, ${address}`],
    ['a line break', `${address}\r\nBcc: eve@example.org`],
    ['nothing', ''],
  ])('%s', (_, given) => {
    expect(ours.read(given)).toBeUndefined();
  });

  test('any string', () => {
    const tokens = fc.stringMatching(/^[a-z2-7]{48}$/).map((each) => `replies+${each}@shop.example`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), tokens), (given) => {
        expect(ours.read(given)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  test('a token of another channel with the same secret, and of another secret', () => {
    expect(ours.read(replies({ channel: 'orders' }).of({ askId, copy: 0 }))).toBeUndefined();
    expect(ours.read(replies({ secrets: [newer] }).of({ askId, copy: 0 }))).toBeUndefined();
  });
});

test('a secret is replaced without losing the replies to open questions', () => {
  const rotated = [[secret], [newer, secret], [newer]] as const;
  const [before, during, after] = rotated.map((secrets) => replies({ secrets }));
  const open = before?.of({ askId, copy: 0 }) ?? '';
  const fresh = during?.of({ askId, copy: 0 }) ?? '';
  expect(during?.read(open)).toEqual({ askId, copy: 0 });
  expect(fresh).toBe(after?.of({ askId, copy: 0 }));
  expect(after?.read(fresh)).toEqual({ askId, copy: 0 });
  expect(after?.read(open)).toBeUndefined();
});

describe('a wrong option is refused with what to do', () => {
  test.each([
    ['replies', "must be an address such as 'replies@shop.example' or '*@reply.shop.example', without a name"],
    ['Replies <replies@shop.example>', 'without a name, got "Replies <replies@shop.example>"'],
    ['re*@shop.example', "must be an address such as 'replies@shop.example'"],
    ['"a b"@shop.example', "must be an address such as 'replies@shop.example'"],
    ['sixteencharacter@shop.example', 'with at most 15 bytes before the @, and it has 16'],
    [`replies@${`${'a'.repeat(60)}.`.repeat(3)}shopping.example`, 'must be an address with a shorter domain'],
    [undefined, 'got nothing'],
  ])('base %s', (base, expected) => {
    const problem = problemOf(() => replyBaseOption(base, 'EmailChannel: replyTo'));
    expect(problem).toContain('bad-option: EmailChannel: replyTo must be');
    expect(problem).toContain(expected);
  });

  test('a base of 15 bytes is accepted, and its addresses have a local part of 64', () => {
    const address = replies({ base: 'fifteencharacte@shop.example' }).of({ askId, copy: 0 });
    expect(address.indexOf('@')).toBe(64);
  });

  test('an ask or a copy that no address can name', () => {
    const ours = replies();
    expect(() => ours.of({ askId: 'ask-1', copy: 0 })).toThrow(/UUID/);
    for (const copy of [-1, 65_536]) expect(() => ours.of({ askId, copy })).toThrow(/out of range/);
  });
});

/** Mail addresses: one spelling each, and nothing that another program might read as somebody else. */
import fc from 'fast-check';
import { decodeWords } from 'postal-mime';
import { describe, expect, test } from 'vitest';
import {
  addressOfParticipant,
  asciiDomain,
  domainOf,
  headerText,
  type MailAddress,
  mailAddressOption,
  parseAddress,
  parseAddresses,
  participantIdOf,
} from '../../../../src/channels/email/addresses.js';
import type { AgentError } from '../../../../src/core/errors.js';
import { anyCharacter } from '../../../support/any-character.js';

const anna = 'anna@example.com';
const addressesOf = (value: string) => parseAddresses(value)?.map(({ address }) => address);

describe('one address', () => {
  test.each<[string, MailAddress]>([
    [anna, { address: anna }],
    ['<anna@example.com>', { address: anna }],
    [' \t anna@example.com ', { address: anna }],
    ['Anna <anna@example.com>', { address: anna, name: 'Anna' }],
    ['Anna B. Smith <anna@example.com>', { address: anna, name: 'Anna B. Smith' }],
    ['"Smith, Anna" <anna@example.com>', { address: anna, name: 'Smith, Anna' }],
    [String.raw`"Anna \"Ann\" \\ Smith" <anna@example.com>`, { address: anna, name: String.raw`Anna "Ann" \ Smith` }],
    ['"eve@example.org" <anna@example.com>', { address: anna, name: 'eve@example.org' }],
    ['(a (nested) comment) Anna (x) < anna@example.com > (y)', { address: anna, name: 'Anna' }],
    ['(eve@example.org) anna@example.com', { address: anna }],
    ['anna@example.com (<eve@example.org>)', { address: anna }],
    [String.raw`(\) eve@example.org) anna@example.com`, { address: anna }],
    ['Anna.Smith+Shop@EXAMPLE.Com', { address: 'anna.smith+shop@example.com' }],
    ['"anna"@example.com', { address: anna }],
    ['"anna..smith"@example.com', { address: '"anna..smith"@example.com' }],
    ['"Anna Smith"@example.com', { address: '"anna smith"@example.com' }],
    ['anna@bücher.example', { address: 'anna@xn--bcher-kva.example' }],
    ['anna@BÜCHER.example', { address: 'anna@xn--bcher-kva.example' }],
    ['anna@XN--BCHER-KVA.example', { address: 'anna@xn--bcher-kva.example' }],
    ['anna@straße.example', { address: 'anna@xn--strae-oqa.example' }],
    ['Jose\u0301@example.com', { address: 'jos\u00e9@example.com' }],
    ['Jörg <anna@example.com>', { address: anna, name: 'Jörg' }],
    ['"" <anna@example.com>', { address: anna }],
  ])('%s', (value, expected) => {
    expect(parseAddress(value)).toEqual(expected);
  });

  test.each<[string, MailAddress]>([
    ['=?utf-8?Q?J=C3=B6rg_M=C3=BCller?= <anna@example.com>', { address: anna, name: 'Jörg Müller' }],
    ['=?UTF-8?B?SsO2cmc=?= =?utf-8?q?_M=C3=BCller?= <anna@example.com>', { address: anna, name: 'Jörg Müller' }],
    ['=?utf-8?B?w?= =?utf-8?B?tg==?= <anna@example.com>', { address: anna, name: '\ufffd' }],
    ['=?iso-8859-1?q?J=F6rg?= Smith <anna@example.com>', { address: anna, name: 'Jörg Smith' }],
    ['=?iso-2022-jp?B?GyRCOzNFRBsoQg==?= <anna@example.com>', { address: anna, name: '山田' }],
    ['=?utf-8?q?=3Ceve=40example.org=3E=2C?= <anna@example.com>', { address: anna, name: '<eve@example.org>,' }],
    [
      '=?utf-8?q?a=0D=0ABcc=3A_eve=40example.org?= <anna@example.com>',
      { address: anna, name: 'a Bcc: eve@example.org' },
    ],
    ['=?utf-8?q?=E2=80=AEanna?= <anna@example.com>', { address: anna, name: 'anna' }],
    ['=?unknown?q?anna?= <anna@example.com>', { address: anna, name: 'anna' }],
  ])('with encoded words in its name: %s', (value, expected) => {
    expect(parseAddresses(value, decodeWords)).toEqual([expected]);
  });

  test.each([
    ['nothing', ''],
    ['no address', 'anna'],
    ['no local part', '@example.com'],
    ['no domain', 'anna@'],
    ['an empty quoted local part', '""@example.com'],
    ['two @', 'anna@example.org@example.com'],
    ['an @ in a quoted local part', '"anna@example.org"@example.com'],
    ['a quoted local part that others would read as a list', '"eve@example.org, anna"@example.com'],
    ['angle brackets in a quoted local part', '"<eve>"@example.com'],
    ['an escaped quote in a local part', String.raw`"an\"na"@example.com`],
    ['an encoded word as local part', '=?utf-8?q?eve=40example.org=3E?=@example.com'],
    ['two addresses', 'anna@example.com, eve@example.org'],
    ['two addresses without a comma', 'anna@example.com eve@example.org'],
    ['two addresses in brackets', '<anna@example.com> <eve@example.org>'],
    ['an address before the brackets', 'anna@example.com <eve@example.org>'],
    ['text after the brackets', '<anna@example.com> eve'],
    ['brackets in brackets', '<<anna@example.com>>'],
    ['an open bracket', 'Anna <anna@example.com'],
    ['a closing bracket alone', 'anna@example.com>'],
    ['an empty bracket', '<>'],
    ['a route', '<@example.org:anna@example.com>'],
    ['a group', 'Team: anna@example.com;'],
    ['an empty group', 'undisclosed-recipients:;'],
    ['an open comment', 'anna@example.com (x'],
    ['a comment that is closed twice', 'anna@example.com (x))'],
    ['an open quoted string', '"Anna <anna@example.com>'],
    ['a comment within the address', 'anna(x)@example.com'],
    ['white space within the address', 'anna @example.com'],
    ['white space after the @', 'anna@ example.com'],
    ['a full stop at the start', '.anna@example.com'],
    ['a full stop at the end', 'anna.@example.com'],
    ['two full stops', 'an..na@example.com'],
    ['a domain that ends with a full stop', 'anna@example.com.'],
    ['a domain with an empty label', 'anna@example..com'],
    ['a domain with a hyphen at the start of a label', 'anna@-example.com'],
    ['a domain with a hyphen at the end of a label', 'anna@example-.com'],
    ['a domain with an underscore', 'anna@exa_mple.com'],
    ['a domain with percent encoding', 'anna@ex%61mple.com'],
    ['a quoted domain', 'anna@"example.com"'],
    ['an address literal', 'anna@[192.0.2.1]'],
    ['an IPv4 address', 'anna@192.0.2.1'],
    ['a label of 64 characters', `anna@${'a'.repeat(64)}.example`],
    ['a local part of 65 bytes', `${'a'.repeat(65)}@example.com`],
    ['a local part of 66 bytes in 33 characters', `${'é'.repeat(33)}@example.com`],
    ['255 bytes', `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(11)}`],
    ['CR and LF', 'anna@example.com\r\nBcc: eve@example.org'],
    ['LF in a name', 'Anna\nEve <anna@example.com>'],
    ['CR in a quoted name', '"Anna\r" <anna@example.com>'],
    ['NUL', 'anna\0@example.com'],
    ['a control character', 'an\u0007na@example.com'],
    ['a C1 control character', 'an\u0085na@example.com'],
    ['a direction override', 'an\u202ena@example.com'],
    ['a zero-width space', 'an\u200bna@example.com'],
    ['a zero-width joiner', 'an\u200dna@example.com'],
    ['a soft hyphen in the domain', 'anna@exam\u00adple.com'],
    ['half a character', 'an\ud83dna@example.com'],
    ['the Kelvin sign, which becomes k', 'mar\u212a@example.com'],
    ['the Greek question mark, which becomes a semicolon', 'anna\u037eeve@example.com'],
    ['a full-width letter', '\uff41nna@example.com'],
    ['the Kelvin sign in the domain', 'anna@ban\u212a.example'],
    ['a full-width letter in the domain', 'anna@\uff45xample.com'],
    ['an ideographic full stop in the domain', 'anna@example\u3002com'],
    ['a full-width commercial at', 'anna\uff20example.com'],
  ])('%s is refused', (_, value) => {
    expect(parseAddress(value)).toBeUndefined();
  });

  test('the longest address is accepted', () => {
    const longest = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(10)}`;
    expect(longest).toHaveLength(254);
    expect(parseAddress(longest)).toEqual({ address: longest });
  });
});

describe('a list of addresses', () => {
  test.each([
    ['anna@example.com, Eve <eve@example.org>', [anna, 'eve@example.org']],
    ['"Smith, Anna" <anna@example.com>,\teve@example.org', [anna, 'eve@example.org']],
  ])('%s', (value, expected) => {
    expect(addressesOf(value)).toEqual(expected);
  });

  test.each([
    'anna@example.com,',
    ',anna@example.com',
    'anna@example.com,,eve@example.org',
    'anna@example.com; eve@example.org',
    'Team: anna@example.com',
    ': anna@example.com;',
    'A: B: anna@example.com;;',
    'Team: anna@example.com; eve@example.org',
    'anna@example.com, <eve',
    'Team: anna@example.com, eve@example.org;',
    'eve@example.org, Team: anna@example.com;, bob@example.net',
    'undisclosed-recipients:;',
    'Team (all, of us): anna@example.com;',
  ])('%s is refused as a whole', (value) => {
    expect(parseAddresses(value)).toBeUndefined();
  });

  test('a value of a megabyte is refused, and one of a hundred thousand open comments is, too', () => {
    expect(parseAddresses('anna@example.com,'.repeat(60_000))).toBeUndefined();
    expect(parseAddresses('('.repeat(100_000))).toBeUndefined();
    expect(parseAddresses('=?utf-8?q?'.repeat(9_000), decodeWords)).toBeUndefined();
  });
});

/** Strings in which the characters that mean something in a header are frequent. */
const crafted = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'<>@,;:()"\\.[] \t=?', '\r', '\n', '\0', '\r\n', '\u2028', '\u0085', '\u202e', '\u001b[31m'),
      fc.constantFrom('anna', 'example.com', 'anna@example.com', '=?utf-8?q?', '=0D=0A', '?=', 'Bcc:', '…', 'İ', 'Σ'),
      fc.string({ unit: anyCharacter, maxLength: 6 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

/** The address as it stands in a header field. */
function formatAddress({ address, name = '' }: MailAddress): string {
  const safe = headerText(name, 100).replace(/["\\]/g, '\\$&');
  return safe === '' ? address : `"${safe}" <${address}>`;
}

const lineBreaks = /[\p{Cc}\u2028\u2029]/u;

describe('whatever the text', () => {
  test('a header value has no line break, no control character and no encoded word', () => {
    fc.assert(
      fc.property(crafted, fc.integer({ min: 1, max: 60 }), (text, longest) => {
        const value = headerText(text, longest);
        expect(value).not.toMatch(lineBreaks);
        expect(value).not.toContain('=?');
        expect([...value].length).toBeLessThanOrEqual(longest);
        expect(value.isWellFormed()).toBe(true);
        expect(headerText(value, longest)).toBe(value);
      }),
      { numRuns: 300 },
    );
  });

  test('an address that is parsed has no line break and one @, and is parsed again as the same', () => {
    fc.assert(
      fc.property(crafted, (text) => {
        for (const found of parseAddresses(text, decodeWords) ?? []) {
          const formatted = formatAddress(found);
          expect(formatted).not.toMatch(lineBreaks);
          expect(found.address.split('@')).toHaveLength(2);
          expect(parseAddress(formatted)).toEqual(found);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('an address with any name is parsed again as the same', () => {
    const local = fc.oneof(
      fc.constantFrom('anna', '"anna smith"', '"a..b"', 'a.b+c', "o'brien"),
      fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=^_`{|}~-]{1,20}$/),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    );
    const domain = fc.oneof(fc.domain(), fc.constantFrom('bücher.example', '例え.example', 'EXAMPLE.com'));
    let parsed = 0;
    fc.assert(
      fc.property(local, domain, crafted, (part, host, name) => {
        const address = parseAddress(`${part}@${host}`)?.address;
        if (address === undefined) return; // a grapheme that is not allowed
        parsed += 1;
        const safe = headerText(name, 100);
        const expected = safe === '' ? { address } : { address, name: safe };
        expect(parseAddress(formatAddress({ address, name }))).toEqual(expected);
        expect(addressOfParticipant(participantIdOf(address))).toBe(address);
        expect(asciiDomain(domainOf(address))).toBe(domainOf(address));
      }),
      { numRuns: 300 },
    );
    expect(parsed).toBeGreaterThan(100);
  });
});

test('a subject that is too long ends with an ellipsis', () => {
  expect(headerText('a'.repeat(300))).toBe(`${'a'.repeat(199)}…`);
  expect(headerText('😀'.repeat(5), 4)).toBe('😀😀😀…');
  expect(headerText('Refund\r\nBcc: eve@example.org')).toBe('Refund Bcc: eve@example.org');
});

test('the participant of an address is found again, and one of another channel is not', () => {
  expect(participantIdOf(anna)).toBe('mail:anna@example.com');
  expect(addressOfParticipant('mail:anna@example.com')).toBe(anna);
  for (const id of [
    'slack:T1/U1',
    'mail:',
    'mail:Anna@example.com',
    'mail:Anna <anna@example.com>',
    'web:anna@example.com',
  ])
    expect(addressOfParticipant(id)).toBeUndefined();
});

test('an option that is no address is refused with what was expected', () => {
  expect(mailAddressOption('Refunds <refunds@shop.example>', 'from')).toEqual({
    address: 'refunds@shop.example',
    name: 'Refunds',
  });
  const problem = (value: unknown) => {
    try {
      mailAddressOption(value, 'EmailChannel: from');
    } catch (error) {
      return `${(error as AgentError).code}: ${(error as AgentError).message}`;
    }
    return 'none';
  };
  const expected = 'one mail address such as anna@example.com or Refunds <refunds@shop.example>';
  expect(problem('refunds')).toBe(`bad-option: EmailChannel: from must be ${expected}, got "refunds".`);
  expect(problem(undefined)).toBe(`bad-option: EmailChannel: from must be ${expected}, got nothing.`);
  expect(problem('a@example.com, b@example.com')).toContain('got "a@example.com, b@example.com"');
});

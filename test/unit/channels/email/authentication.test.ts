/** Who wrote a mail: only the word of the server that received it counts, whatever the sender has written. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  authorOf,
  type MailAuthor,
  type MailTrust,
  mailTrustOption,
  parseAuthenticationResults,
} from '../../../../src/channels/email/incoming/authentication.js';
import type { HeaderField } from '../../../../src/channels/email/incoming/header-fields.js';
import { authorsIn } from '../../../../src/channels/email/incoming/mime.js';
import type { AgentError } from '../../../../src/core/errors.js';
import { reader } from '../../../support/mail/read.js';
import { type Arrival, received, senders, signed } from '../../../support/mail/receiving-server.js';

const mx = 'mx.shop.example';
const trust: MailTrust = { authservId: mx };
const anna: MailAuthor = { ok: true, address: { address: 'anna@example.com' } };
const refused = (why: string) => ({ ok: false, why });

/** The header fields of a raw mail, unfolded. */
function headersOf(raw: string): { name: string; value: string }[] {
  const fields = raw.slice(0, raw.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/);
  return fields.map((field) => {
    const colon = field.indexOf(':');
    return { name: field.slice(0, colon).toLowerCase(), value: field.slice(colon + 1).replaceAll('\r\n', '') };
  });
}

const mailFrom = (from: string, more = '') =>
  `${more}From: ${from}\r\nTo: replies@shop.example\r\nSubject: Re: Refund?\r\n\r\nyes\r\n`;

const authorOfRaw = (raw: string) => authorIn(headersOf(raw));
const authorAfter = async (raw: string, arrival: Arrival = {}) => authorOfRaw(await received(raw, arrival));

const authorIn = (headers: readonly HeaderField[], by: MailTrust = trust) =>
  authorOf({ headers, from: authorsIn(headers) }, by);

/** The author by fields alone: those of the results from the top, and From. */
const authorBy = (results: string | readonly string[], from = 'anna@example.com', by: MailTrust = trust) =>
  authorIn(
    [...[results].flat().map((value) => ({ name: 'authentication-results', value })), { name: 'from', value: from }],
    by,
  );

describe('a mail that was checked for real', () => {
  test('is its author’s if it is signed by their domain', async () => {
    expect(await authorAfter(await signed(mailFrom('anna@example.com'), 'example.com'))).toEqual(anna);
  });

  test('is its author’s also if the clock goes on while it is signed', async () => {
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      now += 1_000;
      return now;
    });
    onTestFinished(() => clock.mockRestore());
    expect(await authorAfter(await signed(mailFrom('anna@example.com'), 'example.com'))).toEqual(anna);
  });

  test('is its author’s if it comes from a server of their domain', async () => {
    const arrival = { ip: senders['example.com'].ip, sender: 'anna@example.com' };
    expect(await authorAfter(mailFrom('anna@example.com'), arrival)).toEqual(anna);
  });

  test('is its author’s in a domain that asks for no policy, because the signature is still theirs', async () => {
    const author = await authorAfter(await signed(mailFrom('Eve <eve@example.org>'), 'example.org'));
    expect(author).toEqual({ ok: true, address: { address: 'eve@example.org', name: 'Eve' } });
  });

  test('is its author’s in an international domain', async () => {
    const domain = 'xn--bcher-kva.example';
    const author = await authorAfter(await signed(mailFrom(`anna@${domain}`), domain));
    expect(author).toEqual({ ok: true, address: { address: `anna@${domain}` } });
  });

  test('is nobody’s if From is forged', async () => {
    expect(await authorAfter(mailFrom('anna@example.com'))).toEqual(refused('dmarc-fail'));
    const fromEve = { ip: senders['example.org'].ip, sender: 'eve@example.org' };
    expect(await authorAfter(mailFrom('anna@example.com'), fromEve)).toEqual(refused('dmarc-fail'));
  });

  test('is nobody’s if it is signed by another domain', async () => {
    const raw = await signed(mailFrom('anna@example.com'), 'example.org');
    expect(await authorAfter(raw)).toEqual(refused('dmarc-fail'));
  });

  test('is nobody’s if its text or its From was changed after it was signed', async () => {
    const raw = await signed(mailFrom('anna@example.com'), 'example.com');
    expect(await authorAfter(raw.replace('\r\n\r\nyes', '\r\n\r\nno'))).toEqual(refused('dmarc-fail'));
    expect(await authorAfter(raw.replace('From: anna@', 'From: bob@'))).toEqual(refused('dmarc-fail'));
  });

  test('is nobody’s if its domain has no DMARC policy, signed or not', async () => {
    const raw = await signed(mailFrom('carl@example.net'), 'example.net');
    expect(await authorAfter(raw)).toEqual(refused('dmarc-none'));
  });

  test('is nobody’s if it has a second From, above or below the signed one', async () => {
    const raw = await signed(mailFrom('anna@example.com'), 'example.com');
    expect(await authorAfter(`From: bob@example.com\r\n${raw}`)).toEqual(refused('two-from'));
    expect(await authorAfter(raw.replace('\r\n\r\n', '\r\nFrom: bob@example.com\r\n\r\n'))).toEqual(
      refused('two-from'),
    );
  });

  describe('and brings results of its own', () => {
    const forged = (id: string) => `Authentication-Results: ${id}; dmarc=pass header.from=example.com\r\n`;
    const raw = mailFrom('anna@example.com', forged(mx));

    test('is nobody’s, whether the server has removed them or not', async () => {
      expect(await authorAfter(raw)).toEqual(refused('dmarc-fail'));
      expect(await received(raw)).not.toContain('dmarc=pass');
      expect(await authorAfter(raw, { keepsForged: true })).toEqual(refused('dmarc-fail'));
      expect(await received(raw, { keepsForged: true })).toContain('dmarc=pass');
    });

    test('is nobody’s if a server after the trusted one has written above it', async () => {
      const proved = await received(await signed(mailFrom('anna@example.com'), 'example.com'));
      expect(authorOfRaw(proved)).toEqual(anna);
      expect(authorOfRaw(forged('mx.example.org') + proved)).toEqual(refused('other-server'));
    });

    test('is nobody’s if the server wrote none', () => {
      expect(authorOfRaw(mailFrom('anna@example.com'))).toEqual(refused('no-authentication-results'));
      const arc = `ARC-Authentication-Results: i=1; ${mx}; dmarc=pass header.from=example.com\r\n`;
      const original = `Authentication-Results-Original: ${mx}; dmarc=pass header.from=example.com\r\n`;
      const x = `X-Authentication-Results: ${mx}; dmarc=pass header.from=example.com\r\n`;
      expect(authorOfRaw(mailFrom('anna@example.com', arc + original + x))).toEqual(
        refused('no-authentication-results'),
      );
    });
  });
});

describe('the field of the receiving server', () => {
  test.each([
    ['alone', `${mx}; dmarc=pass header.from=example.com`],
    ['with a version', `${mx} 1; dmarc=pass header.from=example.com`],
    ['with a version of the method', `${mx}; dmarc/1=pass header.from=example.com`],
    ['with the id in upper case', `MX.Shop.Example; dmarc=pass header.from=example.com`],
    ['with a quoted id', `"${mx}"; dmarc=pass header.from=example.com`],
    ['with the domain in upper case', `${mx}; dmarc=pass header.from=EXAMPLE.com`],
    ['with a quoted domain', `${mx}; dmarc=pass header.from="example.com"`],
    ['with white space everywhere', ` ${mx}\t; dmarc = pass header.from = example.com ; `],
    ['with comments everywhere', `(a)${mx}(b(c));(d)dmarc(e)=(f)pass(g)header.from(h)=(i)example.com(j)`],
    [
      'of Gmail',
      `${mx}; dkim=pass header.i=@example.com header.s=s1 header.b=aB/c+d=; arc=pass (i=1 spf=pass spfdomain=example.com dkim=pass dkdomain=example.com dmarc=pass fromdomain=example.com); spf=pass (google.com: domain of anna@example.com designates 192.0.2.1 as permitted sender) smtp.mailfrom=anna@example.com; dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=example.com`,
    ],
    [
      'of Fastmail',
      `${mx}; arc=none (no signatures found); bimi=skipped (DMARC Policy is not at enforcement); dkim=pass (2048-bit rsa key sha256) header.d=example.com header.i=@example.com header.b=aBcD; dmarc=pass policy.published-domain-policy=none policy.applied-disposition=none policy.evaluated-disposition=none (p=none,d=none,d.eval=none) policy.policy-from=p header.from=example.com; iprev=pass smtp.remote-ip=192.0.2.1 (mail.example.com); spf=pass smtp.mailfrom=anna@example.com smtp.helo=mail.example.com`,
    ],
    [
      'of Yahoo',
      `${mx}; dkim=pass header.i=@example.com header.s=s1; spf=pass smtp.mailfrom=example.com; dmarc=pass(p=NONE) header.from=example.com;`,
    ],
    ['of OpenDMARC', `${mx}; dmarc=pass (p=none dis=none) header.from=example.com`],
    [
      'with a result of another method that is not well written',
      `${mx}; spf=pass smtp.mailfrom= smtp.helo=x; auth=pass (cram) smtp.auth=<> what is this; dmarc=pass header.from=example.com`,
    ],
  ])('proves the author: %s', (_, field) => {
    expect(authorBy(field)).toEqual(anna);
  });

  test.each([
    ['other-server', 'mx.example.org; dmarc=pass header.from=example.com'],
    ['other-server', `a.${mx}; dmarc=pass header.from=example.com`],
    ['other-server', `${mx}.example.org; dmarc=pass header.from=example.com`],
    ['other-server', `${mx}.; dmarc=pass header.from=example.com`],
    ['other-server', 'dmarc=pass header.from=example.com'],
    ['other-server', `(${mx}) mx.example.org; dmarc=pass header.from=example.com`],
    ['other-server', `"${mx} "; dmarc=pass header.from=example.com`],
    ['bad-authentication-results', `${mx} 2; dmarc=pass header.from=example.com`],
    ['bad-authentication-results', `${mx} mx.example.org; dmarc=pass header.from=example.com`],
    ['bad-authentication-results', `${mx} dmarc; dmarc=pass header.from=example.com`],
    ['bad-authentication-results', '; dmarc=pass header.from=example.com'],
    ['bad-authentication-results', ''],
    ['bad-authentication-results', `${mx}; dmarc=pass header.from=example.com (`],
    ['bad-authentication-results', `${mx}; dmarc=pass header.from="example.com`],
    ['bad-authentication-results', `${mx}; dmarc/2=pass header.from=example.com`],
    ['bad-authentication-results', `${mx}; dmarc / 1=pass header.from=example.com`],
    ['bad-authentication-results', `${mx}; dmarc="pass" header.from=example.com`],
    ['bad-authentication-results', `${mx}; dmarc=pass=fail header.from=example.com`],
    ['bad-authentication-results', `${mx}; dmarc=pass example.com`],
    ['bad-authentication-results', `${mx}; dmarc pass header.from=example.com`],
    ['bad-authentication-results', `${mx}; dmarc=pass header.from= header.d=example.com`],
    ['bad-authentication-results', `${mx}; dmarc=pass header.from=example.com\r\n x`],
    ['bad-authentication-results', `${mx}; dmarc=pass header.from=example.com ${'('.repeat(70_000)}`],
    ['bad-authentication-results', `${mx}; dmarc=pass header.from=example.com (; dmarc=fail)`],
    ['no-dmarc', mx],
    ['no-dmarc', `${mx}; none`],
    ['no-dmarc', `${mx}; dkim=pass header.d=example.com; spf=pass smtp.mailfrom=anna@example.com`],
    ['no-dmarc', `${mx}; spf=pass (dmarc=pass header.from=example.com)`],
    ['no-dmarc', `${mx}; spf=pass reason="dmarc=pass header.from=example.com"`],
    ['no-dmarc', `${mx}; spf=pass smtp.mailfrom=dmarc=pass header.from=example.com`],
    ['no-dmarc', `${mx}; spf=pass dmarc=pass header.from=example.com`],
    ['no-dmarc', `${mx}; x-dmarc=pass header.from=example.com`],
    ['no-dmarc', `${mx}; dmarc-arc=pass header.from=example.com`],
    ['two-dmarc', `${mx}; dmarc=pass header.from=example.com; dmarc=pass header.from=example.com`],
    ['two-dmarc', `${mx}; dmarc=pass header.from=example.com; dmarc=fail header.from=example.com`],
    ['two-dmarc', `${mx}; dmarc=fail header.from=example.com; DMARC=pass header.from=example.com`],
    ['dmarc-fail', `${mx}; dmarc=fail (dmarc=pass) reason="dmarc=pass" header.from=example.com`],
    ['dmarc-none', `${mx}; dmarc=none header.from=example.com`],
    ['dmarc-error', `${mx}; dmarc=temperror header.from=example.com`],
    ['dmarc-error', `${mx}; dmarc=permerror header.from=example.com`],
    ['dmarc-unknown', `${mx}; dmarc=bestguesspass header.from=example.com`],
    ['dmarc-unknown', `${mx}; dmarc=constructor header.from=example.com`],
    ['dmarc-unknown', `${mx}; dmarc=passed header.from=example.com`],
    ['no-header-from', `${mx}; dmarc=pass`],
    ['no-header-from', `${mx}; dmarc=pass header.d=example.com`],
    ['no-header-from', `${mx}; dmarc=pass (header.from=example.com)`],
    ['no-header-from', `${mx}; dmarc=pass header.from=example.org header.from=example.com`],
    ['other-domain', `${mx}; dmarc=pass header.from=`],
    ['other-domain', `${mx}; dmarc=pass header.from=example.org`],
    ['other-domain', `${mx}; dmarc=pass header.from=example.com.`],
    ['other-domain', `${mx}; dmarc=pass header.from=mail.example.com`],
    ['other-domain', `${mx}; dmarc=pass header.from=example.com=x`],
    ['other-domain', `${mx}; dmarc=pass header.from=anna@example.com`],
    ['other-domain', `${mx}; dmarc=pass header.from=com`],
  ])('proves nothing (%s): %s', (why, field) => {
    expect(authorBy(field)).toEqual(refused(why));
  });

  test('of several only the topmost counts, even if one below it is of the same server', () => {
    const [pass, dkim] = [`${mx}; dmarc=pass header.from=example.com`, `${mx}; dkim=pass header.d=example.com`];
    expect(authorBy([pass, dkim])).toEqual(anna);
    expect(authorBy([dkim, pass])).toEqual(refused('no-dmarc'));
    expect(authorBy([`${mx}; dmarc=fail header.from=example.com`, pass])).toEqual(refused('dmarc-fail'));
    expect(authorBy(['mx.example.org; dmarc=pass header.from=example.com', pass])).toEqual(refused('other-server'));
    expect(authorBy(['what is this (', pass])).toEqual(refused('bad-authentication-results'));
  });

  test('names an international domain in either form', () => {
    const domain = 'xn--bcher-kva.example';
    const proved = { ok: true, address: { address: `anna@${domain}` } };
    for (const from of [`anna@${domain}`, 'anna@bücher.example'])
      for (const named of [domain, 'bücher.example', 'BÜCHER.example'])
        expect(authorBy(`${mx}; dmarc=pass header.from=${named}`, from)).toEqual(proved);
    expect(authorBy(`${mx}; dmarc=pass header.from=ban\u212a.example`, 'anna@bank.example')).toEqual(
      refused('other-domain'),
    );
  });
});

test.each([
  ['two-from', 'anna@example.com, bob@example.com'],
  ['bad-from', 'Team: anna@example.com, bob@example.com;'],
  ['bad-from', 'Team: anna@example.com;'],
  ['bad-from', 'bob@example.com <anna@example.com>'],
  ['bad-from', 'anna@example.com@example.com'],
  ['bad-from', ''],
])('a From that does not name one author is refused (%s): %s', (why, from) => {
  expect(authorBy(`${mx}; dmarc=pass header.from=example.com`, from)).toEqual(refused(why));
});

test('headers without From are refused, and so are two, those that are too long to be read, and those that may have been cut', () => {
  const results = `Authentication-Results: ${mx}; dmarc=pass header.from=example.com`;
  const author = (fields: readonly string[]) =>
    authorOf(reader.head(Buffer.from(`${[results, ...fields].join('\r\n')}\r\n\r\nyes`)), trust);
  expect(author(['From: anna@example.com'])).toEqual(anna);
  expect(author([])).toEqual(refused('no-from'));
  expect(author(['From: anna@example.com', 'From : bob@example.com'])).toEqual(refused('two-from'));
  expect(author(['From: anna@example.com', `X: ${'y'.repeat(300_000)}`])).toEqual(refused('no-from'));
  const cut = Buffer.from([results, 'From: anna@example.com'].join('\r\n'));
  expect(authorOf(reader.head(cut, 300_000), trust)).toEqual(refused('no-from'));
});

describe('Exchange Online', () => {
  const microsoft: MailTrust = { microsoft: true };
  const field =
    'spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=example.com; dkim=pass (signature was verified) header.d=example.com;dmarc=pass action=none header.from=example.com;compauth=pass reason=100';

  test('is believed without a name only if that was set', () => {
    expect(authorBy(field, undefined, microsoft)).toEqual(anna);
    expect(authorBy(field)).toEqual(refused('other-server'));
  });

  test.each([
    ['other-server', `${mx}; dmarc=pass header.from=example.com`],
    ['dmarc-none', 'dkim=none (message not signed) header.d=none;dmarc=none action=none header.from=example.com;'],
    ['dmarc-unknown', 'spf=pass smtp.mailfrom=x; dmarc=bestguesspass action=none header.from=example.com'],
    ['dmarc-fail', 'dmarc=fail action=oreject header.from=example.com;compauth=fail reason=000'],
    ['two-dmarc', `dmarc=fail action=none header.from=example.com;${field}`],
  ])('refuses as others do (%s): %s', (why, given) => {
    expect(authorBy(given, undefined, microsoft)).toEqual(refused(why));
  });
});

describe('whatever the sender has put into it', () => {
  const pieces = [...'();="\\ .,/@<>', '\t', '; ', 'dmarc', 'dmarc=pass', '; dmarc=pass header.from=example.com', mx];
  /** Strings of what matters in the field. A server would escape them; here they stand raw. */
  const crafted = fc
    .array(fc.oneof(fc.constantFrom(...pieces, 'pass', 'fail', 'header.from=example.com', 'x'), fc.string()), {
      maxLength: 8,
    })
    .map((parts) => parts.join(''));
  const places = fc.tuple(crafted, crafted, crafted, crafted);
  const escaped = (text: string) => text.replace(/[()"\\]/g, '\\$&').replace(/[\r\n]/g, ' ');

  test('a field that says fail does not read as pass, even if the server escapes nothing', () => {
    fc.assert(
      fc.property(places, ([a, b, c, d]) => {
        const fail = `; dmarc=fail (${c}) header.from=example.com`;
        for (const field of [
          `${mx}; spf=none (${a}) smtp.mailfrom=${b}${fail}; dkim=none header.i=@${d}`,
          `${mx}; dkim=fail reason="${a}" header.i=${b}${fail} header.d="${d}"`,
        ])
          expect(authorBy(field).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('a comment or a quoted string that is escaped adds no result', () => {
    fc.assert(
      fc.property(places, ([a, b]) => {
        const field = `${mx}; spf=none (${escaped(a)}) smtp.helo="${escaped(b)}"; dmarc=fail header.from=example.com`;
        expect(parseAuthenticationResults(field)?.dmarc.map(({ result }) => result) ?? ['fail']).toEqual(['fail']); // or the field is refused
      }),
      { numRuns: 300 },
    );
  });

  test('what is proved is the address in From, in the domain that the server names', () => {
    fc.assert(
      fc.property(crafted, crafted, (from, rest) => {
        const author = authorBy(`${mx}; dmarc=pass header.from=example.com ${rest}`, from);
        if (author.ok) expect(author.address.address).toMatch(/^[^@]+@example\.com$/);
      }),
      { numRuns: 300 },
    );
  });
});

test('a setting that names no server is refused with what to do', () => {
  expect(mailTrustOption({ authservId: mx }, 'trust')).toEqual({ authservId: mx });
  expect(mailTrustOption({ microsoft: true }, 'trust')).toEqual({ microsoft: true });
  for (const wrong of [
    undefined,
    null,
    mx,
    {},
    { authservId: '' },
    { authservId: 'mx shop' },
    { microsoft: false },
    { authservId: mx, microsoft: true },
  ]) {
    let problem: unknown;
    try {
      mailTrustOption(wrong, 'EmailChannel: trust');
    } catch (error) {
      problem = error;
    }
    expect((problem as AgentError).code).toBe('bad-option');
    expect((problem as AgentError).message).toMatch(/^EmailChannel: trust.* must be .*, got /);
  }
});

/** Approvals in words: what is shown, what decides, and what the approver is told, in all four languages. */
import { expect, test } from 'vitest';
import { agent } from '../../src/index.js';
import { rehearse } from '../../src/testing/index.js';
import { requireApproval } from '../../src/tools/index.js';
import { order, shop } from './shop.js';

/** Somebody who is asked here whether their own refund may be paid, in their language. */
async function approving(locale: string, registryOptions: object = {}) {
  const paid: unknown[] = [];
  const refund = requireApproval(
    { name: 'refund', inputSchema: {}, execute: (input) => void paid.push(input) },
    { registry: () => play.registry, where: 'here', answerableBy: ['web:anna'], maxRetries: 0 },
  );
  const shopkeeper = agent('shop').onMessage(async ({ message }) => {
    await refund.execute({ order: message });
  });
  const play = await rehearse({ agents: [shopkeeper], ...registryOptions });
  return { paid, anna: play.human('anna', { participant: { id: 'web:anna', locale } }), refund };
}

const asked: readonly (readonly [locale: string, asks: string, once: string, session: string, denied: string])[] = [
  [
    'en',
    'Allow refund?\nTool: refund\norder: 1\n1. Deny\n2. Once\n3. For this session\nReply with a number or a label.',
    'Approved, this once.',
    'Approved for this session.',
    "Denied. It won't be done.",
  ],
  [
    'de',
    'refund erlauben?\nWerkzeug: refund\norder: 1\n1. Ablehnen\n2. Einmal\n3. Für diese Sitzung\nAntworten Sie mit einer Nummer oder dem Text daneben.',
    'Einmal genehmigt.',
    'Für diese Sitzung genehmigt.',
    'Abgelehnt. Es wird nicht ausgeführt.',
  ],
  [
    'fr',
    'Autoriser refund ?\nOutil: refund\norder: 1\n1. Refuser\n2. Une fois\n3. Pour cette session\nRépondez par un numéro ou par le texte correspondant.',
    'Autorisé pour cette fois.',
    'Autorisé pour cette session.',
    'Refusé. Ce ne sera pas fait.',
  ],
  [
    'es',
    '¿Permitir refund?\nHerramienta: refund\norder: 1\n1. Denegar\n2. Una vez\n3. Durante esta sesión\nResponda con un número o con el nombre de una opción.',
    'Aprobado por esta vez.',
    'Aprobado para esta sesión.',
    'Denegado. No se hará.',
  ],
];

test.each(asked)(
  'in %s an approval is asked, decided and told in that language',
  async (locale, asks, once, session, denied) => {
    const { anna, paid, refund } = await approving(locale);
    expect(await anna.says('1')).toEqual([asks]);
    expect(await anna.says('1')).toEqual([denied]);
    await anna.says('1');
    expect(await anna.says('2')).toEqual([once]);
    await anna.says('1');
    expect(await anna.says('3')).toEqual([session]);
    expect(paid).toEqual([{ order: '1' }, { order: '1' }]);
    expect(refund.name).toBe('refund');
  },
);

test.each([
  [
    'en',
    [
      'yes',
      'Approve',
      'approved!',
      'go ahead',
      'yes, go ahead',
      'sure, go ahead!',
      'please do',
      'OK',
      'just once',
      '👍',
    ],
  ],
  [
    'de',
    ['ja', 'Genehmigt.', 'genehmigen', 'ja, mach das', 'einverstanden', 'in Ordnung', 'nur zu', 'yes', 'go ahead'],
  ],
  ['fr', ['oui', 'approuvé', 'approuve', "d'accord", 'allez-y', 'oui, allez-y', "j'autorise", 'yes']],
  ['es', ['sí', 'si', 'aprobado', 'adelante', 'sí, adelante', 'apruébalo', 'de acuerdo', 'yes']],
])('in %s a typed yes approves once, never for the session', async (locale, replies) => {
  const { anna, paid } = await approving(locale);
  for (const [i, reply] of replies.entries()) {
    await anna.says('1');
    expect([reply, await anna.says(reply)]).toEqual([reply, [asked.find(([own]) => own === locale)?.[2]]]);
    expect(paid).toHaveLength(i + 1); // the next one is asked about again
  }
});

test.each([
  ['en', ['no', 'Deny', 'deny it', 'denied', 'rejected', 'no way', "don't do it", "don't allow it", '👎']],
  [
    'de',
    ['nein', 'abgelehnt', 'Ablehnen', 'ich lehne ab', 'lieber nicht', 'nein danke', 'mach das nicht', 'no', 'deny'],
  ],
  ['fr', ['non', 'refusé', 'je refuse', 'pas question', 'ne le faites pas', 'no', 'deny']],
  ['es', ['no', 'denegado', 'lo rechazo', 'ni hablar', 'no lo hagas', 'deny']],
])('in %s a typed no denies', async (locale, replies) => {
  const { anna, paid } = await approving(locale);
  for (const reply of replies) {
    await anna.says('1');
    expect([reply, await anna.says(reply)]).toEqual([reply, [asked.find(([own]) => own === locale)?.[4]]]);
  }
  expect(paid).toEqual([]);
});

test('an approver elsewhere who types is told what they have done; one who presses sees it in the question', async () => {
  const replies = ['yes', 'no'];
  const { refund, phone, paid } = shop(() => replies.shift());
  await refund.execute(order);
  await refund.execute(order);
  expect(paid).toHaveLength(1);
  const said = phone.sent.filter(({ ask }) => ask === undefined).map(({ text }) => text);
  expect(said).toEqual(['Approved, this once.', "Denied. It won't be done."]);
});

test("the registry's own wording is used for approvals, too", async () => {
  const wording = { allow: (tool: string) => `May I ${tool}?`, deny: () => 'Nope' };
  const { anna } = await approving('en', { wording });
  expect((await anna.says('1'))[0]).toContain('May I refund?\nTool: refund\norder: 1\n1. Nope\n');
});

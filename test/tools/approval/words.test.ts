/** Approvals in words: what is shown, what decides, and what the approver is told, in all four languages. */
import { expect, test } from 'vitest';
import { agent } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { requireApproval } from '../../../src/tools/index.js';
import { order, shop } from './shop.js';

/** Somebody who is asked here whether their own refund may be paid, in their language. */
async function approving(locale: string, registryOptions: object = {}, maxRetries = 0) {
  const paid: unknown[] = [];
  const refund = requireApproval(
    { name: 'refund', inputSchema: {}, execute: (input) => void paid.push(input) },
    { registry: () => play.registry, where: 'here', answerableBy: ['web:anna'], maxRetries },
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
    'Allow refund?\nTool: refund\norder: 1\n- Deny\n- Once\n- For this session\nReply with one of these.',
    'Approved, just this once.',
    'Approved for this session.',
    "Denied. It won't be done.",
  ],
  [
    'de',
    'refund erlauben?\nWerkzeug: refund\norder: 1\n- Ablehnen\n- Einmal\n- Für diese Sitzung\nAntworten Sie mit einer dieser Möglichkeiten.',
    'Einmal genehmigt.',
    'Für diese Sitzung genehmigt.',
    'Abgelehnt. Es wird nicht ausgeführt.',
  ],
  [
    'fr',
    'Autoriser refund ?\nOutil: refund\norder: 1\n- Refuser\n- Une fois\n- Pour cette session\nRépondez par l’un de ces choix.',
    'Approuvé pour cette fois.',
    'Approuvé pour cette session.',
    'Refusé. Ce ne sera pas fait.',
  ],
  [
    'es',
    '¿Permitir refund?\nHerramienta: refund\norder: 1\n- Denegar\n- Una vez\n- Durante esta sesión\nResponda con una de estas opciones.',
    'Aprobado por esta vez.',
    'Aprobado para esta sesión.',
    'Denegado. No se hará.',
  ],
];

const labelsIn = (asks: string): readonly string[] => [...asks.matchAll(/^- (.*)$/gm)].map(([, label = '']) => label);

test.each(asked)(
  'in %s an approval is asked, decided and told in that language',
  async (locale, asks, once, session, denied) => {
    const { anna, paid, refund } = await approving(locale);
    const [deny = '', approve = '', always = ''] = labelsIn(asks);
    expect(await anna.says('1')).toEqual([asks]);
    expect(await anna.says(deny)).toEqual([denied]);
    await anna.says('1');
    expect(await anna.says(approve)).toEqual([once]);
    await anna.says('1');
    expect(await anna.says(always)).toEqual([session]);
    expect(paid).toEqual([{ order: '1' }, { order: '1' }]);
    expect(refund.name).toBe('refund');
  },
);

test.each([
  [
    'en',
    ['yes', 'Approve', 'approved!', 'go ahead', 'yes, go ahead', 'sure, go ahead!', 'please do', 'just once', 'Yes 👍'],
  ],
  [
    'de',
    ['ja', 'Genehmigt.', 'genehmigen', 'ja, mach das', 'einverstanden', 'ja, in Ordnung', 'nur zu', 'yes', 'go ahead'],
  ],
  ['fr', ['oui', 'approuvé', 'approuver', "oui, d'accord", 'allez-y', 'oui, allez-y', "j'autorise", 'yes']],
  ['es', ['sí', 'si', 'aprobado', 'adelante', 'sí, adelante', 'apruébalo', 'sí, de acuerdo', 'yes']],
])('in %s a typed yes approves once, never for the session', async (locale, replies) => {
  const { anna, paid } = await approving(locale);
  for (const [i, reply] of replies.entries()) {
    await anna.says('1');
    expect([reply, await anna.says(reply)]).toEqual([reply, [asked.find(([own]) => own === locale)?.[2]]]);
    expect(paid).toHaveLength(i + 1); // the next one is asked about again
  }
});

test.each([
  [
    'en',
    ['no', 'Deny', 'deny it', 'denied', 'rejected', 'no way', "don't do it", "no, don't do it", "don't allow it", '👎'],
  ],
  [
    'de',
    [
      'nein',
      'abgelehnt',
      'Ablehnen',
      'ich lehne ab',
      'lieber nicht',
      'nein danke',
      'mach das nicht',
      'Nein, tun Sie das nicht.',
      'no',
      'deny',
    ],
  ],
  ['fr', ['non', 'refusé', 'je refuse', 'pas question', 'ne le faites pas', 'Non, ne le fais pas !', 'no', 'deny']],
  ['es', ['no', 'denegado', 'lo rechazo', 'ni hablar', 'no lo hagas', 'No, no lo haga.', 'deny']],
])('in %s a typed no denies', async (locale, replies) => {
  const { anna, paid } = await approving(locale);
  for (const reply of replies) {
    await anna.says('1');
    expect([reply, await anna.says(reply)]).toEqual([reply, [asked.find(([own]) => own === locale)?.[4]]]);
  }
  expect(paid).toEqual([]);
});

/** Sentences about a quantity, an order or anything else, which are no decision. */
const undecided: readonly (readonly [locale: string, replies: readonly string[]])[] = [
  [
    'en',
    [
      ...["let's go with 3", 'go with 2', "it's 3", 'the 2', 'I choose 3', 'hi 3', 'well, 3', '3 please', '2 then'],
      ...['option 3', 'number 2', '3 🙂', '👍 3', '-3', '$3', '3 pallets', '2 or 3', '3?', '1 please', 'well, 1'],
      ...[
        'two',
        'three',
        'two please',
        'last',
        'the last one',
        'second please',
        'the second',
        '3rd',
        '2nd option',
        'first',
      ],
      ...[
        '1',
        '2',
        '3',
        '#3',
        '(3)',
        '3.',
        'OK',
        '👍',
        'fine',
        'correct',
        'sounds good',
        'session',
        'once more',
        'ok, thanks',
      ],
      ...['fo', 'for this', 'for this sess', 'on', 'onc', 'den', 'the session', 'yes, for the session', '4', '0'],
    ],
  ],
  [
    'de',
    [
      ...[
        'ich nehme 3',
        'ich nehme die 3',
        'nummer 3',
        'option 2',
        '3 bitte',
        'hallo 3',
        'zwei',
        'drei bitte',
        'go with 3',
      ],
      ...['1', '2', '3', '#3', 'ok', 'in Ordnung', 'passt', 'stimmt', 'Sitzung', 'einmal noch'],
      ...[
        'der letzte',
        'das letzte',
        'die zweite',
        'das dritte bitte',
        '3.te',
        'für',
        'für diese',
        'einm',
        'for this session',
      ],
    ],
  ],
  [
    'fr',
    [
      ...['je choisis 3', 'je prends 2', 'numéro 3', 'option 3', 'le 2', '3 merci', 'bonjour 3', 'deux', 'trois merci'],
      ...['1', '2', '3', "d'accord", "c'est bon", 'exact', 'session'],
      ...['le dernier', 'la dernière', 'le deuxième', 'la troisième', 'pour', 'pour cette', 'une', 'for this session'],
    ],
  ],
  [
    'es',
    [
      ...['elijo 3', 'quiero 2', 'número 3', 'opción 3', 'la 2', '3 por favor', 'hola 3', 'dos', 'tres por favor'],
      ...['1', '2', '3', 'vale', 'de acuerdo', 'exacto', 'sesión'],
      ...['la última', 'el último', 'la segunda', 'el tercero', 'durante', 'durante esta', 'una', 'for this session'],
    ],
  ],
];

test.each(undecided)(
  'in %s a number, an ordinal, a weak yes and the start of a label decide nothing',
  async (locale, replies) => {
    const { anna, paid } = await approving(locale, {}, replies.length);
    await anna.says('1');
    const decisions = asked.find(([own]) => own === locale)?.slice(2);
    for (const reply of replies) {
      const said = await anna.says(reply);
      expect([reply, said.filter((each) => decisions?.includes(each))]).toEqual([reply, []]);
    }
    expect(paid).toEqual([]);
    const once = labelsIn(asked.find(([own]) => own === locale)?.[1] ?? '')[1] ?? '';
    expect(await anna.says(once)).toEqual([decisions?.[0]]); // it was still open
  },
);

test.each([
  ['en', ['For this session', 'for this session, please!', 'Yes, for this session.']],
  ['de', ['Für diese Sitzung', 'für diese sitzung bitte', 'Ja, für diese Sitzung']],
  ['fr', ['Pour cette session', 'pour cette session, merci', 'Oui, pour cette session']],
  ['es', ['Durante esta sesión', 'durante esta sesion, por favor', 'Sí, durante esta sesión']],
])('in %s only the whole label approves for the session', async (locale, replies) => {
  for (const [i, reply] of replies.entries()) {
    const { anna, paid } = await approving(locale);
    await anna.says(`${i}`);
    expect([reply, await anna.says(reply)]).toEqual([reply, [asked.find(([own]) => own === locale)?.[3]]]);
    await anna.says(`${i}`);
    expect(paid).toHaveLength(2);
  }
});

test('an approver elsewhere who types is told what they have done; one who presses sees it in the question', async () => {
  const replies = ['yes', 'no'];
  const { refund, phone, paid } = shop(() => replies.shift());
  await refund.execute(order);
  await refund.execute(order);
  expect(paid).toHaveLength(1);
  const said = phone.sent.filter(({ ask }) => ask === undefined).map(({ text }) => text);
  expect(said).toEqual(['Approved, just this once.', "Denied. It won't be done."]);
});

test("the registry's own wording is used for approvals, too", async () => {
  const wording = { allow: (tool: string) => `May I ${tool}?`, deny: () => 'Nope' };
  const { anna } = await approving('en', { wording });
  expect((await anna.says('1'))[0]).toContain('May I refund?\nTool: refund\norder: 1\n- Nope\n');
});

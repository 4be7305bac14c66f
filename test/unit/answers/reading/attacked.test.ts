/** Replies by which somebody got an answer out of what was none. Each must be asked again; the classes are what counts. */
import { describe, expect, test } from 'vitest';
import { approvalChoice } from '../../../../src/answers/choice.js';
import { choices } from '../../../../src/answers/choices.js';
import { approvalConfirm } from '../../../../src/answers/confirm.js';
import { typeOf } from '../../../../src/answers/question.js';
import { english } from '../../../../src/core/wording/english.js';
import { choice, confirm, date, email, number, type Question, text } from '../../../../src/index.js';
import { replyContext } from './rows.js';

const any = (question: unknown) => question as Question<unknown>;
const letters = any(choices('Which?', ['A', 'B', 'C']));
const asked: Readonly<Record<string, Question<unknown>>> = {
  sure: any(confirm('Sure?')),
  pay: any(approvalConfirm('Pay?', english.wording)),
  tool: any(approvalChoice('Run it?', english.wording, true)),
  letters,
  letter: any(choice('Which?', ['A', 'B', 'C'])),
  bmw: any(choice('Which?', ['Mercedes', 'BMW'])),
  colours: any(choices('Which?', ['rojo', 'verde', 'azul'])),
  cheese: any(choices('Which?', ['cheese', 'olives', 'basil'])),
  emoji: any(choices('Which?', ['👍', '👎', '❤'])),
  articles: any(choices('Which?', ['der', 'die', 'das'])),
  delete: any(confirm('Keep it?', { yes: 'Keep', no: 'Delete' })),
  loeschen: any(confirm('Behalten?', { yes: 'Behalten', no: 'Löschen' })),
  disagree: any(confirm('Well?', { yes: 'Disagree', no: 'Agree' })),
  reject: any(confirm('Well?', { yes: 'Reject', no: 'Approve' })),
  notSend: any(confirm('Well?', { yes: 'Do not send', no: 'Send' })),
  arreter: any(confirm('?', { yes: 'Non, arrêter', no: 'Oui, continuer' })),
  urgent: any(choice('Which?', ['Non urgent', 'Urgent'])),
  cinco: any(choice('Which?', ['Cinco', 'Cinco mil', 'Diez'])),
  minute: any(choice('Which?', ['Minute', 'Heure'])),
  nights: any(choice('Which?', ['Tres noches', 'Una noche'])),
  waits: any(choice('Which?', ['Attends la livraison', 'Espera en tienda', 'Claro mate'])),
  size: any(choice('Which?', ['small', 'medium', 'large'])),
  amount: any(number('How many?')),
  when: any(date('When?', { time: true })),
};

const labels = (question: string, yes: string, no: string) => any(confirm(question, { yes, no }));
const opposed: Readonly<Record<string, Question<unknown>>> = {
  nichtSenden: labels('Rundmail senden?', 'Nicht senden', 'Senden'),
  nochNicht: labels('Daten löschen?', 'Noch nicht', 'Löschen'),
  keineZahlung: labels('Und nun?', 'Keine Zahlung', 'Zahlung'),
  ablehnen: labels('Urlaub für Bob?', 'Ablehnen', 'Genehmigen'),
  pasEnvoyer: labels('Envoyer ?', 'Ne pas envoyer', 'Envoyer'),
  pasMaintenant: labels('Supprimer ?', 'Pas maintenant', 'Supprimer'),
  rechazar: labels('¿Pagar?', 'Rechazar', 'Pagar'),
  notYet: labels('Deploy?', 'Not yet', 'Deploy'),
  keep: labels('Delete?', 'Keep', 'Delete'),
  deny: labels('Bob wants access.', 'Deny', 'Allow'),
  decline: labels('The offer is 10 EUR.', 'Decline', 'Accept'),
  veto: labels('New logo.', 'Veto', 'No objection'),
  abort: labels('The run is slow.', 'Abort', 'Proceed'),
  reject: labels('Reject this request?', 'Approve', 'Reject'),
  abortDelete: labels('Abort the delete?', 'Delete', 'Abort'),
  stopDeploy: labels('Stop the deployment?', 'Deploy', 'Stop'),
  stoppen: labels('Auszahlung stoppen?', 'Auszahlen', 'Stoppen'),
  refuser: labels('Refuser la demande ?', 'Approuver', 'Refuser'),
  rechazarla: labels('¿Rechazar la solicitud?', 'Aprobar', 'Rechazar'),
};
const people: Readonly<Record<string, Question<unknown>>> = {
  who: any(choice('Who takes over?', ['Max', 'Anna', 'Bob'])),
  all: any(choices('Who takes part?', ['Anna', 'Bob', 'Max'])),
  places: any(choice('Which?', ['Second', 'First', 'Third'])),
};
/** A label whose end turns its beginning round, beside another one. */
const ends = [
  ...['Refund rejected', 'Refund impossible', 'Refund (no)', 'Refund ❌', 'Refund n/a', 'Refund 0%', 'Refund 0 EUR'],
  ...[
    'Refund subject to review',
    'Pay nobody',
    'Block nobody',
    'Call off the meeting',
    'Newsletter off',
    'Access revoked',
  ],
  ...['Erstattung abgelehnt', 'Löschen verhindern', 'Sperre niemanden', 'Bestelle ab', 'Zucker weglassen'],
  ...['Remboursement refusé', 'Bloquer personne', 'Reembolso denegado', 'Bloquear a nadie', 'Accept with changes'],
];

type Attack = readonly [question: string, reply: string, locale?: string];

const attacks: readonly (readonly [name: string, replies: readonly Attack[], agentName?: string])[] = [
  [
    'the wider grant of two',
    [
      ['tool', 'just once, for this session'],
      ['tool', 'For this session, only this once'],
    ],
  ],
  [
    'thanks that begin with a number',
    [
      ['amount', '5 mil gracias', 'es'],
      ['amount', 'deux mille mercis', 'fr'],
    ],
  ],
  [
    'two options, one of them courtesy',
    [
      ['letter', 'A B'],
      ['letter', 'A, B'],
      ['emoji', '👍👎'],
    ],
  ],
  [
    'an agent that is called like an option',
    [
      ['bmw', 'bmw, mercedes'],
      ['bmw', 'mercedes bmw'],
    ],
    'Mercedes',
  ],
  [
    'an agent that is called like a limit',
    [
      ['amount', '5 max'],
      ['amount', '5, max'],
      ['sure', 'yes max'],
    ],
    'Max',
  ],
  [
    'a no that negates the label which says no',
    [
      ['delete', 'delete, never'],
      ['delete', 'delete: no'],
      ['delete', 'don\'t "delete"'],
      ['delete', 'never (delete)'],
      ['delete', 'Delete — certainly not'],
      ['loeschen', 'Löschen bitte nicht!', 'de'],
      ['loeschen', 'Löschen auf keinen Fall', 'de'],
      ['loeschen', 'auf keinen Fall „löschen“', 'de'],
    ],
  ],
  [
    'labels that say the opposite of yes and no',
    [
      ['disagree', 'I agree'],
      ['disagree', 'yes, I agree'],
      ['reject', 'approved'],
      ['notSend', "don't"],
      ['notSend', 'never'],
      ['arreter', 'bien sûr', 'fr'],
      ['arreter', 'jamais', 'fr'],
      ['arreter', 'yes', 'fr'],
    ],
  ],
  [
    'a no or a yes under labels that a yes does not mean',
    [
      ...['bitte nicht', 'auf keinen Fall', 'nein', 'mach das'].flatMap((reply) =>
        ['nichtSenden', 'nochNicht', 'keineZahlung', 'ablehnen'].map((name) => [name, reply, 'de'] as const),
      ),
      ...['surtout pas', 'pas question', 'vas-y'].flatMap((reply) =>
        ['pasEnvoyer', 'pasMaintenant'].map((name) => [name, reply, 'fr'] as const),
      ),
      ...['claro que no', 'jamás', 'hazlo'].map((reply) => ['rechazar', reply, 'es'] as const),
      ...["don't", "please don't", 'go ahead', 'approved', 'I agree', 'fine by me', 'agreed', 'yes', 'no'].flatMap(
        (reply) => ['notYet', 'keep', 'deny', 'decline', 'veto', 'abort'].map((name) => [name, reply] as const),
      ),
    ],
  ],
  [
    'a yes or a no to a question that names what its label for no does',
    [
      ...['yes', 'no', 'ok', 'go ahead'].flatMap((reply) =>
        ['reject', 'abortDelete', 'stopDeploy'].map((name) => [name, reply] as const),
      ),
      ...['ja', 'nein'].map((reply) => ['stoppen', reply, 'de'] as const),
      ...['oui', 'non'].map((reply) => ['refuser', reply, 'fr'] as const),
      ...['sí', 'no'].map((reply) => ['rechazarla', reply, 'es'] as const),
    ],
  ],
  [
    'a yes and the words of a question whose label for yes it does not mean, or of an approval',
    [
      ['reject', 'yes, reject this request'],
      ['abortDelete', 'yes, abort the delete'],
      ['stopDeploy', 'yes, stop the deployment'],
      ['stoppen', 'ja, Auszahlung stoppen', 'de'],
      ['refuser', 'oui, refuser la demande', 'fr'],
      ['rechazarla', 'sí, rechazar la solicitud', 'es'],
      ['pay', 'yes, pay'],
      ['tool', 'yes, run it'],
    ],
  ],
  [
    'the beginning of a label whose end turns it round',
    ends.map((label) => [label, label.split(' ')[0] as string] as const),
  ],
  [
    'a name in a greeting, in thanks or below them',
    [
      ...['hi anna', 'hello, Anna!', 'good morning, Anna', 'thanks anna', 'thank you, Anna', 'Thanks!\nAnna'].map(
        (reply) => ['who', reply] as const,
      ),
      ['who', 'danke, Anna', 'de'],
      ['who', 'bonjour Anna', 'fr'],
      ['who', 'gracias, Anna', 'es'],
      ['all', 'hi anna, bob'],
      ['all', 'thanks Anna\nBob'],
    ],
    'Anna',
  ],
  [
    'about a day, a dash for a minus, a quote, an "if" at the end',
    [
      ['when', 'um den 15.11.2026 um 14 Uhr', 'de'],
      ['amount', "it's —5"],
      ['amount', '—5'],
      ['amount', '— five'],
      ['sure', '» yes'],
      ['pay', '» yes'],
      ['sure', 'hazlo si', 'es'],
      ['pay', 'autorizo si', 'es'],
      ['places', 'the second one'],
    ],
  ],
  [
    'a face, an empty box, a "not"',
    [
      ...['yes :(', 'yes ;)', 'yes ;-)', "yes :'(", '[ ] yes', '[] yes', '( ) yes', '!yes', ':( yes'].flatMap(
        (reply) =>
          [
            ['sure', reply],
            ['pay', reply],
            ['tool', reply],
          ] as const,
      ),
      ['size', '[ ] 2'],
      ['size', '!2'],
      ['cheese', '1, !2'],
      ['amount', '!5'],
      ['size', '2 :('],
    ],
  ],
  [
    'a sentence without its end',
    [
      ...[
        'yes . . .',
        'yes‥',
        'yes․․․',
        'yes．．．',
        'yes︙',
        'yes；',
        'yes −',
        'yes －',
        'yes (',
        'yes —.',
        'yes -.',
        'yes ,.',
        'yes,\ufe0f',
        '‥ yes',
      ].flatMap(
        (reply) =>
          [
            ['sure', reply],
            ['tool', reply],
          ] as const,
      ),
      ['cheese', 'cheese, olives . . .'],
      ['amount', '5‥'],
    ],
  ],
  [
    'text that a terminal hides',
    [
      ['sure', 'yes\u001b]if Bob agrees'],
      ['pay', 'yes\u001b]if Bob agrees'],
      ['sure', 'yes\b\b\b'],
      ['sure', '\u202eyes'],
    ],
  ],
  [
    'a line break in a phrase or label',
    [
      ['sure', 'mais\noui', 'fr'],
      ['urgent', 'Non\nUrgent', 'fr'],
      ['urgent', 'non\n\nurgent', 'fr'],
      ['urgent', 'non\turgent', 'fr'],
    ],
  ],
  [
    'a greeting behind the yes',
    [
      ['tool', 'Oui bonjour', 'fr'],
      ['pay', 'yes, hello'],
      ['sure', 'sí, buenas tardes', 'es'],
      ['tool', 'Ja servus!', 'de'],
    ],
  ],
  [
    'weak or put off',
    [
      ['sure', 'ok cheers'],
      ['sure', "that's fine, cheers"],
      ['sure', 'ok 🙏'],
      ['sure', "oui, c'est bon, merci", 'fr'],
      ['sure', 'k', 'es'],
      ['sure', 'kk', 'fr'],
      ['pay', 'Sí, cómo no', 'es'],
      ['pay', "oui c'est ça", 'fr'],
      ['sure', "C'est correct, merci", 'fr-CA'],
      ['sure', 'correct, merci', 'fr-CA'],
      ['sure', '! sí', 'es'],
    ],
  ],
  [
    'a double negation',
    [
      ['sure', 'no es falso', 'es'],
      ['sure', 'gar nicht falsch', 'de'],
      ['sure', 'by no means negative'],
    ],
  ],
  [
    'a quantity, and an article that points to nothing',
    [
      ['cheese', "I'll take 2"],
      ['cheese', 'give me two'],
      ['cheese', 'make it two'],
      ['cheese', '+1'],
      ['size', 'a third option'],
      ['size', 'une deuxième option', 'fr'],
      ['minute', 'une minute !', 'fr'],
    ],
  ],
  ['a number in words on another label', [['nights', '1', 'es']]],
  [
    'an interjection that begins a label',
    [
      ['waits', 'attends !', 'fr'],
      ['waits', 'espera, por favor', 'es'],
      ['waits', '¡claro!', 'es'],
    ],
  ],
  [
    'a second choice that corrects the first',
    [
      ['cheese', 'cheese, I prefer olives'],
      ['cheese', 'cheese, my choice is olives'],
    ],
  ],
  [
    'two times, and an hour that its part of the day does not have',
    [
      ['when', '15/11/2026 9h 17h', 'fr'],
      ['when', '15/11/2026 1h du soir', 'fr'],
      ['when', '15/11/2026 a las 11 de la tarde', 'es'],
      ['when', '15.11.2026 11 nachmittags', 'de'],
    ],
  ],
];

const cases = attacks.map(([name, replies, agentName]) => ({ name, replies, agentName }));

describe.each(cases)('$name', ({ replies, agentName }) => {
  test.each(replies.map(([name, reply, locale]) => ({ name, reply, locale })))(
    '$name: $reply ($locale)',
    async ({ name, reply, locale }) => {
      const question = asked[name] ?? opposed[name] ?? people[name] ?? any(choice('Which?', [name, 'Escalate']));
      const context = {
        ...replyContext(locale),
        question: question.text,
        ...(agentName === undefined ? {} : { agentName }),
      };
      const parsed = await typeOf(question).parse(reply, question.data as never, locale, context);
      expect(parsed.ok ? parsed.value : 'again').toBe('again');
    },
  );
});

test('several options that look like courtesy are all read', async () => {
  const read = async (question: Question<unknown>, reply: string, locale?: string, agentName?: string) => {
    const context = { ...replyContext(locale), ...(agentName === undefined ? {} : { agentName }) };
    const parsed = await typeOf(question).parse(reply, question.data as never, locale, context);
    return parsed.ok ? parsed.value : 'again';
  };
  expect(await read(letters, 'A, B')).toEqual(['A', 'B']);
  expect(await read(asked['articles'] as Question<unknown>, 'der, die', 'de')).toEqual(['der', 'die']);
  expect(await read(asked['colours'] as Question<unknown>, 'rojo, verde', 'es', 'Rojo')).toEqual(['rojo', 'verde']);
  expect(await read(asked['sure'] as Question<unknown>, 'Hi Otto, yes please. Thanks, Otto', 'en', 'Otto')).toBe(true);
});

test('a list of long labels is read in no time, whatever is in the reply', async () => {
  const label = (i: number) => Array.from({ length: 20 }, (_, j) => `word${i}x${j}`).join(' and ');
  const long = any(
    choices(
      'Which?',
      Array.from({ length: 100 }, (_, i) => label(i)),
    ),
  );
  const costOf = async (reply: string) => {
    const before = process.cpuUsage().user;
    for (let i = 0; i < 3; i += 1) await typeOf(long).parse(reply, long.data as never, 'en', replyContext('en'));
    return process.cpuUsage().user - before;
  };
  await costOf('x');
  const ordinary = await costOf(label(1));
  const replies = [
    'x and '.repeat(100),
    'sure: yes\n'.repeat(400),
    `${'please '.repeat(6)}${'x and '.repeat(28)}x${' thanks'.repeat(6)}`,
  ];
  for (const reply of replies) expect(await costOf(reply)).toBeLessThan(20 * ordinary); // thirty times as much, and more, before
});

test('what people write around an answer, however often, is read in no time', async () => {
  const steps: number[] = [];
  for (const reply of ['🙏'.repeat(40), `${'hi '.repeat(40)}x${' hi'.repeat(40)}`, `${'hi '.repeat(119)}x`]) {
    for (const name of ['cheese', 'size', 'when', 'sure', 'tool']) {
      const question = asked[name] as Question<unknown>;
      const started = process.cpuUsage().user;
      await typeOf(question).parse(reply, question.data as never, 'en', replyContext('en'));
      steps.push(process.cpuUsage().user - started);
    }
  }
  const plain = process.cpuUsage().user;
  for (let i = 0; i < 200; i += 1)
    await typeOf(letters).parse('hello there, A and B please', letters.data as never, 'en', replyContext('en'));
  const ordinary = process.cpuUsage().user - plain;
  expect(Math.max(...steps)).toBeLessThan(20 * ordinary);
});

test('one character sixty thousand times before a word is read in no time by every type', async () => {
  const questions = [
    ...['cheese', 'size', 'when', 'sure', 'tool'].map((name) => asked[name] as Question<unknown>),
    any(text('Which order?', { pattern: /^\d{5,10}$/ })),
    any(text('Which order?', { pattern: /\d{5,10}/, match: 'part' })),
    any(text('Why?')),
    any(email('Which address?')),
    letters,
  ];
  const cost = async (question: Question<unknown>, reply: string, times: number) => {
    const started = process.cpuUsage().user;
    for (let i = 0; i < times; i += 1)
      await typeOf(question).parse(reply, question.data as never, 'en', replyContext('en'));
    return process.cpuUsage().user - started;
  };
  const ordinary = await cost(letters, 'hello there, A and B please', 200);
  const slow: string[] = [];
  for (const character of [...` !"#$%&'()*+,-./:;<=>?@[]^_{|}~a0\n\u00a0\u200b`])
    for (const question of questions)
      if ((await cost(question, `${character.repeat(60_000)}x`, 1)) > 20 * ordinary)
        slow.push(`${JSON.stringify(character)} to ${question.text}`);
  expect(slow).toEqual([]);
});

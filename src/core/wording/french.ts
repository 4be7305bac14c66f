/**
 * French: what is said, formally ("vous"), and the words replies are read by, with and without their accents.
 * "si" is in no list: whether it means yes depends on how the question was put.
 */

import type { Language } from './language.js';
import { grouped, list, pairs, places, quoted } from './list.js';

/** French has the singular below two, zero included. */
const characters = (count: number): string => `${grouped(count, '\u202f')} ${count < 2 ? 'caractère' : 'caractères'}`;

/** The French language: sentences and words. */
export const french: Language = {
  locale: 'fr',
  wording: {
    notUnderstood: (question, problem) => `Désolé, je n’ai pas compris. ${problem}\n${question}`,
    notValid: (question, problem) => `${problem}\n${question}`,
    skipped: () => 'Je n’ai pas trouvé de réponse, je passe donc cette étape.',
    declined: () => 'D’accord, je m’arrête là.',
    refused: () => 'Vous ne pouvez pas répondre à cette question.',
    notShown: () => 'Cette question est trop longue pour être affichée ici en entier. Veuillez y répondre sur sa page.',
    notByMail: () =>
      'Il n’est pas possible de répondre à cette question par e-mail. Si l’e-mail contenant la question comporte un lien, veuillez y répondre à cette adresse.',
    nothingWritten: () =>
      'Ce message ne contient rien d’écrit par vous qui puisse être une réponse : les fichiers, les citations, le texte barré et les messages automatiques ne comptent pas. Veuillez écrire votre réponse.',
    already: (by) =>
      by?.name === undefined
        ? 'Cette question a déjà reçu une réponse.'
        : `Cette question a déjà reçu une réponse de ${by.name}.`,
    late: () => 'Le délai pour répondre est écoulé.',
    alreadyDeclined: () => 'Cette question a déjà été déclinée.',
    alreadyExhausted: () => 'Cette question est close, car aucune réponse n’a pu être comprise.',
    alreadyCancelled: () => 'Cette question a été annulée.',
    alreadyWithdrawn: () => 'Cette question a été retirée.',
    unknownAsk: () => 'Je ne trouve pas cette question ici.',
    tooLong: () => 'Ce message est trop long pour moi. Merci de m’en envoyer un plus court.',
    failed: () => 'Une erreur est survenue de notre côté. Nous en sommes informés et nous nous en occupons.',
    invalid: (problem) => problem,
    reminder: (question) => `Cette question est toujours ouverte :\n${question}`,
    handedToYou: (by, question, reason) =>
      `${by.name ?? 'Quelqu’un'} vous transmet cette question${reason === undefined ? '.' : ` : ${quoted(reason, '« ', ' »')}`}\n${question}`,
    handedOver: (to) => `Vous avez transmis cette question à ${to.name ?? to.id}.`,
    handOverNeedsId: () =>
      'Veuillez indiquer l’identifiant d’une personne tel que son canal le donne, par exemple web:4711 ou slack:T1/U1, et non un nom.',
    handOverToSelf: () => 'Vous ne pouvez pas vous transmettre une question à vous-même.',
    handOverToAsker: () => 'Une question ne peut pas être transmise à la personne pour qui elle est posée.',
    handOverOutsideTenant: () =>
      'Rien n’indique que cette personne appartient à l’organisation de la question, qui ne lui est donc pas montrée. Transmettez-la à quelqu’un dont l’organisation est connue, ou faites enregistrer celle de cette personne.',
    handOverToUnknown: () =>
      'Personne qui puisse répondre ici n’est connu sous cet identifiant. Vérifiez-le, ou transmettez la question à quelqu’un d’autre.',
    handOverNotNow: () =>
      'Il est impossible pour le moment de vérifier à qui appartient cet identifiant, rien n’a donc été transmis. Veuillez réessayer dans quelques minutes.',
    handOverBack: () => 'Cette personne a déjà transmis la question elle-même.',
    handOverToVoter: () => 'Cette personne a déjà voté.',
    handOverTooFew: (needed, left) =>
      `L’accord de ${needed} personnes est nécessaire, et seules ${left} pourraient encore le donner. Transmettez la question à quelqu’un qui ne peut pas encore y répondre.`,
    handOverTooOften: (most) => `Une question peut être transmise ${most} fois au maximum.`,
    voted: (yes, needed) => `C’est noté : ${yes} oui sur ${needed} nécessaires.`,
    votedAlready: () => 'Votre vote a déjà été compté.',
    pickOne: (labels) => `Veuillez choisir une réponse parmi : ${labels.join(', ')}.`,
    pickSeveral: (labels, least, most) => {
      const limit = most === 1 ? 'une' : `${most}`;
      const many = least === most ? limit : least === 0 ? `au maximum ${limit}` : `${least} à ${most}`;
      return `Veuillez choisir ${many} de ces réponses : ${labels.join(', ')}.`;
    },
    onlyOne: () => 'Veuillez ne donner qu’une seule réponse.',
    ambiguous: (meanings) => `Cela pourrait vouloir dire ${meanings.join(' ou ')}.`,
    sayWhich: () => 'Dites-moi plutôt ce que vous voulez, et non ce que vous ne voulez pas.',
    askedBack: () => 'Cela ressemble à une question, mais j’ai d’abord besoin d’une réponse.',
    yesOrNo: () => 'Veuillez répondre par oui ou par non.',
    typeOther: () => 'Veuillez écrire votre propre réponse.',
    needText: () => 'Veuillez écrire quelques mots.',
    unclear: () => 'Veuillez répondre à la question.',
    tooShort: (least) => `Veuillez écrire au moins ${characters(least)}.`,
    tooLongText: (most) => `Veuillez écrire au maximum ${characters(most)}.`,
    wrongPattern: (example) =>
      example === undefined
        ? 'Cela ne semble pas correct.'
        : `Cela ne semble pas correct. Cela devrait ressembler à ${example}.`,
    needNumber: (example) => `Veuillez écrire un nombre, par exemple ${example}.`,
    needWhole: (example) => `Veuillez écrire un nombre entier, par exemple ${example}.`,
    outOfRange: (least, most) => {
      if (least === undefined) return `Le maximum est ${most}.`;
      return most === undefined
        ? `Le minimum est ${least}.`
        : `La réponse doit être comprise entre ${least} et ${most}.`;
    },
    outOfDates: (earliest, latest) => {
      if (earliest === undefined) return `La date doit être au plus tard le ${latest}.`;
      return latest === undefined
        ? `La date doit être au plus tôt le ${earliest}.`
        : `La date doit être comprise entre le ${earliest} et le ${latest}.`;
    },
    needDate: (example) => `Veuillez écrire la date en entier, par exemple ${example}.`,
    noSuchDate: () => 'Cette date n’existe pas.',
    needEmail: (example) => `Veuillez écrire une adresse e-mail, par exemple ${example}.`,
    cannotSkip: () => 'Vous ne pouvez pas passer cette question.',
    missing: (fields) => `Il manque encore : ${fields.join(', ')}.`,
    pickHint: () => 'Répondez par un numéro ou par le texte correspondant.',
    pickSeveralHint: () => 'Répondez par des numéros ou par les textes correspondants, séparés par des virgules.',
    labelHint: () => 'Répondez par l’un de ces choix.',
    skipHint: () => 'Répondez « passer » pour laisser vide.',
    yes: () => 'Oui',
    no: () => 'Non',
    other: () => 'Autre',
    allow: (tool) => `Autoriser ${tool} ?`,
    approve: () => 'Approuver',
    deny: () => 'Refuser',
    once: () => 'Une fois',
    forSession: () => 'Pour cette session',
    approved: (how) =>
      how === 'session' ? 'Approuvé pour cette session.' : how === 'once' ? 'Approuvé pour cette fois.' : 'Approuvé.',
    denied: () => 'Refusé. Ce ne sera pas fait.',
    tool: () => 'Outil',
    arguments: () => 'Paramètres',
    details: () => 'Détails',
    severalQuestions: () => 'Veuillez répondre à ces questions.',
    answer: () => 'Réponse',
    asking: () => 'La question a été posée',
    answerButton: () => 'Répondre',
    sendButton: () => 'Envoyer',
    cancelButton: () => 'Annuler',
    openPageButton: () => 'Ouvrir la page',
    pickPlaceholder: () => 'Choisir une réponse',
    pickSeveralPlaceholder: () => 'Choisir',
    timeOf: (field) => `${field} (heure)`,
    openUntil: (time) => `Date limite : ${time}`,
    votesSoFar: (given, needed) => `Votes : ${given} sur ${needed}`,
    secretHint: () => 'Utilisez le bouton : ce qui est écrit dans un canal est visible par tous ses membres.',
    tooLongHere: () => 'C’est trop long pour être affiché ici en entier, il n’y a donc pas de boutons ici.',
    replyHint: () => 'Aucun bouton ne permet de répondre ici. Veuillez écrire votre réponse dans un message.',
    ended: (how, by) => {
      const who = by?.name === undefined ? '' : ` par ${by.name}`;
      if (how === 'answered') return by?.name === undefined ? 'Réponse donnée' : `Réponse de ${by.name}`;
      if (how === 'declined') return `Question déclinée${who}`;
      if (how === 'cancelled') return `Question annulée${who}`;
      return how === 'expired' ? 'Délai écoulé' : 'Question close sans réponse';
    },
    noText: () => '(sans texte)',
    replyAbove: () => 'Veuillez répondre au-dessus de cette ligne',
    mailReply: () => 'Pour répondre, répondez à cet e-mail en écrivant uniquement votre réponse.',
    mailTwoAsks: () =>
      'Votre e-mail s’adresse à plus d’une question : rien n’a été décidé. Veuillez répondre à chaque question séparément.',
    mailOrPage: () => 'Ou ouvrez la page pour y répondre.',
    mailPage: () => 'Pour répondre, ouvrez la page. Une réponse à cet e-mail ne répond pas à la question.',
    mailOpenPage: () => 'Pour répondre, ouvrez la page.',
    mailNoAnswer: () =>
      'Cet e-mail vous est envoyé pour information : ni lui ni une réponse à cet e-mail ne permettent de répondre à la question.',
    mailLinkIsYours: () => 'Le lien vous est destiné : merci de ne pas transférer cet e-mail.',
    mailSecret: () => "Merci de ne pas écrire la réponse dans un e-mail : d'autres pourraient la lire.",
  },
  words: {
    yes: list(`oui, ouais, ouaip, ouep, mais oui, ah oui, oh oui, bien sûr, bien sûr que oui, mais bien sûr,
      bien entendu, évidemment, absolument, tout à fait, certainement, exact, exactement, c'est exact, volontiers,
      avec plaisir, entendu, c'est entendu, vas-y, vas y, allez-y, allez y, allez-y s'il vous plaît, fais-le, faites-le,
      confirmé, je confirme, je vous le confirme, affirmatif, ✅`),
    weakYes:
      list(`ok, okay, d'accord, daccord, dac, d'ac, c'est d'accord, je suis d'accord, ça marche, ça me va, parfait, 👍,
      correct, c'est correct`),
    no: [
      ...list(`non, n, nan, mais non, ah non, oh non, pas du tout, jamais, jamais de la vie, surtout pas, pas question, non désolé, non désolée, désolé non, désolée non, pas la peine, ce n'est pas la peine, pas besoin,
      je ne veux pas, je n'en veux pas, je ne le souhaite pas, non hélas, je préfère pas, je préfère que non,
      hors de question, il n'en est pas question, certainement pas, absolument pas, bien sûr que non, en aucun cas,
      ne le fais pas, ne le faites pas, ne fais pas ça, ne faites pas ça, 👎, ❌`),
      'non, désolé',
      'non, hélas',
      'non, désolée',
      'désolé, non',
      'désolée, non',
    ],
    emphatic: list(`oui, non, 👍, 👎, ✅, ❌`),
    approve: list(`oui, bien sûr, absolument, tout à fait, vas-y, vas y, allez-y, allez y, fais-le, faites-le, confirmé,
      je confirme, je vous le confirme, ✅, approuver, approuvé, approuve-le, approuvez, approuvez-le, j'approuve,
      je l'approuve, autoriser, autorisé, autorise-le, autorisez, autorisez-le, j'autorise, je l'autorise, accordé,
      accepter, accepté, j'accepte, valider, validé, je valide, une seule fois, juste une fois, seulement une fois,
      juste cette fois, seulement cette fois`),
    deny: list(`refuser, refusé, refuse, refuse-le, refusez, refusez-le, je refuse, je le refuse, rejeter, rejeté,
      rejette, rejetez, je rejette, interdire, interdit, j'interdis, désapprouver, je désapprouve, je n'approuve pas,
      je n'autorise pas, pas autorisé, non autorisé, pas approuvé, non approuvé`),
    asks: list('dois-je, devons-nous, faut-il, puis-je, voulez-vous, veux-tu, souhaitez-vous, souhaites-tu'),
    decline: list(`annuler, annule, annulez, laisse tomber, laissez tomber, oublie, oublie ça, oubliez, oubliez ça,
      j'abandonne, abandonner, arrête, arrêtez, arrêter, on arrête, tant pis, laisse-moi tranquille,
      laissez-moi tranquille, je ne veux pas répondre, je ne souhaite pas répondre, je préfère ne pas répondre,
      je préfère ne pas le dire, /annuler`),
    why: [
      ...list(`pourquoi, pour quoi faire, et pourquoi, mais pourquoi, à quoi ça sert, à quoi cela sert, à quoi cela sert-il, c'est pour quoi,
        c'est pour quoi faire, dans quel but, pourquoi en avez-vous besoin, pourquoi vous en avez besoin, pourquoi en as-tu besoin,
        pourquoi tu en as besoin, pourquoi voulez-vous le savoir`),
      ...pairs(
        'pourquoi',
        `faire, ça, cela, cette question, demandez-vous, demandez-vous ça, demandez-vous cela, me demandez-vous ça, me demandez-vous cela,
        vous demandez ça, tu demandes, tu demandes ça, tu me demandes ça, avez-vous besoin de ça, avez-vous besoin de cela,
        as-tu besoin de ça, voulez-vous savoir, voulez-vous savoir ça, tu veux savoir, tu veux savoir ça, est-ce nécessaire, c'est nécessaire`,
      ),
    ],
    skip: list(`passer, passe, je passe, passez, sauter, ignorer, laisser vide, laissez vide, laisser en blanc`),
    none: list('aucun, aucune, aucun des deux, aucune des deux, rien, rien du tout, non merci'),
    please: list(`s'il vous plaît, s'il te plaît, svp, stp`),
    greetings: [
      'madame, monsieur',
      ...list(
        `bonjour, bonjour à tous, bonjour à toutes et à tous, bonjour l'équipe, bonsoir, salut, coucou, madame monsieur, bonjour madame, bonjour monsieur`,
      ),
    ],
    closings:
      list(`cordialement, bien cordialement, très cordialement, cdlt, bien à vous, bien à toi, bonne journée, bonne soirée,
      salutations, meilleures salutations, salutations distinguées, sincères salutations`),
    thanks:
      list(`merci, merci d'avoir demandé, merci beaucoup, merci bien, merci d'avance, grand merci, un grand merci, je vous remercie,
      je te remercie, avec mes remerciements`),
    chooses: list(`je prends, je prendrai, je voudrais, je veux, j'aimerais, je souhaite, je choisis, je préfère,
      j'opte pour, je vais prendre, on prend, nous prenons, ce sera, ma réponse est, la réponse est, mon choix est,
      réponse, donnez-moi`),
    articles: list(`le, la`),
    numberNouns: list(`option, l'option, numéro, le numéro, n., no., num., choix, le choix, réponse, la, la réponse`),
    placeNouns: list('option, choix, réponse, proposition'),
    ordinals:
      places(`premier, première; deuxième, second, seconde; troisième; quatrième; cinquième; sixième; septième; huitième;
      neuvième; dixième; onzième; douzième`),
    ordinalEndings: list('er, ère, ere, re, e, è, ème, eme, ième, ieme, nd, nde'),
    numbers: places(`zéro; un, une; deux; trois; quatre; cinq; six; sept; huit; neuf; dix;
      onze; douze; treize; quatorze; quinze; seize; dix-sept; dix-huit; dix-neuf; vingt`),
    and: list('et, plus, ainsi que, puis, &, +'),
    or: list('ou, ou bien, soit'),
    not: list(`ne, pas, non, sans, sauf, ni, aucun, aucune, jamais, rien, excepté, hormis, mais, si, seulement,
      plutôt que, n'est, n'ai, n'en, n'importe, interdit`),
    talk: list(`deux, tous, tout, toute, toutes, chaque, quelque, quelques, quelconque, peut-être, peut, quoi, que, qui,
      quel, quelle, quels, quelles, lequel, laquelle, lesquels, lesquelles, pourquoi, comment, quand, où, combien, est,
      est-ce, sont, suis, es, a, as, ai, ont, avez, peux, pouvez, pourrait, dois, faut, je, j'ai, tu, il, elle, on,
      nous, vous, ils, elles, me, te, se, moi, toi, lui, ce, c'est, ça, cela, ceci, cette, ces, cet, mon, ma, mes, ton,
      ta, tes, son, sa, ses, votre, vos, notre, nos, l, de, d, à, au, aux, en, dans, par, pour, avec, sur, chez, donc,
      or, car, comme, y, peu, égal, ici, là, moins, autre, autres, aussi, encore, bien, bon, bonne, très, sais, merci,
      allez, alors, premier, d'abord, attends, attendez, aide, pardon, dommage, super, parfait, voilà, sérieux,
      vraiment, allô, bof, zut, trop, laisse, désolé, désolée, génial, cool, moment, minute, seconde, bravo, tant, sûrement`),
    numberLeads: list(`c'est, ce sera, ça fait, cela fait, nous serons, on sera, nous sommes, ma réponse est,
      la réponse est, réponse, le numéro, numéro, je voudrais, je prends, il en faut, on est, c'était, juste, seulement, exactement`),
    counts: list(`combien de, combien d`),
    dateLeads: list(`le, c'est le, ce sera le, ma réponse est, réponse`),
    timeLeads: list('à'),
    months: places(`janvier, janv, jan; février, févr, fév; mars; avril, avr; mai; juin; juillet, juil;
      août; septembre, sept, sep; octobre, oct; novembre, nov; décembre, déc`),
    dayParts: [
      ['du matin', 0, 11],
      ["de l'après-midi", 12, 18],
      ['du soir', 17, 23],
    ],
    decimal: ',',
    dateOrder: 'day-first',
    unlikeEnglish: list('a, on, y, sure, fine, or, an'),
  },
};

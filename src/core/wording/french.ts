/**
 * French: what is said, formally ("vous"), and the words replies are read by, with and without their accents.
 * "si" is in no list: whether it means yes depends on how the question was put.
 */

import { grouped } from './grouped.js';
import type { Language } from './language.js';
import { list, places, politely, quoted, withoutAccents } from './list.js';

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
      'Ce message ne contient rien d’écrit par vous qui puisse être une réponse : les fichiers et les messages automatiques ne comptent pas. Veuillez écrire votre réponse.',
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
    mailReply: () => 'Pour répondre, répondez à cet e-mail.',
    mailOrPage: () => 'Ou ouvrez la page pour y répondre.',
    mailPage: () => 'Pour répondre, ouvrez la page. Une réponse à cet e-mail ne répond pas à la question.',
    mailOpenPage: () => 'Pour répondre, ouvrez la page.',
    mailNoAnswer: () =>
      'Cet e-mail vous est envoyé pour information : ni lui ni une réponse à cet e-mail ne permettent de répondre à la question.',
    mailLinkIsYours: () => 'Le lien vous est destiné : merci de ne pas transférer cet e-mail.',
    mailSecret: () => "Merci de ne pas écrire la réponse dans un e-mail : d'autres pourraient la lire.",
  },
  words: {
    yes: list(`oui, ouais, ouaip, ouep, oui oui, mais oui, bien sûr, bien sur, oui bien sûr, oui bien sur, bien sûr que oui,
      d'accord, daccord, dac, entendu, c'est entendu, exact, exactement, tout à fait, tout a fait, absolument, évidemment,
      evidemment, volontiers, avec plaisir, c'est bon, ça marche, ca marche, ça me va, ca me va, c'est ça, c'est ca, vas-y,
      vas y, allez-y, allez y, confirmé, confirme, je confirme, correct, c'est correct, ok, okay, 👍, ✅`),
    no: list(`non, nan, non non, non merci, mais non, pas du tout, jamais, surtout pas, pas question, hors de question,
      certainement pas, absolument pas, bien sûr que non, bien sur que non, pas d'accord, négatif, negatif, faux, c'est faux,
      incorrect, non surtout pas, ne le fais pas, ne le faites pas, ne fais pas ça, ne fais pas ca, ne faites pas ça,
      ne faites pas ca, non ne le fais pas, non ne le faites pas, non ne fais pas ça, non ne fais pas ca, non ne faites pas ça,
      non ne faites pas ca, 👎, ❌`),
    approve: withoutAccents(
      list(`approuver, approuvé, approuve-le, approuvez, approuvez-le, j'approuve, oui approuvé, autoriser, autorisé,
        autorise-le, autorisez, autorisez-le, j'autorise, oui autorisé, accordé, accepter, accepté, j'accepte, oui j'accepte,
        valider, validé, je valide, oui je valide, vas-y fais-le, oui vas-y, oui vas y, oui allez-y, oui allez y, faites-le,
        fais-le, oui faites-le, oui fais-le, une seule fois, juste une fois, seulement une fois, oui une fois,
        juste cette fois, seulement cette fois`),
    ),
    deny: withoutAccents(
      list(`refuser, refusé, refuse, refuse-le, refusez, refusez-le, je refuse, non refusé, non je refuse, rejeter, rejeté,
        rejette, rejetez, je rejette, interdire, interdit, j'interdis, désapprouver, je désapprouve, pas autorisé, non autorisé,
        pas approuvé`),
    ),
    decline: [
      ...politely(
        withoutAccents(
          list(`annuler, annule, annulez, laisse tomber, laissez tomber, oublie, oublie ça, oubliez, oubliez ça, j'abandonne,
            abandonner, arrête, arrêtez, arrêter, on arrête, tant pis, laisse-moi tranquille, laissez-moi tranquille,
            je ne veux pas répondre, je ne souhaite pas répondre, je préfère ne pas répondre, je préfère ne pas le dire`),
        ),
        ["s'il vous plaît", "s'il vous plait", "s'il te plaît", "s'il te plait", 'svp', 'stp', 'merci', 'ok'],
      ),
      '/annuler',
    ],
    why: withoutAccents(
      list(`pourquoi, pour quoi faire, pourquoi faire, pourquoi ça, pourquoi cela, et pourquoi, mais pourquoi,
        pourquoi demandez-vous, pourquoi demandez-vous ça, pourquoi demandez-vous cela, pourquoi me demandez-vous ça,
        pourquoi me demandez-vous cela, pourquoi vous demandez ça, pourquoi tu demandes, pourquoi tu demandes ça,
        pourquoi tu me demandes ça, pourquoi cette question, pourquoi en avez-vous besoin, pourquoi avez-vous besoin de ça,
        pourquoi avez-vous besoin de cela, pourquoi vous en avez besoin, pourquoi en as-tu besoin, pourquoi tu en as besoin,
        pourquoi as-tu besoin de ça, pourquoi voulez-vous savoir, pourquoi voulez-vous le savoir,
        pourquoi voulez-vous savoir ça, pourquoi voulez-vous savoir cela, pourquoi tu veux savoir, pourquoi tu veux savoir ça,
        pourquoi est-ce nécessaire, pourquoi c'est nécessaire, à quoi ça sert, à quoi cela sert, à quoi cela sert-il,
        c'est pour quoi, c'est pour quoi faire, dans quel but`),
    ),
    skip: list(`passer, passe, je passe, passez, sauter, ignorer, laisser vide, laissez vide, laisser en blanc`),
    none: list('aucun, aucune, aucun des deux, aucune des deux, rien, rien du tout'),
    before:
      list(`s'il vous plaît, s'il vous plait, s'il te plaît, s'il te plait, svp, stp, bonjour, bonsoir, salut, coucou, alors,
      euh, heu, hum, bah, ben, eh bien, je prends, je prendrai, je prendrais, je voudrais, je veux, j'aimerais, je souhaite,
      je choisis, je préfère, je prefere, j'opte pour, je vais prendre, on prend, prenons, prenez, plutôt, plutot, c'est,
      ce sera, ma réponse est, ma reponse est, la réponse est, la reponse est, réponse, reponse, option, l'option, numéro,
      numero, le numéro, le numero, choix, le choix, le, la, les, à`),
    after:
      list(`s'il vous plaît, s'il vous plait, s'il te plaît, s'il te plait, svp, stp, merci, merci beaucoup, merci bien,
      merci d'avance, mille mercis, alors, cordialement, bien à vous, bonne journée, bonne journee, madame, monsieur`),
    and: list('et, plus, ainsi que, puis, &, +'),
    or: list('ou, ou bien, soit'),
    not: list(`ne, pas, non, sans, sauf, ni, aucun, aucune, jamais, rien, excepté, excepte, hormis, plutôt que, plutot que,
      n'est, n'ai, n'en, n'importe`),
    vague:
      list(`aucun, aucune, les deux, tous, tout, toute, toutes, chaque, quelque, quelques, quelconque, peut-être, peut-etre,
      peut, rien, quoi, que, qui, quel, quelle, quels, quelles, lequel, laquelle, lesquels, lesquelles, pourquoi, comment,
      quand, où, ou, combien, est, est-ce, sont, suis, es, a, as, ai, ont, avez, peux, pouvez, pourrait, dois, faut, je, j'ai,
      tu, il, elle, on, nous, vous, ils, elles, me, te, se, moi, toi, lui, ce, c'est, ça, ca, cela, ceci, cette, ces, cet, mon,
      ma, mes, ton, ta, tes, son, sa, ses, votre, vos, notre, nos, le, la, les, l, une, des, du, de, d, à, au, aux, en,
      dans, par, pour, avec, sur, chez, et, mais, donc, or, ni, car, si, comme, y, n'importe, n'importe lequel, peu importe,
      égal, ici, là, plus, moins, autre, autres, aussi, encore, bien, très, ne, pas, sais`),
    numbers:
      list(`zéro, un, deux, trois, quatre, cinq, six, sept, huit, neuf, dix, onze, douze, treize, quatorze, quinze,
      seize, dix-sept, dix-huit, dix-neuf, vingt`),
    ordinals: places(`premier, première, premiere; deuxième, deuxieme, second, seconde; troisième, troisieme;
      quatrième, quatrieme; cinquième, cinquieme; sixième, sixieme; septième, septieme; huitième, huitieme;
      neuvième, neuvieme; dixième, dixieme; onzième, onzieme; douzième, douzieme`),
    last: list('dernier, dernière, derniere'),
    placeNouns: list('option, choix, réponse'),
    beforePlace: list(
      "l'option, option, numéro, numero, le numéro, le numero, choix, le choix, bonjour, je choisis, ma réponse est",
    ),
    beforeDigits: list("le, la, c'est"),
    ordinalEndings: list('er, ère, ere, re, e, è, ème, eme, ième, ieme, nd, nde'),
    months:
      places(`janvier, janv, jan; février, fevrier, févr, fevr, fév, fev; mars; avril, avr; mai; juin; juillet, juil;
      août, aout; septembre, sept, sep; octobre, oct; novembre, nov; décembre, decembre, déc, dec`),
    am: list('du matin'),
    pm: list("de l'après-midi, de l'apres-midi, du soir"),
    decimal: ',',
    dateOrder: 'day-first',
  },
};

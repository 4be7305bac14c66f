/**
 * German: what is said, formally ("Sie"), and the words replies are read by, the informal ones among them.
 * "doch" is in no list: whether it means yes depends on how the question was put.
 */

import type { Language } from './language.js';
import { grouped, list, pairs, places, quoted } from './list.js';

/** The German language: sentences and words. */
export const german: Language = {
  locale: 'de',
  wording: {
    notUnderstood: (question, problem) => `Das habe ich leider nicht verstanden. ${problem}\n${question}`,
    notValid: (question, problem) => `${problem}\n${question}`,
    skipped: () => 'Ich konnte keine Antwort erkennen und überspringe diesen Schritt.',
    declined: () => 'In Ordnung, dann lassen wir das.',
    refused: () => 'Diese Frage kann nur jemand anderes beantworten.',
    notShown: () =>
      'Das ist zu lang, um hier ganz gezeigt zu werden, und kann deshalb hier nicht beantwortet werden. Bitte antworten Sie auf der Seite dazu.',
    notByMail: () =>
      'Diese Frage kann nicht per E-Mail beantwortet werden. Wenn die E-Mail mit der Frage einen Link enthält, beantworten Sie sie bitte dort.',
    nothingWritten: () =>
      'Darin steht nichts von Ihnen Geschriebenes, das eine Antwort sein könnte: Dateien, Zitate, durchgestrichener Text und automatische Nachrichten zählen nicht. Bitte schreiben Sie Ihre Antwort.',
    already: (by) =>
      by?.name === undefined ? 'Das wurde schon beantwortet.' : `Das wurde schon von ${by.name} beantwortet.`,
    late: () => 'Die Zeit für diese Antwort ist abgelaufen.',
    alreadyDeclined: () => 'Eine Antwort auf diese Frage wurde schon abgelehnt.',
    alreadyExhausted: () => 'Diese Frage wurde geschlossen, weil keine Antwort zu verstehen war.',
    alreadyCancelled: () => 'Diese Frage wurde abgebrochen.',
    alreadyWithdrawn: () => 'Diese Frage wurde zurückgezogen.',
    unknownAsk: () => 'Diese Frage ist hier nicht zu finden.',
    tooLong: () => 'Diese Nachricht ist zu lang für mich. Bitte schicken Sie eine kürzere.',
    failed: () => 'Bei uns ist etwas schiefgegangen. Wir wissen davon und kümmern uns darum.',
    invalid: (problem) => problem,
    reminder: (question) => `Diese Frage ist noch offen:\n${question}`,
    handedToYou: (by, question, reason) =>
      `${by.name ?? 'Jemand'} gibt das an Sie weiter${reason === undefined ? '.' : `: ${quoted(reason, '„', '“')}`}\n${question}`,
    handedOver: (to) => `Sie haben das an ${to.name ?? to.id} weitergegeben.`,
    handOverNeedsId: () =>
      'Bitte geben Sie die Kennung einer Person an, wie ihr Kanal sie hat, zum Beispiel web:4711 oder slack:T1/U1, und keinen Namen.',
    handOverToSelf: () => 'Sie können eine Frage nicht an sich selbst weitergeben.',
    handOverToAsker: () => 'Eine Frage kann nicht an die Person weitergegeben werden, für die sie gestellt ist.',
    handOverOutsideTenant: () =>
      'Von dieser Person ist nicht bekannt, dass sie zum Mandanten der Frage gehört, deshalb wird ihr die Frage nicht gezeigt. Geben Sie die Frage an jemanden weiter, von dem das bekannt ist, oder lassen Sie den Mandanten der Person eintragen.',
    handOverToUnknown: () =>
      'Unter dieser Kennung ist niemand bekannt, der hier antworten darf. Prüfen Sie die Kennung, oder geben Sie die Frage an jemand anderen weiter.',
    handOverNotNow: () =>
      'Im Moment lässt sich nicht nachsehen, wer diese Kennung hat, deshalb wurde nichts weitergegeben. Bitte versuchen Sie es in ein paar Minuten noch einmal.',
    handOverBack: () => 'Diese Person hat die Frage selbst schon weitergegeben.',
    handOverToVoter: () => 'Diese Person hat schon abgestimmt.',
    handOverTooFew: (needed, left) =>
      `Es müssen ${needed} Personen zustimmen, danach könnten es nur noch ${left}. Geben Sie die Frage an jemanden weiter, der sie noch nicht beantworten darf.`,
    handOverTooOften: (most) => `Eine Frage kann höchstens ${most}-mal weitergegeben werden.`,
    voted: (yes, needed) => `Danke. Zustimmungen bisher: ${yes} von ${needed}.`,
    votedAlready: () => 'Ihre Stimme wurde schon gezählt.',
    pickOne: (labels) => `Bitte wählen Sie eine dieser Antworten: ${labels.join(', ')}.`,
    pickSeveral: (labels, least, most) => {
      const limit = most === 1 ? 'eine' : `${most}`;
      const many = least === most ? limit : least === 0 ? `höchstens ${limit}` : `${least} bis ${most}`;
      return `Bitte wählen Sie ${many} dieser Antworten: ${labels.join(', ')}.`;
    },
    onlyOne: () => 'Bitte wählen Sie nur eine Antwort.',
    ambiguous: (meanings) => `Das könnte ${meanings.join(' oder ')} bedeuten.`,
    sayWhich: () => 'Bitte schreiben Sie, was Sie möchten, und nicht, was Sie nicht möchten.',
    askedBack: () => 'Das sieht nach einer Frage aus. Ich brauche aber zuerst eine Antwort.',
    yesOrNo: () => 'Bitte antworten Sie mit Ja oder Nein.',
    typeOther: () => 'Bitte schreiben Sie Ihre eigene Antwort.',
    needText: () => 'Bitte schreiben Sie ein paar Worte.',
    unclear: () => 'Bitte beantworten Sie die Frage.',
    tooShort: (least) => `Bitte schreiben Sie mindestens ${grouped(least, '.')} Zeichen.`,
    tooLongText: (most) => `Bitte schreiben Sie höchstens ${grouped(most, '.')} Zeichen.`,
    wrongPattern: (example) =>
      example === undefined ? 'Das passt so nicht.' : `Das passt so nicht. Richtig wäre zum Beispiel ${example}.`,
    needNumber: (example) => `Bitte schreiben Sie eine Zahl, zum Beispiel ${example}.`,
    needWhole: (example) => `Bitte schreiben Sie eine ganze Zahl, zum Beispiel ${example}.`,
    outOfRange: (least, most) => {
      if (least === undefined) return `Es darf höchstens ${most} sein.`;
      return most === undefined ? `Es muss mindestens ${least} sein.` : `Es muss zwischen ${least} und ${most} liegen.`;
    },
    outOfDates: (earliest, latest) => {
      if (earliest === undefined) return `Möglich ist spätestens ${latest}.`;
      return latest === undefined
        ? `Möglich ist frühestens ${earliest}.`
        : `Das Datum muss zwischen ${earliest} und ${latest} liegen.`;
    },
    needDate: (example) => `Bitte schreiben Sie das Datum vollständig, zum Beispiel ${example}.`,
    noSuchDate: () => 'Dieses Datum gibt es nicht.',
    needEmail: (example) => `Bitte schreiben Sie eine E-Mail-Adresse, zum Beispiel ${example}.`,
    cannotSkip: () => 'Das lässt sich nicht überspringen.',
    missing: (fields) => `Es fehlt noch: ${fields.join(', ')}.`,
    pickHint: () => 'Antworten Sie mit einer Nummer oder dem Text daneben.',
    pickSeveralHint: () => 'Antworten Sie mit Nummern oder den Texten daneben, durch Kommas getrennt.',
    labelHint: () => 'Antworten Sie mit einer dieser Möglichkeiten.',
    skipHint: () => 'Mit „überspringen“ lassen Sie es aus.',
    yes: () => 'Ja',
    no: () => 'Nein',
    other: () => 'Etwas anderes',
    allow: (tool) => `${tool} erlauben?`,
    approve: () => 'Genehmigen',
    deny: () => 'Ablehnen',
    once: () => 'Einmal',
    forSession: () => 'Für diese Sitzung',
    approved: (how) =>
      how === 'session' ? 'Für diese Sitzung genehmigt.' : how === 'once' ? 'Einmal genehmigt.' : 'Genehmigt.',
    denied: () => 'Abgelehnt. Es wird nicht ausgeführt.',
    tool: () => 'Werkzeug',
    arguments: () => 'Angaben',
    details: () => 'Einzelheiten',
    severalQuestions: () => 'Bitte beantworten Sie diese Fragen.',
    answer: () => 'Antwort',
    asking: () => 'Es wurde nachgefragt',
    answerButton: () => 'Antworten',
    sendButton: () => 'Senden',
    cancelButton: () => 'Abbrechen',
    openPageButton: () => 'Seite öffnen',
    pickPlaceholder: () => 'Bitte auswählen',
    pickSeveralPlaceholder: () => 'Auswählen',
    timeOf: (field) => `${field} (Uhrzeit)`,
    openUntil: (time) => `Offen bis: ${time}`,
    votesSoFar: (given, needed) => `${given} von ${needed} Stimmen`,
    secretHint: () =>
      'Bitte benutzen Sie die Schaltfläche: Was in einem Kanal geschrieben wird, können alle darin lesen.',
    tooLongHere: () => 'Das ist zu lang, um hier ganz gezeigt zu werden, und hat deshalb hier keine Schaltflächen.',
    replyHint: () =>
      'Das lässt sich hier nicht mit einer Schaltfläche beantworten. Bitte schreiben Sie Ihre Antwort als Nachricht.',
    ended: (how, by) => {
      const who = by?.name === undefined ? '' : ` von ${by.name}`;
      if (how === 'answered') return `Beantwortet${who}`;
      if (how === 'declined') return `Abgelehnt${who}`;
      if (how === 'cancelled') return `Abgebrochen${who}`;
      return how === 'expired' ? 'Abgelaufen' : 'Ohne Antwort geschlossen';
    },
    noText: () => '(kein Text)',
    replyAbove: () => 'Bitte antworten Sie oberhalb dieser Zeile',
    mailReply: () => 'Bitte antworten Sie auf diese E-Mail nur mit Ihrer Antwort.',
    mailTwoAsks: () =>
      'Ihre E-Mail geht an mehr als eine Frage, deshalb wurde nichts entschieden. Bitte antworten Sie auf jede Frage einzeln.',
    mailOrPage: () => 'Oder öffnen Sie die Seite, um dort zu antworten.',
    mailPage: () => 'Um zu antworten, öffnen Sie die Seite. Eine Antwort auf diese E-Mail beantwortet die Frage nicht.',
    mailOpenPage: () => 'Um zu antworten, öffnen Sie die Seite.',
    mailNoAnswer: () =>
      'Diese E-Mail dient zu Ihrer Information: Weder hier noch mit einer Antwort darauf lässt sich die Frage beantworten.',
    mailLinkIsYours: () => 'Der Link ist für Sie: Bitte leiten Sie diese E-Mail nicht weiter.',
    mailSecret: () => 'Bitte schreiben Sie die Antwort nicht in eine E-Mail: Andere könnten sie lesen.',
  },
  words: {
    yes: list(`ja, j, jo, jep, jup, jupp, jap, yo, jawohl, jawoll, aber ja, oh ja, klar, ja klar, na klar, aber klar,
      eh klar, logo, klaro, sicher, aber sicher, ganz sicher, natürlich, aber natürlich, selbstverständlich, gerne,
      gern, sehr gerne, sehr gern, aber gerne, mit vergnügen, einverstanden, ich bin einverstanden, genau, richtig,
      ja genau, stimmt, das stimmt, korrekt, das ist korrekt, das ist richtig, bestätigt, ich bestätige,
      ich bestätige das, auf jeden fall, unbedingt, definitiv, absolut, geht klar, mach das, mach es, machen sie das,
      machen sie es, mach das bitte, machen sie das bitte, tu das, tun sie das, tun sie es, ✅`),
    weakYes: list(`ok, okay, in ordnung, das ist in ordnung, ist in ordnung, passt, das passt, 👍`),
    no: [
      ...list(`nein, n, nö, noe, nee, ne, auf keinen fall, auf gar keinen fall, unter keinen umständen, keinesfalls,
      keineswegs, niemals, nie, nie im leben, lieber nicht, nicht nötig, ist nicht nötig, das ist nicht nötig, leider nein, leider nicht, tut mir leid nein, nein tut mir leid, das möchte ich nicht,
      das will ich nicht, ich möchte das nicht, ich will das nicht, bitte nicht, besser nicht, sicher nicht, bestimmt nicht,
      ganz sicher nicht, natürlich nicht, selbstverständlich nicht, gar nicht, um himmels willen, mach das nicht,
      mach es nicht, machen sie das nicht, machen sie es nicht, nicht machen, tu das nicht, tu es nicht,
      tun sie das nicht, tun sie es nicht, das nicht, 👎, ❌`),
      'nein, tut mir leid',
      'tut mir leid, nein',
    ],
    emphatic: list(`nein, nö, 👍, 👎, ✅, ❌`),
    approve: list(`ja, j, jep, jawohl, aber ja, ja klar, natürlich, selbstverständlich, auf jeden fall, unbedingt,
      einverstanden, ich bin einverstanden, bestätigt, ich bestätige, ich bestätige das, mach das, mach es,
      machen sie das, machen sie es, mach das bitte, machen sie das bitte, ✅, genehmigen, genehmigt, hiermit genehmigt,
      genehmige ich, ich genehmige, ich genehmige es, ich genehmige das, genehmigen sie es, genehmigen sie das,
      freigeben, freigegeben, hiermit freigegeben, gib es frei, geben sie es frei, ich gebe es frei, ich gebe das frei,
      erlauben, erlaubt, erlaube es, erlauben sie es, ich erlaube es, ich erlaube das, zugestimmt, ich stimme zu,
      stimme zu, nur zu, los, leg los, legen sie los, nur einmal, nur dieses eine mal, bitte machen`),
    deny: list(`ablehnen, abgelehnt, hiermit abgelehnt, lehne ab, lehn ab, lehn es ab, ich lehne ab, ich lehne es ab,
      ich lehne das ab, lehnen sie ab, lehnen sie es ab, verweigern, verweigert, ich verweigere es, verbieten, verboten,
      ich verbiete es, nicht erlauben, nicht erlaubt, nicht genehmigen, nicht genehmigt, nicht freigeben,
      nicht freigegeben, ich genehmige das nicht, ich genehmige es nicht, ich stimme nicht zu`),
    asks: list(
      'soll ich, sollen wir, darf ich, dürfen wir, möchten sie, möchtest du, wollen sie, willst du, wollen wir',
    ),
    decline: list(`abbrechen, abbruch, brich ab, brechen sie ab, stopp, vergiss es, vergessen sie es, vergiss das,
      vergessen sie das, hat sich erledigt, das hat sich erledigt, schon gut, lass gut sein, lassen sie es gut sein,
      lass mich in ruhe, lassen sie mich in ruhe, hör auf, hör auf zu fragen, hören sie auf, aufhören,
      ich möchte nicht antworten, ich will nicht antworten, das möchte ich nicht sagen, das will ich nicht sagen,
      das möchte ich nicht beantworten, das will ich nicht beantworten, /stopp, /abbrechen`),
    why: [
      ...list('warum, wieso, weshalb, wozu, wofür, warum denn, wieso denn, wozu ist das gut, wozu dient das'),
      ...pairs('warum, wieso, weshalb, wozu', 'das, fragst du, fragst du das, fragen sie, fragen sie das'),
      ...pairs(
        'warum, wieso, weshalb, wozu, wofür',
        'brauchst du das, brauchen sie das, brauchen sie das denn, ist das',
      ),
      ...pairs('warum, wieso', 'willst du das wissen, wollen sie das wissen, ist das nötig, ist das wichtig'),
    ],
    skip: list(`überspringen, überspring das, auslassen, weglassen, lass es weg, lassen sie es weg, leer lassen,
      lass es leer, lassen sie es leer, keine angabe`),
    none: list('keine, keins, keines, keine davon, keines davon, nichts, gar nichts, nein danke'),
    please: list(`bitte, bitte schön, bitteschön, bitte sehr`),
    greetings:
      list(`hallo, hi, hey, hallo zusammen, hi zusammen, hallo team, hallo liebes team, liebes team, guten tag, guten morgen, guten abend, moin, moin moin, servus, grüß gott, grüezi,
      sehr geehrte damen und herren`),
    closings:
      list(`mit freundlichen grüßen, mit freundlichem gruß, mit besten grüßen, mit lieben grüßen, mit herzlichen grüßen,
      freundliche grüße, viele grüße, liebe grüße, viele liebe grüße, beste grüße, schöne grüße, herzliche grüße, sonnige grüße,
      lieben gruß, besten gruß, schönen gruß, gruß, grüße, lg, vg, mfg, hochachtungsvoll`),
    thanks:
      list(`danke, danke der nachfrage, danke für die nachfrage, danke schön, dankeschön, danke sehr, danke dir, danke ihnen, vielen dank, besten dank,
      herzlichen dank, lieben dank, danke im voraus, vielen dank im voraus, merci`),
    chooses: list(`ich nehme, ich nehm, ich möchte, ich möchte gern, ich möchte gerne, ich will, ich hätte gern,
      ich hätte gerne, ich würde gern, ich wähle, ich wünsche, ich wünsche mir, ich bin für, ich entscheide mich für,
      ich bevorzuge, nehmen wir, nimm, nehmen sie, wir nehmen, dann nehme ich, meine wahl ist, meine antwort ist,
      die antwort ist, meine antwort, die antwort lautet, antwort`),
    articles: list(`der, die, das, den, dem`),
    numberNouns: list('option, nummer, nr., nr, die nummer, antwort, möglichkeit, variante, die, punkt'),
    placeNouns: list('option, möglichkeit, variante, antwort, auswahl'),
    ordinals:
      places(`erste, ersten, erster, erstes; zweite, zweiten, zweiter, zweites; dritte, dritten, dritter, drittes;
      vierte, vierten, vierter, viertes; fünfte, fünften, fünfter, fünftes; sechste, sechsten, sechster, sechstes;
      siebte, siebten, siebter, siebtes, siebente; achte, achten, achter, achtes; neunte, neunten, neunter, neuntes;
      zehnte, zehnten, zehnter, zehntes; elfte, elften, elfter, elftes; zwölfte, zwölften, zwölfter, zwölftes`),
    ordinalEndings: list('te, ten, ter, tes, ste, sten, ster, stes'),
    numbers: places(`null; eins, ein, eine; zwei; drei; vier; fünf; sechs; sieben; acht; neun; zehn;
      elf; zwölf; dreizehn; vierzehn; fünfzehn; sechzehn; siebzehn; achtzehn; neunzehn; zwanzig`),
    and: list('und, u, sowie, plus, &, +'),
    or: list('oder, entweder, bzw, beziehungsweise'),
    not: list(`nicht, nichts, kein, keine, keinen, keiner, keines, keinem, nein, nö, nee, nie, niemals, ohne, außer,
      aber, nur, wenn, weder, statt, anstatt, falls, sofern, verboten`),
    talk: list(`keins, beide, beides, beiden, alle, alles, aller, allen, jede, jeder, jedes, irgendeine, irgendein,
      irgendwas, irgendwelche, egal, vielleicht, eventuell, möglicherweise, etwas, was, welche, welcher, welches,
      welchen, wer, wem, wen, warum, wieso, weshalb, wie, wann, wo, woher, wohin, wozu, ist, sind, bin, war, hat, habe,
      haben, kann, können, könnte, soll, muss, will, möchte, ich, du, er, sie, es, wir, ihr, man, mir, mich, dir, dich,
      ihnen, uns, mein, meine, dein, deine, des, einer, eines, einem, dies, diese, dieser, dieses, jene, jener, doch,
      ob, dass, weil, in, im, an, am, auf, zu, zum, zur, von, vom, mit, für, bei, nach, aus, um, über, so, da, hier,
      dort, auch, noch, schon, mal, mehr, andere, anderes, andres, sonst, weiß, na, also, gut, bitte, danke, erst,
      erste, zuerst, gleich, jetzt, eins, einmal, warte, hilfe, moment, entschuldigung, super, prima, toll, schade,
      achtung, halt, mist, echt, wirklich, quatsch, perfekt, cool, okay, sekunde, minute`),
    numberLeads: list(`es sind, das sind, es ist, das ist, meine antwort ist, die antwort ist, antwort,
      die antwort lautet, nummer, zahl, ich möchte, ich nehme, ich hätte gern, ich hätte gerne, wir sind, wir sind zu,
      wir brauchen, ich brauche, nur, genau, es waren, es war`),
    counts: list('wie viele, wieviele'),
    dateLeads: list(`am, den, der, dem, es ist der, das ist der, es ist am, meine antwort ist, antwort`),
    timeLeads: list('um'),
    months: places(`januar, jänner, jan, jän; februar, feber, feb; märz, mär, mrz; april, apr; mai; juni, jun;
      juli, jul; august, aug; september, sep, sept; oktober, okt; november, nov; dezember, dez`),
    dayParts: [
      ['morgens', 4, 11],
      ['vormittags', 6, 11],
      ['nachmittags', 12, 18],
      ['abends', 17, 23],
    ],
    decimal: ',',
    dateOrder: 'day-first',
    unlikeEnglish: list('am, nah, on, an, a, also, die, man, see, was'),
  },
};

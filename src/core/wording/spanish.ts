/**
 * Spanish: what is said, formally ("usted"), and the words replies are read by, with and without their accents.
 */

import type { Language } from './language.js';
import { grouped, list, pairs, places, quoted } from './list.js';

const characters = (count: number): string => `${grouped(count, '\u202f')} ${count === 1 ? 'carácter' : 'caracteres'}`;

/** The Spanish language: sentences and words. */
export const spanish: Language = {
  locale: 'es',
  wording: {
    notUnderstood: (question, problem) => `Lo siento, no lo he entendido. ${problem}\n${question}`,
    notValid: (question, problem) => `${problem}\n${question}`,
    skipped: () => 'No he encontrado una respuesta, así que omito este paso.',
    declined: () => 'De acuerdo, lo dejamos así.',
    refused: () => 'Usted no puede responder a esta pregunta.',
    notShown: () =>
      'Esta pregunta es demasiado larga para mostrarla aquí completa. Respóndala en su página, por favor.',
    notByMail: () =>
      'Esta pregunta no se puede responder por correo. Si el correo con la pregunta tiene un enlace, respóndala allí, por favor.',
    nothingWritten: () =>
      'En ese mensaje no hay nada escrito por usted que pueda ser una respuesta: los archivos, las citas, el texto tachado y los mensajes automáticos no cuentan. Escriba su respuesta, por favor.',
    already: (by) =>
      by?.name === undefined ? 'Esta pregunta ya fue respondida.' : `Esta pregunta ya fue respondida por ${by.name}.`,
    late: () => 'El plazo para responder ha terminado.',
    alreadyDeclined: () => 'Ya se declinó responder a esta pregunta.',
    alreadyExhausted: () => 'Esta pregunta está cerrada porque no se pudo entender ninguna respuesta.',
    alreadyCancelled: () => 'Esta pregunta fue cancelada.',
    alreadyWithdrawn: () => 'Esta pregunta fue retirada.',
    unknownAsk: () => 'No encuentro esta pregunta aquí.',
    tooLong: () => 'Ese mensaje es demasiado largo para mí. Por favor, envíe uno más corto.',
    failed: () => 'Algo ha fallado por nuestra parte. Ya estamos avisados y lo revisaremos.',
    invalid: (problem) => problem,
    reminder: (question) => `Esta pregunta sigue abierta:\n${question}`,
    handedToYou: (by, question, reason) =>
      `${by.name ?? 'Alguien'} le pasa esta pregunta${reason === undefined ? '.' : `: ${quoted(reason, '«', '»')}`}\n${question}`,
    handedOver: (to) => `Ha pasado esta pregunta a ${to.name ?? to.id}.`,
    handOverNeedsId: () =>
      'Indique el identificador de una persona tal como lo da su canal, por ejemplo web:4711 o slack:T1/U1, y no un nombre.',
    handOverToSelf: () => 'No puede pasarse una pregunta a sí mismo.',
    handOverToAsker: () => 'Una pregunta no se puede pasar a la persona para la que se hace.',
    handOverOutsideTenant: () =>
      'No consta que esta persona pertenezca a la organización de la pregunta, así que no se le muestra. Pásela a alguien de quien conste, o haga que se registre la organización de esta persona.',
    handOverToUnknown: () =>
      'No se conoce con este identificador a nadie que pueda responder aquí. Compruébelo, o pase la pregunta a otra persona.',
    handOverNotNow: () =>
      'En este momento no se puede comprobar de quién es este identificador, así que no se ha pasado nada. Inténtelo de nuevo dentro de unos minutos.',
    handOverBack: () => 'Esta persona ya ha pasado la pregunta.',
    handOverToVoter: () => 'Esta persona ya ha votado.',
    handOverTooFew: (needed, left) =>
      `Deben estar de acuerdo ${needed} personas, y después de esto solo podrían ${left}. Pásela a alguien que aún no pueda responder.`,
    handOverTooOften: (most) => `Una pregunta se puede pasar como máximo ${most} veces.`,
    voted: (yes, needed) => `Anotado: ${yes} de los ${needed} votos a favor necesarios.`,
    votedAlready: () => 'Ya hemos contado su voto.',
    pickOne: (labels) => `Por favor, elija una de estas opciones: ${labels.join(', ')}.`,
    pickSeveral: (labels, least, most) => {
      const limit = most === 1 ? 'una' : `${most}`;
      const many = least === most ? limit : least === 0 ? `como máximo ${limit}` : `de ${least} a ${most}`;
      return `Por favor, elija ${many} de estas opciones: ${labels.join(', ')}.`;
    },
    onlyOne: () => 'Por favor, dé solo una respuesta.',
    ambiguous: (meanings) => `Eso podría significar ${meanings.join(' o ')}.`,
    sayWhich: () => 'Por favor, diga lo que quiere en lugar de lo que no quiere.',
    askedBack: () => 'Eso parece una pregunta, pero primero necesito una respuesta.',
    yesOrNo: () => 'Por favor, responda sí o no.',
    typeOther: () => 'Por favor, escriba su propia respuesta.',
    needText: () => 'Por favor, escriba unas palabras.',
    unclear: () => 'Por favor, responda a la pregunta.',
    tooShort: (least) => `Por favor, escriba al menos ${characters(least)}.`,
    tooLongText: (most) => `Por favor, escriba como máximo ${characters(most)}.`,
    wrongPattern: (example) =>
      example === undefined ? 'Eso no parece correcto.' : `Eso no parece correcto. Debería ser algo como ${example}.`,
    needNumber: (example) => `Por favor, escriba un número, por ejemplo ${example}.`,
    needWhole: (example) => `Por favor, escriba un número entero, por ejemplo ${example}.`,
    outOfRange: (least, most) => {
      if (least === undefined) return `Debe ser como máximo ${most}.`;
      return most === undefined ? `Debe ser como mínimo ${least}.` : `Debe estar entre ${least} y ${most}.`;
    },
    outOfDates: (earliest, latest) => {
      if (earliest === undefined) return `La fecha debe ser a más tardar el ${latest}.`;
      return latest === undefined
        ? `La fecha no puede ser antes del ${earliest}.`
        : `La fecha debe estar entre el ${earliest} y el ${latest}.`;
    },
    needDate: (example) => `Por favor, escriba la fecha completa, por ejemplo ${example}.`,
    noSuchDate: () => 'Esa fecha no existe.',
    needEmail: (example) => `Por favor, escriba una dirección de correo electrónico, por ejemplo ${example}.`,
    cannotSkip: () => 'Esta pregunta no se puede omitir.',
    missing: (fields) => `Falta por responder: ${fields.join(', ')}.`,
    pickHint: () => 'Responda con un número o con el nombre de una opción.',
    pickSeveralHint: () => 'Responda con números o nombres de opciones, separados por comas.',
    labelHint: () => 'Responda con una de estas opciones.',
    skipHint: () => 'Responda «omitir» para dejarlo en blanco.',
    yes: () => 'Sí',
    no: () => 'No',
    other: () => 'Otra respuesta',
    allow: (tool) => `¿Permitir ${tool}?`,
    approve: () => 'Aprobar',
    deny: () => 'Denegar',
    once: () => 'Una vez',
    forSession: () => 'Durante esta sesión',
    approved: (how) =>
      how === 'session' ? 'Aprobado para esta sesión.' : how === 'once' ? 'Aprobado por esta vez.' : 'Aprobado.',
    denied: () => 'Denegado. No se hará.',
    tool: () => 'Herramienta',
    arguments: () => 'Parámetros',
    details: () => 'Detalles',
    severalQuestions: () => 'Por favor, responda a estas preguntas.',
    answer: () => 'Respuesta',
    asking: () => 'Se ha preguntado a una persona',
    answerButton: () => 'Responder',
    sendButton: () => 'Enviar',
    cancelButton: () => 'Cancelar',
    openPageButton: () => 'Abrir la página',
    pickPlaceholder: () => 'Elija una opción',
    pickSeveralPlaceholder: () => 'Elija',
    timeOf: (field) => `${field} (hora)`,
    openUntil: (time) => `Fecha límite: ${time}`,
    votesSoFar: (given, needed) => `Votos: ${given} de ${needed}`,
    secretHint: () => 'Use el botón: lo que se escribe en un canal lo ven todos sus miembros.',
    tooLongHere: () => 'Es demasiado largo para mostrarlo aquí completo, por eso aquí no tiene botones.',
    replyHint: () => 'Aquí no se puede responder con un botón. Por favor, escriba su respuesta en un mensaje.',
    ended: (how, by) => {
      const who = by?.name === undefined ? '' : ` por ${by.name}`;
      if (how === 'answered') return `Respondida${who}`;
      if (how === 'declined') return `Declinada${who}`;
      if (how === 'cancelled') return `Cancelada${who}`;
      return how === 'expired' ? 'Plazo terminado' : 'Cerrada sin respuesta';
    },
    noText: () => '(sin texto)',
    replyAbove: () => 'Responda por encima de esta línea',
    mailReply: () => 'Para responder, conteste a este correo solo con su respuesta.',
    mailTwoAsks: () =>
      'Su correo responde a más de una pregunta, por lo que no se ha decidido nada. Por favor, responda a cada pregunta por separado.',
    mailOrPage: () => 'O abra la página para responder allí.',
    mailPage: () => 'Para responder, abra la página. Contestar a este correo no responde a la pregunta.',
    mailOpenPage: () => 'Para responder, abra la página.',
    mailNoAnswer: () => 'Este correo es solo informativo: ni él ni una respuesta a él pueden responder a la pregunta.',
    mailLinkIsYours: () => 'El enlace es para usted: no reenvíe este correo.',
    mailSecret: () => 'No escriba la respuesta en un correo: otras personas podrían leerla.',
  },
  words: {
    yes: list(`sí, sip, sí que sí, claro, claro que sí, por supuesto, por supuesto que sí, desde luego,
      desde luego que sí, sin duda, naturalmente, correcto, es correcto, exacto, exactamente, así es, eso es,
      efectivamente, afirmativo, confirmado, confirmo, lo confirmo, adelante, hazlo, hágalo, con mucho gusto, ✅`),
    weakYes: list(`vale, ok, okay, okey, de acuerdo, me parece bien, conforme, está bien, perfecto, 👍`),
    no: [
      ...list(`no, nop, que no, nunca, jamás, nunca jamás, de ninguna manera, de ningún modo, de ninguna forma,
      para nada, claro que no, por supuesto que no, desde luego que no, en absoluto, ni hablar, ni pensarlo,
      va a ser que no, mejor no, lo siento no, no lo siento, no hace falta, no es necesario, no quiero, no lo quiero, prefiero que no, prefiero no, no lo hagas, no lo haga, no lo hagan, no hagas eso, no haga eso, no hacerlo, 👎, ❌`),
      'no, lo siento',
      'lo siento, no',
    ],
    emphatic: list(`sí, no, 👍, 👎, ✅, ❌`),
    approve: list(`sí, claro que sí, por supuesto, por supuesto que sí, adelante, hazlo, hágalo, confirmado, confirmo,
      lo confirmo, ✅, aprobar, aprobado, aprobada, apruebo, lo apruebo, apruébalo, apruébelo, autorizar, autorizado,
      autorizada, autorizo, lo autorizo, autorízalo, autorícelo, permitir, permitido, lo permito, permítelo, permítalo,
      aceptar, aceptado, acepto, proceda, procede, solo una vez, sólo una vez, solo esta vez, sólo esta vez,
      por esta vez, 1 vez`),
    deny: list(`denegar, denegado, denegada, deniego, lo deniego, rechazar, rechazado, rechazada, rechazo, lo rechazo,
      rechácelo, recházalo, prohibir, prohibido, lo prohíbo, no autorizado, no autorizo, no lo autorizo, no permitir,
      no permitido, no lo permito, no aprobado, no apruebo, no lo apruebo, no lo apruebes, no lo apruebe, no aprobar`),
    asks: list('quiere, quieres, quieren, quiere que, quieres que, desea, deseas, desea que, deseas que, debo, puedo'),
    decline: list(`cancelar, cancela, cancele, olvídalo, olvídelo, déjalo, déjelo, déjalo así, déjelo así, basta,
      detente, deténgase, anular, para ya, déjame en paz, déjeme en paz, no quiero responder, no quiero contestar,
      prefiero no responder, prefiero no contestar, prefiero no decirlo, /cancelar`),
    why: [
      ...list(
        'porqué, pero por qué, por qué esa pregunta, por qué es necesario, por qué hace falta, para qué es, para qué es eso',
      ),
      ...list('por qué, para qué, y por qué, y para qué, para qué sirve, para qué sirve eso'),
      ...pairs(
        'por qué, para qué',
        `lo pregunta, lo preguntas, pregunta eso, preguntas eso, me lo pregunta, me lo preguntas, lo necesita, lo necesitas, necesita eso,
        necesitas eso, necesita saberlo, necesitas saberlo, lo quiere, lo quieres, quiere saberlo, quieres saberlo, lo quiere saber,
        lo quieres saber`,
      ),
    ],
    skip: list(`omitir, omite, omita, saltar, sáltalo, sáltelo, dejar vacío, dejar en blanco, déjalo en blanco,
      déjelo en blanco`),
    none: list('ninguno, ninguna, ninguno de ellos, ninguna de ellas, nada, no gracias'),
    please: list(`por favor, porfavor, porfa, porfis, xfa`),
    greetings: [
      'hola, equipo',
      ...list(`hola, hola a todos, hola equipo, buenas, buenos días, buenas tardes, buenas noches, estimados señores`),
    ],
    closings: list(
      `saludos, un saludo, muchos saludos, un cordial saludo, saludos cordiales, cordiales saludos, cordialmente, atentamente`,
    ),
    thanks: list(
      `gracias, gracias por preguntar, gracias de todos modos, muchas gracias, muchísimas gracias, gracias de antemano, de antemano gracias, grcs`,
    ),
    chooses: list(`quiero, quisiera, querría, me gustaría, deseo, elijo, escojo, prefiero, tomo, tomaré, me quedo con,
      voy con, opto por, póngame, ponme, deme, dame, mi respuesta es, la respuesta es, mi elección es, respuesta`),
    articles: list(`el, la`),
    numberNouns: list(`opción, la opción, número, el número, n., núm., no., respuesta, la respuesta, la`),
    placeNouns: list('opción, respuesta, alternativa'),
    ordinals:
      places(`primero, primera, primer; segundo, segunda; tercero, tercera, tercer; cuarto, cuarta; quinto, quinta;
      sexto, sexta; séptimo, séptima; octavo, octava; noveno, novena; décimo, décima; undécimo, undécima; duodécimo, duodécima`),
    ordinalEndings: list('o, a, .o, .a, er, ro, ra, do, da, to, ta'),
    numbers: places(`cero; uno, un, una; dos; tres; cuatro; cinco; seis; siete; ocho; nueve; diez;
      once; doce; trece; catorce; quince; dieciséis; diecisiete; dieciocho; diecinueve; veinte`),
    and: list(`y, e, además de, junto con, &, +`),
    or: list('o, u, o bien'),
    not: list(`no, ni, nunca, jamás, sin, excepto, salvo, menos, tampoco, nada, ningún, ninguno, ninguna, pero, solo,
      sólo, en vez de, en lugar de, prohibido`),
    talk: list(`si, ambos, ambas, dos, todo, toda, todos, todas, cada, cualquiera, cualquier, alguno, alguna, algún,
      algunos, algunas, algo, quizá, quizás, tal, vez, puede, depende, da, igual, qué, que, cuál, cual, cuáles, cuales,
      quién, quien, por, porque, cómo, como, cuándo, cuando, dónde, donde, cuánto, cuanto, cuánta, es, son, soy, está,
      están, hay, ha, he, han, tiene, tengo, puedo, podría, debo, quiero, yo, tú, tu, él, ella, ello, usted, ustedes,
      nosotros, ellos, ellas, me, te, se, le, lo, nos, les, mi, mis, tus, su, sus, uno, unos, unas, al, del, de, a, en,
      con, para, sobre, ese, esa, eso, este, esto, estos, estas, aquel, aquella, aquí, ahí, allí, así, ya, otro, otra,
      otros, otras, también, muy, sé, bueno, bien, pues, gracias, primero, después, luego, espera, espere, ayuda,
      perdón, perfecto, oye, mira, ojo, cuidado, repite, listo, mejor, total, genial, vaya, hombre, momento, minuto,
      disculpa, vamos, venga, dale, seguro`),
    numberLeads: list(`es, son, serán, somos, seremos, mi respuesta es, la respuesta es, respuesta, número, el número,
      quiero, quisiera, necesitamos, necesito, era, eran, fueron, solo, sólo, solamente, exactamente`),
    counts: list('cuántos, cuántas'),
    dateLeads: list(`el, el día, es el, será el, mi respuesta es, respuesta`),
    timeLeads: list('a las, a la'),
    months: places(`enero, ene; febrero, feb; marzo, mar; abril, abr; mayo, may; junio, jun; julio, jul; agosto, ago;
      septiembre, setiembre, sept, sep, set; octubre, oct; noviembre, nov; diciembre, dic`),
    dayParts: [
      ['de la madrugada', 0, 6],
      ['de la mañana', 0, 12],
      ['de la tarde', 12, 20],
    ],
    decimal: ',',
    dateOrder: 'day-first',
    unlikeEnglish: list('y, a, ten, once, i, on'),
  },
};

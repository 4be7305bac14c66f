/**
 * Spanish: what is said, formally ("usted"), and the words replies are read by, with and without their accents.
 */

import { grouped } from './grouped.js';
import type { Language } from './language.js';
import { list, places, politely, quoted, withoutAccents } from './list.js';

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
      'En ese mensaje no hay nada escrito por usted que pueda ser una respuesta: los archivos y los mensajes automáticos no cuentan. Escriba su respuesta, por favor.',
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
    mailReply: () => 'Para responder, conteste a este correo.',
    mailOrPage: () => 'O abra la página para responder allí.',
    mailPage: () => 'Para responder, abra la página. Contestar a este correo no responde a la pregunta.',
    mailOpenPage: () => 'Para responder, abra la página.',
    mailNoAnswer: () => 'Este correo es solo informativo: ni él ni una respuesta a él pueden responder a la pregunta.',
    mailLinkIsYours: () => 'El enlace es para usted: no reenvíe este correo.',
    mailSecret: () => 'No escriba la respuesta en un correo: otras personas podrían leerla.',
  },
  words: {
    yes: list(`sí, si, sip, sí sí, si si, sí claro, si claro, claro, claro que sí, claro que si, por supuesto, por supuesto que sí,
      por supuesto que si, desde luego, sin duda, vale, de acuerdo, correcto, es correcto, exacto, exactamente, así es, asi es,
      eso es, confirmado, confirmo, lo confirmo, dale, adelante, hazlo, hágalo, hagalo, está bien, esta bien, cómo no,
      como no, efectivamente, afirmativo, ok, okay, 👍, ✅`),
    no: list(`no, nop, no no, no gracias, que no, nunca, jamás, jamas, de ninguna manera, de ningún modo, de ningun modo,
      para nada, claro que no, por supuesto que no, desde luego que no, en absoluto, ni hablar, mejor no, negativo, incorrecto,
      falso, es falso, no lo hagas, no lo haga, no hagas eso, no haga eso, no hacerlo, no no lo hagas, no no lo haga,
      no no hagas eso, no no haga eso, 👎, ❌`),
    approve: withoutAccents(
      list(`aprobar, aprobado, aprobada, apruebo, lo apruebo, apruébalo, apruébelo, sí aprobado, sí lo apruebo, autorizar,
        autorizado, autorizada, autorizo, lo autorizo, autorízalo, autorícelo, sí autorizado, permitir, permitido, lo permito,
        permítelo, permítalo, aceptar, aceptado, acepto, sí acepto, proceda, procede, sí adelante, sí hazlo, sí hágalo,
        solo una vez, sólo una vez, sí una vez, sí solo una vez, solo esta vez, sólo esta vez, por esta vez`),
    ),
    deny: withoutAccents(
      list(`denegar, denegado, denegada, deniego, lo deniego, no denegado, rechazar, rechazado, rechazada, rechazo, lo rechazo,
        rechácelo, recházalo, prohibir, prohibido, lo prohíbo, no autorizado, no autorizo, no lo autorizo, no permitir,
        no permitido, no lo permito, no aprobado, no apruebo, no lo apruebo`),
    ),
    decline: [
      ...politely(
        withoutAccents(
          list(`cancelar, cancela, cancele, olvídalo, olvídelo, déjalo, déjelo, déjalo así, déjelo así, basta, detente, deténgase,
            anular, para ya, déjame en paz, déjeme en paz, no quiero responder, no quiero contestar, prefiero no responder,
            prefiero no contestar, prefiero no decirlo`),
        ),
        ['por favor', 'porfa', 'gracias', 'ok'],
      ),
      '/cancelar',
    ],
    why: withoutAccents(
      list(`por qué, porqué, para qué, y por qué, y para qué, pero por qué, por qué lo pregunta, por qué lo preguntas,
        por qué pregunta eso, por qué preguntas eso, por qué me lo pregunta, por qué me lo preguntas, por qué esa pregunta,
        por qué lo necesita, por qué lo necesitas, por qué necesita eso, por qué necesitas eso, por qué necesita saberlo,
        por qué necesitas saberlo, para qué lo necesita, para qué lo necesitas, para qué necesita eso, para qué necesitas eso,
        para qué lo quiere, para qué lo quieres, para qué quiere saberlo, para qué quieres saberlo, por qué quiere saberlo,
        por qué quieres saberlo, por qué lo quiere saber, por qué lo quieres saber, por qué es necesario, por qué hace falta,
        para qué es, para qué es eso, para qué sirve, para qué sirve eso`),
    ),
    skip: list(`omitir, omite, omita, saltar, sáltalo, saltalo, sáltelo, saltelo, dejar vacío, dejar vacio, dejar en blanco,
      déjalo en blanco, déjelo en blanco`),
    none: list('ninguno, ninguna, ninguno de ellos, nada'),
    before:
      list(`por favor, porfavor, porfa, hola, buenas, buenos días, buenos dias, buenas tardes, buenas noches, bueno, pues, eh,
      mmm, a ver, quiero, quisiera, querría, querria, me gustaría, me gustaria, deseo, elijo, escojo, prefiero, tomo, tomaré,
      me quedo con, voy con, opto por, póngame, pongame, ponme, deme, dame, es, son, sería, seria, mi respuesta es,
      la respuesta es, respuesta, opción, opcion, la opción, la opcion, número, numero, el número, el numero, el, la, las,
      los, lo, a`),
    after:
      list(`por favor, porfavor, porfa, porfis, gracias, muchas gracias, mil gracias, de antemano, entonces, saludos,
      un saludo, señor, señora`),
    and: list('y, e, más, mas, además de, junto con, &, +'),
    or: list('o, u, o bien'),
    not: list(`no, ni, nunca, jamás, jamas, sin, excepto, salvo, menos, tampoco, nada, ningún, ningun, ninguno, ninguna,
      en vez de, en lugar de`),
    vague:
      list(`a ver si, ninguno, ninguna, ningún, ningun, ambos, ambas, los dos, las dos, todo, toda, todos, todas, cada, cualquiera,
      cualquier, alguno, alguna, algún, algun, algunos, algunas, algo, nada, quizá, quizás, quiza, quizas, tal vez, puede,
      a lo mejor, depende, da igual, igual, qué, que, cuál, cual, cuáles, cuales, quién, quien, por qué, porque, cómo, como,
      cuándo, cuando, dónde, donde, cuánto, cuanto, cuánta, es, son, soy, está, esta, están, estan, hay, ha, he, han, tiene,
      tengo, puedo, podría, podria, debo, quiero, yo, tú, tu, él, el, ella, ello, usted, ustedes, nosotros, ellos, ellas, me,
      te, se, le, lo, la, los, las, nos, les, mi, mis, tus, su, sus, un, una, unos, unas, al, del, de, a, en, con, por,
      para, sobre, y, e, o, u, pero, si, ese, esa, eso, este, esto, estos, estas, aquel, aquella, aquí, aqui, ahí, ahi, allí,
      alli, así, asi, ya, más, mas, menos, otro, otra, otros, otras, también, tambien, solo, sólo, muy, no, sé`),
    numbers:
      list(`cero, uno, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce, trece, catorce, quince,
      dieciséis, diecisiete, dieciocho, diecinueve, veinte`),
    ordinals:
      places(`primero, primera, primer; segundo, segunda; tercero, tercera, tercer; cuarto, cuarta; quinto, quinta;
      sexto, sexta; séptimo, séptima, septimo, septima; octavo, octava; noveno, novena; décimo, décima, decimo, decima;
      undécimo, undécima, undecimo, undecima; duodécimo, duodécima, duodecimo, duodecima`),
    last: list('último, última, ultimo, ultima'),
    placeNouns: list('opción, opcion, respuesta'),
    beforePlace: list(
      'opción, opcion, la opción, la opcion, número, el número, el numero, hola, elijo, escojo, mi respuesta es',
    ),
    beforeDigits: list('el, la, es'),
    ordinalEndings: list('o, a, .o, .a, er, ro, ra, do, da, to, ta'),
    months: places(`enero, ene; febrero, feb; marzo, mar; abril, abr; mayo, may; junio, jun; julio, jul; agosto, ago;
      septiembre, setiembre, sept, sep, set; octubre, oct; noviembre, nov; diciembre, dic`),
    am: list('de la mañana, de la manana, de la madrugada'),
    pm: list('de la tarde'),
    decimal: ',',
    dateOrder: 'day-first',
  },
};

/**
 * Words that change what was said before them: "only", "tomorrow", "declined". What mail programs, companies and signatures say of themselves
 * does without them, so a line that has one may be what a person wants to say.
 */
import { folded } from '../../../../core/text.js';

const decisive = new Set(
  `yes no nope not never nothing none nobody don dont doesn isn won wait stop hold halt if unless until till only but except without after before
  when later instead half all some pay refund approve approved deny denied agree agrees agreed must should please cancel cancelled ok okay once
  first then max maximum minimum limit maybe perhaps partially partly pending subject assuming provided conditional ask tomorrow today yesterday
  rejected declined revoked withdrawn refused mistake
  ja nein nicht nie nichts kein keine keinen warte warten stopp wenn falls sofern erst nur aber außer ausser ohne nach bevor vor bis sobald später
  bitte zahlen genehmigt abgelehnt muss maximal höchstens mindestens vielleicht teilweise vorbehalt vorausgesetzt morgen heute gestern nächste
  zurückgezogen storniert doch
  oui non pas jamais rien si sauf mais seulement attends attendre avant après jusque quand sans plus tard ne doit peut être demain refusé annulé
  partiellement condition
  sí nunca nada salvo pero solo sólo espera esperar antes después hasta cuando sin debe quizás quizá mañana máximo rechazado anulado siempre
  parcialmente`.split(/\s+/),
);

export function hasDecisiveWord(text: string): boolean {
  return wordsOf(text).some((word) => decisive.has(word));
}

/** The words of a text in lower case. */
export function wordsOf(text: string): readonly string[] {
  return folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

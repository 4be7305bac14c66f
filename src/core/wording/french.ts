/**
 * French, made of its data: what `askback/wording/fr` exports.
 */
import { type Language, languageOf } from './language.js';
import { fr } from './languages/fr.js';

/** The French language: sentences and words. */
export const french: Language = languageOf(fr);

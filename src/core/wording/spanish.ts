/**
 * Spanish, made of its data: what `askback/wording/es` exports.
 */
import { type Language, languageOf } from './language.js';
import { es } from './languages/es.js';

/** The Spanish language: sentences and words. */
export const spanish: Language = languageOf(es);

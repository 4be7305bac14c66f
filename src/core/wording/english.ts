/**
 * English, made of its data: what `askback/wording/en` exports.
 */
import { type Language, languageOf } from './language.js';
import { en } from './languages/en.js';

/** The English language: sentences and words. */
export const english: Language = languageOf(en);

/**
 * German, made of its data: what `askback/wording/de` exports.
 */
import { type Language, languageOf } from './language.js';
import { de } from './languages/de.js';

/** The German language: sentences and words. */
export const german: Language = languageOf(de);

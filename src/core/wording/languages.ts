/**
 * The languages that every registry knows. Others are added with its option `languages`.
 */

import { english } from './english.js';
import { french } from './french.js';
import { german } from './german.js';
import type { Language } from './language.js';
import { spanish } from './spanish.js';

export const builtInLanguages: readonly Language[] = [english, german, french, spanish];

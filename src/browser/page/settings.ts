/**
 * What the server wrote on the body of the page for this script. It is read once: a refreshed page does not change it.
 */
import type { ScriptTexts } from './texts.js';

const { dataset } = document.body;

/** The path under which the inbox is mounted. */
export const base = dataset.base ?? '';

/** Tells people apart who share a browser. */
export const liveKey = dataset.key;

/** The cursor from which live events go on. */
export const liveCursor = dataset.after;

export const texts: ScriptTexts = JSON.parse(dataset.texts ?? '{}');

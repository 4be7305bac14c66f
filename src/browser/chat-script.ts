/**
 * The script of the web chat (chat/main.ts) as text, with its style sheet, for the channel that sends it. It knows nothing of the chat.
 */

/** Whatever builds or runs the sources puts the text in place of this name: scripts/browser.mjs. */
declare const CHAT_SCRIPT: string;

export const chatScript = CHAT_SCRIPT;

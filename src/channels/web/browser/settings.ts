/**
 * Part of the script of the web chat, for browsers. What the page says about the chat (options of the tag, texts), and small tools of the other parts.
 */
export const chatSettings = `
const tag = document.currentScript;
const own = window.askbackChat || {};
const option = (name) => own[name] ?? tag.dataset[name];
const base = new URL('.', tag.src);
const conversation = option('conversation');

// Every text that people read. Each can be replaced: data-text-send="Senden".
const texts = {
  title: 'Chat', open: 'Chat', close: 'Close', send: 'Send', message: 'Your message', answer: 'Your answer', log: 'Conversation',
  working: 'Working', sending: 'Sending…', notSent: 'Not sent:', retry: 'Try again', remove: 'Remove', optional: '(optional)',
  connecting: 'Connecting…', reconnecting: 'Reconnecting…', refused: 'This chat is not available here.', signedOut: 'You were signed out. Please load the page again.',
  anew: 'The chat has begun anew.', paused: 'Open in too many places. This one is updated later.', hidden: '•••••',
  answered: 'Answered:', answeredPlain: 'Answered', declined: 'Declined', exhausted: 'Not answered', expired: 'Expired',
  cancelled: 'Withdrawn', others: 'Somebody else is asked.', pick: 'Please choose.', until: 'Please answer by',
};
for (const name of Object.keys(texts)) {
  const data = 'text' + name[0].toUpperCase() + name.slice(1);
  texts[name] = (own.texts || {})[name] ?? tag.dataset[data] ?? texts[name];
}
const title = option('title') || texts.title;

// --- small tools ---

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== false));
  return node;
}
// what people and agents wrote: text only, kept apart from the text around it
const words = (text) => el('bdi', {}, text);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
const locked = (name, work) => (navigator.locks ? navigator.locks.request(name, work) : work());
const reported = new Set();
function report(problem) {
  if (!reported.has(problem)) console.error('askback chat: ' + problem);
  reported.add(problem);
}
let controls = 0;
`;

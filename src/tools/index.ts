/**
 * askback/tools: asking as something a language model can call.
 */
export { coerceChoices } from '../answers/coerce.js';

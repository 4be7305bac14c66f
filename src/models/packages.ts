/** The optional package of the AI SDK, as data. */
import type { OptionalPackage } from '../core/optional-package.js';

export const ai: OptionalPackage = { name: 'ai', users: ['aiModel()', 'humanTool()'] };

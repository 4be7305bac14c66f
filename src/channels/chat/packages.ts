/** The optional package of the chat channel, as data. The channel is given what the package makes, and loads nothing of it. */
import type { OptionalPackage } from '../../core/optional-package.js';

export const chat: OptionalPackage = { name: 'chat', users: ['ChatChannel'] };

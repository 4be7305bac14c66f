/** The optional package of the scheduled channel, as data. */
import type { OptionalPackage } from '../core/optional-package.js';

export const croner: OptionalPackage = { name: 'croner', users: ['ScheduledChannel'] };

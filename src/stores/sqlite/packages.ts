/** The optional package of the SQLite store, as data. */
import type { OptionalPackage } from '../../core/optional-package.js';

export const driverPackage: OptionalPackage = { name: 'libsql', users: ['SqliteStore'], purpose: 'before Node 22.13' };

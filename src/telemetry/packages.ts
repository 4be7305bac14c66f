/**
 * The package @opentelemetry/api, which is optional. If it is missing, the import of askback/telemetry says what to install.
 */
import { createRequire } from 'node:module';
import { type OptionalPackage, required } from '../core/optional-package.js';

export const openTelemetry: OptionalPackage = { name: '@opentelemetry/api', users: ['askback/telemetry'] };

/**
 * Loaded with the module itself, because observe() is synchronous: no event may pass before it listens. By require(), because a top-level
 * await would keep a CommonJS program from loading this.
 */
export const { metrics, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } = required<
  typeof import('@opentelemetry/api')
>(openTelemetry, () => createRequire(import.meta.url)('@opentelemetry/api'));

/**
 * The package @opentelemetry/api, which is optional. If it is missing, the import of askback/telemetry says what to install.
 */
import { createRequire } from 'node:module';
import { AgentError } from '../core/errors.js';

type OpenTelemetry = typeof import('@opentelemetry/api');

/** Without a top-level await, which would keep a CommonJS program from loading this by require(). */
function loaded(): OpenTelemetry {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api') as OpenTelemetry; // the types of that package
  } catch (cause) {
    const message =
      'askback/telemetry needs the package @opentelemetry/api, which could not be loaded. Install it:\n  npm install @opentelemetry/api';
    throw new AgentError('missing-package', message, { cause });
  }
}

/** Loaded with the module itself, because observe() is synchronous: no event may pass before it listens. */
export const { metrics, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } = loaded();

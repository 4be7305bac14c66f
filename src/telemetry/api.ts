/**
 * The package @opentelemetry/api, which is optional. If it is missing, the import of askback/telemetry says what to install.
 */
import { AgentError } from '../core/errors.js';

type OpenTelemetry = typeof import('@opentelemetry/api');

async function loaded(): Promise<OpenTelemetry> {
  try {
    return await import('@opentelemetry/api');
  } catch (cause) {
    const message =
      'askback/telemetry needs the package @opentelemetry/api, which could not be loaded. Install it:\n  npm install @opentelemetry/api';
    throw new AgentError('missing-package', message, { cause });
  }
}

/** Awaited by the module itself, because observe() is synchronous: no event may pass before it listens. */
export const { metrics, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } = await loaded();

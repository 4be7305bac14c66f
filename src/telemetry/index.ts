/**
 * OpenTelemetry for a registry: spans and metrics from its events. Nothing is changed or wrapped. Message texts,
 * participants and conversation ids never get into them.
 */
import type { Meter, Tracer } from '@opentelemetry/api';
import { checkOptions, having, type OptionRules, optional, wrongOption } from '../core/check-options.js';
import type { Clock } from '../machine/clock.js';
import { systemClock } from '../machine/clock.js';
import type { AgentRegistry } from '../registry/registry.js';
import { recordMetrics } from './metrics.js';
import { metrics, trace } from './packages.js';
import { recordSpans } from './spans.js';

export { traceOf } from './spans.js';

/** The options of `observe()`. */
export interface ObserveOptions {
  /**
   * Makes the spans.
   *
   * @default the tracer "askback" of the global provider
   */
  readonly tracer?: Tracer;
  /**
   * Makes the metrics. A global provider must have been set before.
   *
   * @default the meter "askback" of the global provider
   */
  readonly meter?: Meter;
  /**
   * The clock that dates spans of this process's own work.
   *
   * @default the system clock
   */
  readonly clock?: Pick<Clock, 'now'>;
}

const rules = {
  tracer: optional(having<Tracer>('a tracer', 'startSpan')),
  meter: optional(having<Meter>('a meter', 'createCounter', 'createHistogram')),
  clock: optional(having<Pick<Clock, 'now'>>('a clock', 'now'), systemClock),
} satisfies OptionRules<ObserveOptions>;

/**
 * Records spans and metrics of a registry until the returned function is called. Set up your OpenTelemetry SDK first.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { observe } from 'askback/telemetry';
 *
 * const registry = new AgentRegistry();
 * const end = observe(registry);
 * await registry.start();
 */
export function observe(registry: Pick<AgentRegistry, 'on'>, options: ObserveOptions = {}): () => void {
  if (typeof registry?.on !== 'function') throw wrongOption('observe(): the first argument', 'a registry', registry);
  const checked = checkOptions('observe()', options, rules, '{ tracer }');
  const { tracer = trace.getTracer('askback'), meter = metrics.getMeter('askback'), clock } = checked;
  const ends = [...recordMetrics(registry, meter), ...recordSpans(registry, tracer, clock)];
  return () => {
    for (const end of ends) end();
  };
}

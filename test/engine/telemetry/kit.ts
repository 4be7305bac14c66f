/** What these tests share: the real OpenTelemetry SDK with exporters in memory, and an agent that can end in every way. */
import type { HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';
import { agent, text } from '../../../src/index.js';

/** An SDK of one process. */
export function sdk(more: { readonly sampler?: Sampler } = {}) {
  const spans = new InMemorySpanExporter();
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)], ...more });
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  onTestFinished(async () => {
    await tracers.shutdown();
    await meters.shutdown();
  });
  const metrics = async () => {
    measured.reset();
    await reader.forceFlush();
    return measured.getMetrics().flatMap((each) => each.scopeMetrics.flatMap((scope) => scope.metrics));
  };
  return {
    tracers,
    meters,
    tracer: tracers.getTracer('askback'),
    meter: meters.getMeter('askback'),
    /** Finished spans, all or of one name. */
    spans: (name?: string) => spans.getFinishedSpans().filter((span) => name === undefined || span.name === name),
    metrics,
    /** The data points of one metric, each as its attributes and its value: a sum, or how often it was recorded. */
    points: async (name: string) => {
      const found = (await metrics()).find((metric) => metric.descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ attributes, value }) => {
        if (typeof value === 'number') return { ...attributes, value };
        return { ...attributes, value: value.count, sum: 'sum' in value ? value.sum : undefined };
      });
    },
  };
}

export const millis = ([seconds, nanos]: HrTime): number => seconds * 1_000 + nanos / 1_000_000;

export function asker() {
  const support = agent('support');
  const order = support.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
    expiresIn: 60_000,
    maxRetries: 1,
    onAnswer: (answer) => `Got ${answer}`,
  });
  support.onMessage(({ message, ask }) => {
    if (message === 'fail') throw new TypeError('a wrong turn');
    return message === 'ask' ? ask(order) : `You said ${message}`;
  });
  return support;
}

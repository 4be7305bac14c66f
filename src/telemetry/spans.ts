/**
 * Spans, created after the fact from the times in the events. All processes use the same trace for an ask, because it
 * is computed from the ask's id.
 */
import { hash } from 'node:crypto';
import type { Attributes, Context, HrTime, Link, SpanContext, Tracer } from '@opentelemetry/api';
import type { Clock } from '../machine/clock.js';
import type { AgentRegistry } from '../registry/registry.js';
import { ofAgent, ofFailure, outcomes } from './attributes.js';
import { ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from './packages.js';

/**
 * The trace of an ask, as a parent for spans: to find it by the ask's id, or to add spans of your own. It is a
 * digest, which does not reveal the id.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { traceOf } from 'askback/telemetry';
 *
 * const registry = new AgentRegistry();
 * const { askId } = await registry.ask('Which size?', { channel: 'handle', conversationId: 'web-anna' });
 * console.log(traceOf(askId).traceId);
 */
export function traceOf(askId: string): SpanContext {
  const hex = hash('sha256', `askback:${askId}`, 'hex');
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

interface SpanDetails {
  /** In ms. */
  readonly from: number;
  readonly to: number;
  readonly attributes: Attributes;
  readonly askId?: string | undefined;
  readonly links?: Link[];
  readonly failed?: boolean;
}

/** Starts recording. Returns the functions that unsubscribe. */
export function recordSpans(
  registry: Pick<AgentRegistry, 'on'>,
  tracer: Tracer,
  clock: Pick<Clock, 'now'>,
): (() => void)[] {
  const span = (name: string, { from, to, attributes, askId, links = [], failed = false }: SpanDetails): void => {
    const started = tracer.startSpan(
      `askback.${name}`,
      { startTime: hrTime(from), attributes, links },
      parentOf(askId),
    );
    if (failed) started.setStatus({ code: SpanStatusCode.ERROR });
    started.end(hrTime(Math.max(from, to)));
  };
  let touched: string[] = []; // the asks of a turn: their events are emitted in the same tick right before the turn's own
  return [
    registry.on('asked', ({ askId, agentName, channel, askedAt, at }) => {
      touched.push(askId);
      const attributes = { ...ofAgent(agentName), 'askback.channel': channel };
      span('ask', { askId, from: askedAt, to: at, attributes });
    }),
    ...outcomes.map((outcome) =>
      registry.on(outcome, ({ askId, agentName, askedAt, decidedAt, at, retries }) => {
        touched.push(askId);
        const attributes = { ...ofAgent(agentName), 'askback.outcome': outcome, 'askback.retries': retries };
        span('wait', { askId, from: askedAt, to: decidedAt, attributes });
        span('decision', { askId, from: decidedAt, to: at, attributes, failed: outcome === 'undeliverable' });
      }),
    ),
    registry.on('handled', ({ disposition, agentName, attempt, took }) => {
      const asks = new Set(touched);
      touched = [];
      if ('askId' in disposition && disposition.askId !== undefined) asks.add(disposition.askId);
      const to = clock.now();
      const failed = disposition.type === 'failed';
      const attributes = {
        ...ofAgent(agentName),
        'askback.disposition': disposition.type,
        'askback.attempt': attempt,
        ...(failed ? ofFailure(disposition.failure) : {}),
      };
      const links = [...asks].map((askId) => ({ context: traceOf(askId) }));
      span('turn', { from: to - took, to, attributes, links, failed });
    }),
    registry.on('delivered', ({ askId, channel, took }) => {
      const to = clock.now();
      span('delivery', { askId, from: to - took, to, attributes: { 'askback.channel': channel } });
    }),
  ];
}

/**
 * The root context or the ask's trace. Never the active context: it belongs to whatever started the work, perhaps for
 * another conversation.
 */
function parentOf(askId: string | undefined): Context {
  return askId === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, traceOf(askId));
}

/** As a pair: for a plain number the SDK guesses whether it is an epoch time or a performance time. */
function hrTime(ms: number): HrTime {
  const whole = Math.floor(ms / 1_000);
  return [whole, Math.floor((ms - whole * 1_000) * 1_000_000)];
}

/**
 * Metrics: each event of a registry increments a counter or is recorded in seconds. No state is kept between events.
 */
import type { Meter } from '@opentelemetry/api';
import type { AgentRegistry } from '../registry/registry.js';
import { ofAgent, ofFailure, outcomes } from './attributes.js';

const seconds = (ms: number): number => ms / 1_000;
const hour = 3_600;
const day = 24 * hour;

// OpenTelemetry's default boundaries are meant for milliseconds
const turnSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];
const answerSeconds = [1, 5, 15, 60, 300, 900, hour, 4 * hour, day, 3 * day, 7 * day, 30 * day];
const entries = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** Starts recording. Returns the functions that unsubscribe. */
export function recordMetrics(registry: Pick<AgentRegistry, 'on'>, meter: Meter): (() => void)[] {
  const { asks, retries, leaseLosses, parked, failures, deliveries } = countersOf(meter);
  const { timeToAnswer, turnDuration, turnWait, queueLength } = histogramsOf(meter);
  return [
    registry.on('asked', ({ agentName }) => asks.add(1, { 'askback.outcome': 'asked', ...ofAgent(agentName) })),
    ...outcomes.map((outcome) =>
      registry.on(outcome, ({ agentName, askedAt, decidedAt }) => {
        asks.add(1, { 'askback.outcome': outcome, ...ofAgent(agentName) });
        if (outcome === 'answered') timeToAnswer.record(seconds(Math.max(0, decidedAt - askedAt)), ofAgent(agentName));
      }),
    ),
    registry.on('handled', ({ disposition, agentName, waited, took }) => {
      const agent = ofAgent(agentName);
      turnDuration.record(seconds(took), { 'askback.disposition': disposition.type, ...agent });
      turnWait.record(seconds(waited), agent);
      if (disposition.type === 'insufficient') retries.add(1, agent);
      if (disposition.type === 'failed') failures.add(1, ofFailure(disposition.failure));
    }),
    registry.on('failed', ({ failure }) => failures.add(1, ofFailure(failure))),
    registry.on('parked', ({ failure }) => parked.add(1, ofFailure(failure))),
    registry.on('fenced', () => leaseLosses.add(1)),
    registry.on('delivered', ({ channel }) =>
      deliveries.add(1, { 'askback.channel': channel, 'askback.result': 'sent' }),
    ),
    registry.on('deliveryFailed', ({ channel }) =>
      deliveries.add(1, { 'askback.channel': channel, 'askback.result': 'failed' }),
    ),
    registry.on('renewed', ({ queued }) => queueLength.record(queued)),
  ];
}

function countersOf(meter: Meter) {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`askback.${name}`, { unit, description });
  return {
    asks: counter('asks', '{ask}', 'Asks that were opened, and asks that ended, by outcome.'),
    retries: counter('retries', '{reply}', 'Replies that did not fit their question.'),
    leaseLosses: counter('lease_losses', '{turn}', 'Turns given up because another process had taken over.'),
    parked: counter('parked', '{entry}', 'Entries that failed for good and wait for a person.'),
    failures: counter('turn_failures', '{turn}', 'Attempts at a turn that failed, tried again or not.'),
    deliveries: counter('deliveries', '{message}', 'Tries to send a message, by result.'),
  };
}

function histogramsOf(meter: Meter) {
  const histogram = (name: string, unit: string, explicitBucketBoundaries: number[], description: string) =>
    meter.createHistogram(`askback.${name}`, { unit, description, advice: { explicitBucketBoundaries } });
  return {
    timeToAnswer: histogram('time_to_answer', 's', answerSeconds, 'From the question to its answer.'),
    turnDuration: histogram('turn_duration', 's', turnSeconds, 'One turn with its save.'),
    turnWait: histogram('turn_wait', 's', turnSeconds, 'From the recording of an entry to the begin of its turn.'),
    queueLength: histogram(
      'queue_length',
      '{entry}',
      entries,
      'Entries waiting in the conversations that this process holds, at each renewal of its leases.',
    ),
  };
}

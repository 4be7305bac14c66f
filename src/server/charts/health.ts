/**
 * The operator's view as a part of a page: what waits and is parked now, charts of how that came, and the same numbers as a table.
 */
import { html } from '../packages.js';
import type { Html } from '../page/markup.js';
import { duration, exact, nothing } from '../page/markup.js';
import { texts } from '../page/texts.js';
import type { Chart, ChartLine } from './line-chart.js';
import { lineChart } from './line-chart.js';
import { mostCounted } from './read-stats.js';
import type { InboxStats, StatsBucket } from './schema.js';

const words = texts.healthCharts;
const unknown = '–';

/** `base` is the path under which the inbox is mounted. */
export function healthView(base: string, stats: InboxStats): Html {
  const { step, at, buckets, waiting, waitingIsMore, oldest, parked, parkedIsMore, p50, p90 } = stats;
  const now = Date.parse(at);
  const steps = (['hour', 'day'] as const).map(
    (each) =>
      html`<a href="${base}/health?by=${each}"${each === step && html` aria-current="true"`}>${words.steps[each]}</a>`,
  );
  return html`<main id="content" class="scroll"><div class="wide-page"><h1>${texts.healthPage}</h1><p class="quiet">${texts.healthMore}</p>
<nav class="steps" aria-label="${words.period}">${steps}</nav>
<dl class="figures">
<div><dt>${words.waitingNow}</dt><dd>${countText(waiting, waitingIsMore)}</dd></div>
<div><dt>${words.oldest}</dt><dd>${oldest === undefined ? unknown : waitedText(oldest, now)}</dd></div>
<div><dt>${words.parkedNow}</dt><dd><a href="${base}/parked">${countText(parked, parkedIsMore)}</a></dd></div>
<div><dt>${words.p50}</dt><dd>${spanText(p50)}</dd></div>
<div><dt>${words.p90}</dt><dd>${spanText(p90)}</dd></div>
</dl>
${stats.coveredFrom === undefined ? nothing : html`<p class="hint">${words.logIsLong(mostCounted)} ${exact(stats.coveredFrom)}</p>`}
${waitingIsMore || parkedIsMore ? html`<p class="hint">${words.isMore}</p>` : nothing}
<div class="charts">${chartsOf(stats).map(lineChart)}</div>
<details class="card"><summary>${words.numbers}</summary><div class="table"><table>
<thead><tr><th scope="col">${words.from}</th>${columns.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${buckets.map(rowOf)}</tbody></table></div></details></div></main>`;
}

type CountName = 'waiting' | 'answered' | 'declined' | 'expired' | 'parked';

function chartsOf({ step, at, buckets, p50, p90 }: InboxStats): readonly Chart[] {
  const ends = [words.ago(duration(Date.parse(at) - Date.parse(buckets[0]?.at ?? at))), texts.justNow] as const;
  const period = words.steps[step];
  const counts = (name: CountName): ChartLine => {
    const values = buckets.map((bucket) => bucket[name]);
    return { name: words.names[name], values, last: numberText(values.at(-1)) };
  };
  const described = (lines: readonly ChartLine[]) =>
    `${period}. ${lines.map(({ name, last }) => `${name}: ${last}`).join(', ')}.`;
  const count = (id: string, title: string, ...names: readonly CountName[]): Chart => {
    const lines = names.map(counts);
    return {
      id,
      title,
      description: described(lines),
      lines,
      scale: 'linear',
      ends,
      top: (highest) => words.upTo(numberText(highest)),
    };
  };
  const times = [
    { name: words.p50, values: buckets.map((bucket) => bucket.p50), last: spanText(p50) },
    { name: words.p90, values: buckets.map((bucket) => bucket.p90), last: spanText(p90) },
  ];
  return [
    count('chart-waiting', words.names.waiting, 'waiting'),
    count('chart-outcomes', words.outcomes, 'answered', 'declined', 'expired'),
    {
      id: 'chart-times',
      title: words.timeToAnswer,
      description: `${described(times)} ${words.logarithmic}`,
      lines: times,
      scale: 'logarithmic',
      ends,
      top: (highest) => words.upTo(spanText(highest)),
    },
    count('chart-parked', words.names.parked, 'parked'),
  ];
}

interface Column {
  readonly name: string;
  readonly text: (bucket: StatsBucket) => string;
}

const columns: readonly Column[] = [
  ...(['waiting', 'answered', 'declined', 'expired', 'other', 'parked'] as const).map((name) => ({
    name: words.names[name],
    text: (bucket: StatsBucket) => numberText(bucket[name]),
  })),
  { name: words.p50, text: ({ p50 }) => spanText(p50) },
  { name: words.p90, text: ({ p90 }) => spanText(p90) },
];

function rowOf(bucket: StatsBucket): Html {
  const cells = columns.map(({ text }) => html`<td>${text(bucket)}</td>`);
  return html`<tr><th scope="row">${exact(bucket.at)}</th>${cells}</tr>`;
}

/** How long something has waited: a span of time, where a moment would be "now". */
function waitedText(since: string, now: number): Html {
  return html`<time datetime="${since}">${spanText(Math.max(0, now - Date.parse(since)))}</time>`;
}

function numberText(count: number | undefined): string {
  return count === undefined ? unknown : count.toLocaleString(texts.locale);
}

function countText(count: number, isMore: true | undefined): string {
  return isMore ? words.atLeast(numberText(count)) : numberText(count);
}

function spanText(ms: number | undefined): string {
  if (ms === undefined) return unknown;
  return ms < 60_000 ? words.seconds(Math.round(ms / 1_000)) : duration(ms);
}

/**
 * The style sheet of the page: system fonts, one accent colour, a rhythm of 4 and 8 px, light and dark. Colours are variables on
 * `:root`, which a style sheet of the user's own may set.
 */
export const style = `
:root {
  color-scheme: light dark;
  --bg: #f5f6f8; --surface: #fff; --sunken: #eef0f4; --line: #d5dae2; --text: #17202b; --muted: #545f6e;
  --accent: #1f5fbf; --on-accent: #fff; --tint: #e8f0fc;
  --danger: #a8231b; --danger-tint: #fcedeb; --warn: #7d4a00; --warn-tint: #fdf3df; --good: #19653a; --good-tint: #e6f4ea;
  --radius: 8px; --font: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; --mono: ui-monospace, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f141a; --surface: #171d26; --sunken: #10161d; --line: #303a48; --text: #e6ebf2; --muted: #a0acbb;
    --accent: #82b1ff; --on-accent: #06203f; --tint: #1b2a40;
    --danger: #ffa198; --danger-tint: #381d1c; --warn: #f0c069; --warn-tint: #33270f; --good: #7fd49b; --good-tint: #15301f;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.5 var(--font); background: var(--bg); color: var(--text); -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; }
h1, h2, h3, p, ul, ol, dl, dd, fieldset, blockquote, pre { margin: 0; padding: 0; }
ol, ul { list-style: none; }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
[hidden] { display: none !important; }
.unseen:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.quiet, .hint { color: var(--muted); font-size: .875rem; }
.prose, .value { white-space: pre-wrap; overflow-wrap: anywhere; }
.value { font-family: var(--mono); font-size: .9375em; }
mark { background: var(--warn-tint); color: var(--warn); border-radius: 3px; padding: 0 2px; margin: 0 1px; font-family: var(--mono); font-size: .9em; outline: 1px solid; }
pre { overflow: auto; padding: 12px; background: var(--sunken); border-radius: var(--radius); font: .8125rem/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
kbd { font: .8125rem var(--mono); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 1px 6px; white-space: nowrap; }
summary { cursor: pointer; }
code { font: .9375em var(--mono); }
time { font-variant-numeric: tabular-nums; }

/* frame */
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 8px; top: 8px; z-index: 9; background: var(--surface); padding: 8px 16px; }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: 0 16px; min-height: 56px; padding: 4px 16px; background: var(--surface); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; letter-spacing: -.01em; color: var(--text); text-decoration: none; padding: 8px 0; }
nav { display: flex; flex-wrap: wrap; gap: 4px; flex: 1; }
nav a { padding: 8px 12px; border-radius: var(--radius); color: var(--muted); text-decoration: none; font-weight: 500; }
nav a:hover { background: var(--sunken); color: var(--text); }
nav a[aria-current] { color: var(--text); background: var(--sunken); font-weight: 600; }
.count { font-variant-numeric: tabular-nums; color: var(--muted); font-weight: 400; }
.menu { position: relative; }
.menu summary { padding: 8px; color: var(--muted); border-radius: var(--radius); max-width: 12rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.menu > div { position: absolute; right: 0; z-index: 5; min-width: 15rem; max-width: 90vw; padding: 16px; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: 0 8px 24px rgb(0 0 0 / .16); overflow-wrap: anywhere; }
.menu form { margin-top: 12px; }
.status a { color: inherit; }
.status { padding: 8px 16px; background: var(--warn-tint); color: var(--warn); font-weight: 500; text-align: center; }

/* buttons and controls */
button, input, select, textarea { font: inherit; color: inherit; }
button { min-height: 44px; padding: 8px 16px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); cursor: pointer; font-weight: 500; }
button:hover { border-color: var(--muted); }
button:disabled { opacity: .55; cursor: not-allowed; }
button.link { border: 0; background: none; color: var(--muted); font-weight: 400; padding: 8px; }
.send, .approve { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
.send:hover, .approve:hover { filter: brightness(1.08); border-color: var(--accent); }
.approve.wide { background: var(--tint); color: var(--accent); }
.refuse { background: var(--danger-tint); border-color: var(--danger); color: var(--danger); font-weight: 600; }
.refuse:hover { border-color: var(--danger); filter: brightness(.97); }
input, select, textarea { width: 100%; min-height: 44px; padding: 8px 12px; border: 1px solid var(--muted); border-radius: var(--radius); background: var(--surface); }
textarea { resize: vertical; display: block; }
input[type=radio], input[type=checkbox] { width: 20px; height: 20px; min-height: 0; margin: 2px 0 0; flex: none; accent-color: var(--accent); }
[aria-invalid=true] { border: 2px solid var(--danger); }
fieldset { border: 0; min-width: 0; }
.control { display: flex; flex-direction: column; gap: 8px; margin-bottom: 24px; }
.control > label:not(.option), legend { font-weight: 600; padding: 0; }
legend { margin-bottom: 8px; }
.option { display: flex; gap: 12px; padding: 10px 12px; border: 1px solid var(--line); border-radius: var(--radius); cursor: pointer; min-height: 44px; align-items: flex-start; }
.option:hover { border-color: var(--muted); }
.option:has(:checked) { border-color: var(--accent); background: var(--tint); }
.error { color: var(--danger); font-weight: 600; }

/* the two panes */
.panes { flex: 1; display: block; }
.list { background: var(--surface); min-width: 0; }
.filter { padding: 12px 16px; border-bottom: 1px solid var(--line); }
.filter details { margin-top: 8px; }
.filter summary { color: var(--muted); font-size: .875rem; padding: 4px 0; }
.filters button { color: var(--text); }
.filters > a { align-self: center; }
.filters { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; align-items: end; padding: 8px 0; font-size: .875rem; color: var(--muted); }
.filters input, .filters select { margin-top: 4px; color: var(--text); }
.filters .option { grid-column: 1 / -1; color: var(--text); }
.filters .option input { margin: 0; }
.rows li { border-bottom: 1px solid var(--line); }
.rows a { display: grid; grid-template-columns: 8px minmax(0, 1fr) auto; gap: 0 10px; padding: 12px 16px 12px 12px; color: inherit; text-decoration: none; min-height: 68px; align-content: center; border-left: 4px solid transparent; }
.rows a:hover { background: var(--sunken); }
.rows a:focus-visible { outline-offset: -3px; }
.rows a[aria-current] { background: var(--tint); border-left-color: var(--accent); }
.dot { width: 8px; height: 8px; border-radius: 50%; align-self: center; }
.unread .dot { background: var(--accent); }
.q { font-weight: 500; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.q .prose { white-space: nowrap; }
.unread .q { font-weight: 700; }
.age, .meta, .deadline { color: var(--muted); font-size: .875rem; }
.age { grid-column: 3; text-align: right; }
.meta { grid-column: 2; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.deadline { grid-column: 3; text-align: right; min-width: 4.5em; visibility: hidden; }
.deadline:has(.soon) { visibility: visible; }
.soon { color: var(--warn); font-weight: 600; }
.rows .settled a { color: var(--muted); background: var(--sunken); }
.rows .settled .q { text-decoration: line-through; font-weight: 500; }
.pill { display: block; margin: 8px auto; border-radius: 22px; background: var(--tint); border-color: var(--accent); color: var(--accent); }
.paging { display: flex; justify-content: space-between; gap: 16px; padding: 16px; }
.paging a { padding: 8px 0; }
.empty { padding: 48px 24px; text-align: center; color: var(--muted); }
.empty h2 { color: var(--text); font-size: 1.125rem; margin: 8px 0 4px; }
.blank { display: none; }

/* one question */
.detail { padding: 16px 16px 32px; max-width: 47rem; width: 100%; min-width: 0; }
.back a { display: inline-block; padding: 8px 0; text-decoration: none; }
.detail h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.015em; font-weight: 700; margin: 4px 0 8px; overflow-wrap: anywhere; }
.detail h2 { font-size: 1rem; font-weight: 600; }
.subtitle { display: flex; flex-wrap: wrap; gap: 4px 16px; justify-content: space-between; color: var(--muted); font-size: .875rem; overflow-wrap: anywhere; }
.subtitle b { font-weight: 600; color: var(--text); }
.expires:has(.soon) { color: var(--warn); font-weight: 600; }
.facts { margin: 20px 0; padding: 16px; background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--good); border-radius: var(--radius); }
.facts h2 { font-size: .75rem; letter-spacing: .04em; text-transform: uppercase; color: var(--good); margin-bottom: 12px; }
.facts dl > div, .outcome dl > div { display: grid; grid-template-columns: minmax(5rem, 9rem) minmax(0, 1fr); gap: 0 16px; padding: 4px 0; }
.facts dt, .outcome dt { color: var(--muted); font-size: .875rem; line-height: 1.5rem; overflow-wrap: anywhere; }
.facts dt .value { font-family: inherit; font-size: inherit; }
.facts dd { overflow-wrap: anywhere; }
.facts .own:not(:empty) { padding-bottom: 8px; margin-bottom: 8px; border-bottom: 1px solid var(--line); }
.facts .own dd { font-weight: 500; }
.facts .about { display: flex; flex-wrap: wrap; gap: 4px 24px; font-size: .875rem; color: var(--muted); }
.facts .about > div { display: flex; flex-wrap: wrap; gap: 0 6px; padding: 0; }
.facts .about dt { font-size: inherit; line-height: inherit; }
.facts .about dt::after { content: ":"; }
.facts .about dd { color: var(--text); }
.facts details { margin-top: 8px; font-size: .875rem; }
.facts summary { color: var(--muted); padding: 4px 0; }
.steps { margin: 20px 0; font-size: .875rem; color: var(--muted); }
.steps h2 { font-size: .875rem; color: var(--muted); }
.steps ol { margin-top: 4px; display: grid; gap: 4px; }
.steps li { padding-left: 12px; border-left: 2px solid var(--line); overflow-wrap: anywhere; }
.steps b { font-weight: 600; color: var(--text); }
.answer { margin: 20px 0; padding: 20px 16px; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
#decision:not(:has(.control)) { position: sticky; bottom: 0; z-index: 2; box-shadow: 0 -6px 16px -4px rgb(0 0 0 / .12); }
.as { color: var(--muted); font-size: .875rem; margin-bottom: 16px; }
.as b { color: var(--text); }
.detail:not([data-open]) #decision .as { display: none; }
.decide { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
.decide button { min-height: 52px; min-width: 8rem; max-width: 100%; }
.decide small { display: block; font-weight: 400; font-size: .8125rem; overflow-wrap: anywhere; }
.decide small:empty { display: none; }
.decide .refuse { margin-left: auto; }
.scripted { display: none; }
.js .scripted { display: inline; }
.other { margin-top: 8px; color: var(--muted); }
.other summary { padding: 8px 0; font-size: .875rem; }
.other form { display: grid; gap: 8px; padding: 16px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--text); justify-items: start; }
.notice, .outcome { margin: 16px 0; padding: 16px; border-radius: var(--radius); border: 1px solid var(--line); border-left-width: 4px; background: var(--surface); }
.notice.bad { border-color: var(--danger); background: var(--danger-tint); }
.notice.good, .outcome.answered { border-color: var(--good); background: var(--good-tint); }
.outcome.expired, .outcome.exhausted { border-color: var(--warn); background: var(--warn-tint); }
.outcome.declined, .outcome.cancelled { border-color: var(--danger); background: var(--danger-tint); }
.outcome h2 { font-size: 1.125rem; }
.outcome p:empty { display: none; }
.notice h3 { font-size: .875rem; margin-top: 12px; }
.notice a { color: inherit; }
blockquote { padding: 8px 12px; margin-top: 4px; border-left: 3px solid var(--line); background: var(--surface); }
.conversation { margin: 28px 0; }
.conversation ol { margin-top: 12px; display: grid; gap: 8px; }
.conversation li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 12px; padding: 8px 12px; border-radius: var(--radius); background: var(--sunken); max-width: 40rem; }
.conversation .out { background: none; border: 1px solid var(--line); }
.conversation .who { font-size: .875rem; font-weight: 600; overflow-wrap: anywhere; }
.conversation .at { color: var(--muted); font-size: .75rem; line-height: 1.3125rem; text-align: right; }
.conversation .what { grid-row: 2; grid-column: 1 / -1; }
.conversation .decision { background: none; border-block: 1px solid var(--line); border-radius: 0; color: var(--muted); font-size: .875rem; }
.next { margin: 24px 0; }
.next a { display: block; padding: 16px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); text-decoration: none; font-weight: 500; }

/* other pages */
.wide-page { width: 100%; max-width: 72rem; margin: 0 auto; padding: 24px 16px 48px; }
.wide-page h1 { font-size: 1.5rem; letter-spacing: -.015em; }
.wide-page > .quiet { margin-bottom: 16px; }
.table { overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: 12px 16px; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-size: .8125rem; color: var(--muted); font-weight: 600; }
tr:last-child td { border-bottom: 0; }
td { overflow-wrap: anywhere; }
.bar { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; margin: 16px 0; }
.bar select { width: auto; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 24px; }
.cards { display: grid; gap: 16px; }
.cards h2 { font-size: 1.0625rem; overflow-wrap: anywhere; }
.cards .actions { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start; margin-top: 16px; }
.message { flex: 1; display: grid; place-items: center; padding: 24px 16px; }
.message .card { width: 100%; max-width: 30rem; display: grid; gap: 12px; justify-items: start; overflow-wrap: anywhere; }
.message h1 { font-size: 1.375rem; letter-spacing: -.01em; }
.message form { width: 100%; display: grid; gap: 8px; }
.message label { font-weight: 600; }
dialog { border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--text); padding: 24px; max-width: min(28rem, 92vw); }
dialog::backdrop { background: rgb(0 0 0 / .45); }
.keys { display: grid; grid-template-columns: auto 1fr; gap: 8px 16px; margin: 16px 0; }
dialog form { margin-top: 16px; }

@media (max-width: 51.99rem) {
  .has-detail .list { display: none; }
  #decision { margin-inline: -16px; padding: 12px 16px max(12px, env(safe-area-inset-bottom)); border-radius: 0; border-width: 1px 0; }
  #decision .as { margin-bottom: 8px; }
  nav { order: 3; flex-basis: 100%; margin-inline: -12px; }
  .menu { margin-left: auto; }
  .decide button { flex: 1 1 40%; }
  .decide .refuse { margin-left: 0; }
  .table thead { display: none; }
  .table tr { display: grid; padding: 8px 0; border-bottom: 1px solid var(--line); }
  .table td { border: 0; padding: 2px 16px; }
  #show-keys { display: none; }
}
@media (min-width: 52rem) {
  body { height: 100vh; height: 100dvh; }
  .panes { display: grid; grid-template-columns: minmax(20rem, 26rem) minmax(0, 1fr); min-height: 0; }
  .panes:not(:has(> :nth-child(2))) { grid-template-columns: 1fr; }
  .panes > * { overflow-y: auto; min-height: 0; }
  .panes > .list { border-right: 1px solid var(--line); }
  .detail { padding: 24px 40px 48px; max-width: 55rem; }
  .detail h1 { font-size: 1.75rem; }
  .back { display: none; }
  .alone .detail { margin: 0 auto; }
  .panes:not(:has(> :nth-child(2))) .filter { padding-inline: max(16px, calc(50% - 20rem)); }
  .blank { display: grid; place-content: center; text-align: center; color: var(--muted); padding: 24px; }
  .blank h2 { font-size: 1.125rem; color: var(--text); }
  .wide-page, .message { overflow-y: auto; }
  .scroll { flex: 1; min-height: 0; overflow-y: auto; }
}
@media (forced-colors: active) {
  .send, .approve, .refuse { border-width: 2px; }
  .rows a[aria-current] { border-left-color: Highlight; }
  .unread .dot { background: Highlight; forced-color-adjust: none; }
}
@media (prefers-reduced-motion: no-preference) {
  .rows .arrived { animation: arrive .3s; }
}
@keyframes arrive { from { opacity: 0; } }
`;

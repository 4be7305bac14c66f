/**
 * The look of the web chat: system fonts, one accent colour, light and dark. A page may set the variables on `askback-chat`.
 */
export const chatStyle = `
:host {
  --accent: var(--askback-accent, #1d4ed8); --on-accent: var(--askback-on-accent, #fff);
  --paper: var(--askback-paper, #fff); --ink: var(--askback-ink, #16181d); --quiet: #596070;
  --theirs: #eef0f4; --line: #c9ced8; --bad: #b42318;
  color-scheme: light; display: block;
}
@media (prefers-color-scheme: dark) {
  :host {
    --accent: var(--askback-accent, #8ab4ff); --on-accent: var(--askback-on-accent, #0b1220);
    --paper: var(--askback-paper, #14161a); --ink: var(--askback-ink, #e8eaee); --quiet: #a3abba;
    --theirs: #24282f; --line: #454c59; --bad: #ff9d94;
    color-scheme: dark;
  }
}
* { box-sizing: border-box; }
.panel, .launch { font: 16px/1.45 system-ui, sans-serif; letter-spacing: normal; text-align: start; text-transform: none; }
.panel { color: var(--ink); }
:host { margin: 0 !important; max-width: none !important; }
:host([data-mode=float]) { position: fixed !important; inset: auto 16px 16px auto !important; z-index: 2147483000; }
:host([data-mode=page]) { position: fixed !important; inset: 0 !important; }
:host([data-mode=inline]) { height: 100%; min-height: 320px; }
.panel { display: flex; flex-direction: column; height: 100%; background: var(--paper); }
.panel[hidden] { display: none; }
:host([data-mode=float]) .panel {
  width: min(400px, calc(100vw - 32px)); height: min(600px, calc(100vh - 104px)); margin-bottom: 12px;
  border: 1px solid var(--line); border-radius: 16px; overflow: hidden; box-shadow: 0 12px 40px #0004;
}
:host([data-mode=float]) { display: flex !important; flex-direction: column; align-items: flex-end; }
header { display: flex; align-items: center; gap: 8px; padding: 12px 16px; border-bottom: 1px solid var(--line); }
h1 { font-size: 1rem; margin: 0; flex: 1; }
.state { margin: 0; font-size: .875rem; color: var(--quiet); }
.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 16px; }
:host([data-mode=page]) :is(header, .log, .composer) { padding-inline: max(16px, calc(50% - 340px)); }
ol { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 8px; }
li { max-width: 85%; align-self: flex-start; }
li.mine { align-self: flex-end; }
.bubble { background: var(--theirs); border-radius: 16px 16px 16px 4px; padding: 8px 14px; }
.mine .bubble { background: var(--accent); color: var(--on-accent); border-radius: 16px 16px 4px 16px; }
.bubble p, .bubble dl { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.ask.open .bubble { border: 1px dashed var(--quiet); }
.ask.yours .bubble { border: 2px solid var(--accent); }
.ask:focus { outline: none; }
.ask:focus .bubble { outline: 2px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; padding-top: 6px; font-size: .9375rem; }
dt { color: var(--quiet); } dd { margin: 0; }
.note { margin: 4px 4px 0; font-size: .875rem; color: var(--quiet); white-space: pre-wrap; overflow-wrap: anywhere; }
.mine .note { text-align: right; } .note.bad { color: var(--bad); }
fieldset { border: 0; margin: 10px 0 0; padding: 0; min-width: 0; display: flex; flex-wrap: wrap; gap: 8px; }
fieldset.list, form.fields { flex-direction: column; }
form.fields { display: flex; gap: 12px; margin-top: 10px; }
form.fields fieldset { margin: 0; }
form.fields legend, .field > label { padding: 0; margin-bottom: 4px; display: block; font-weight: 600; font-size: .9375rem; }
.option { display: flex; gap: 8px; align-items: center; min-height: 32px; }
button, input, textarea, select { font: inherit; color: inherit; }
input[type=radio], input[type=checkbox] { width: 20px; height: 20px; margin: 0; accent-color: var(--accent); flex: none; }
button { min-height: 44px; padding: 8px 16px; border-radius: 10px; border: 1px solid var(--accent); background: var(--paper); color: var(--accent); font-weight: 600; cursor: pointer; overflow-wrap: anywhere; }
button.main { background: var(--accent); color: var(--on-accent); }
button:disabled { cursor: default; border-color: var(--line); color: var(--quiet); background: none; }
button:disabled.chosen { border-color: var(--accent); color: var(--ink); }
button.link { border: 0; background: none; min-height: 24px; padding: 0 4px; text-decoration: underline; font-weight: 400; color: inherit; }
input:not([type=radio], [type=checkbox]), textarea, select { width: 100%; min-height: 44px; padding: 9px 12px; border: 1px solid var(--quiet); border-radius: 10px; background: var(--paper); color: var(--ink); }
::placeholder { color: var(--quiet); opacity: 1; }
:is(button, input, textarea, select):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.composer { display: flex; align-items: end; gap: 8px; padding: 12px 16px; border-top: 1px solid var(--line); padding-bottom: max(12px, env(safe-area-inset-bottom)); }
.composer button { flex: none; }
.composer textarea { resize: none; field-sizing: content; max-height: 30vh; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.launch { border-radius: 999px; box-shadow: 0 4px 16px #0004; }
.launch.news::after { content: ""; display: inline-block; width: 8px; height: 8px; margin-left: 8px; border-radius: 50%; background: currentColor; }
.working .bubble { color: var(--quiet); }
.working .bubble p::after { content: "…"; animation: blink 1.2s steps(2) infinite; }
@keyframes blink { 50% { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { .working .bubble p::after { animation: none; } }
@media (max-width: 480px) {
  :host([data-mode=float].open) { inset: 0 !important; }
  :host([data-mode=float]) .panel:not([hidden]) { width: 100vw; height: 100dvh; margin: 0; border: 0; border-radius: 0; position: fixed; inset: 0; }
  .ask.open button { flex: 1 1 40%; }
}
@media (forced-colors: active) { .bubble { border: 1px solid; } }
`;

/**
 * Part of the script of the web chat, for browsers. Draws messages, questions and forms. Each has one element, which is kept while what it shows is the same.
 */
export const chatDrawing = String.raw`
const drawn = new Map();
let follows = false; // after a control was used, the focus goes on to the next question

function render() {
  const decisions = new Map(items.filter((item) => item.type === 'decided').map((item) => [item.askId, item]));
  const last = new Map(items.filter((item) => item.ask).map((item) => [item.ask.id, item]));
  const outbox = loadOutbox();
  const came = new Set(items.filter((item) => item.type === 'in').map((item) => item.id));
  const pressed = new Map(outbox.filter((message) => message.body.askId).map((message) => [message.body.askId, message]));
  const wanted = [];
  const open = [];
  for (const item of items) {
    if (item.type === 'in' && !item.control) wanted.push(['in ' + item.id, 'sent', () => bubble(item.text === '[hidden]' ? texts.hidden : item.text, true)]);
    if (item.type !== 'out') continue;
    if (!item.ask) { wanted.push([item.key, 'said', () => bubble(item.text)]); continue; }
    const decision = decisions.get(item.ask.id) || (item.ask.status === 'pending' ? undefined : item.ask);
    const isLast = last.get(item.ask.id) === item;
    const look = [decision && decision.status, isLast, item.ask.mine].join();
    const entry = [item.key, look, () => question(item, decision, isLast)];
    (isLast && !decision ? open : wanted).push(entry);
  }
  wanted.push(...open); // what is asked stands at the end
  for (const message of outbox) {
    if (message.body.askId && message.state !== 'failed') continue; // its question shows it
    if (!came.has(message.id)) wanted.push(['in ' + message.id, message.state, () => outgoing(message)]);
  }
  if (progress || outbox.some((message) => message.state === 'sent')) {
    const text = progress || texts.working;
    wanted.push(['working', text, () => el('li', { class: 'working' }, el('div', { class: 'bubble' }, el('p', {}, words(text))))]);
  }
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  place(wanted);
  for (const item of items) if (item.ask && drawn.get(item.key)?.busy) drawn.get(item.key).busy(pressed.get(item.ask.id));
  if (atEnd) log.scrollTop = log.scrollHeight;
  const asked = openAsk();
  label.textContent = input.placeholder = asked && asked.ask.mine ? texts.answer : texts.message;
  state.textContent = live === 'live' ? '' : texts[live];
  if (follows && asked && asked.ask.mine && !pressed.has(asked.ask.id)) {
    follows = false;
    const { node } = drawn.get(asked.key);
    if (node.querySelector('button, input, select')) node.focus();
    else input.focus();
  }
}

function place(wanted) {
  const keys = new Set(wanted.map(([key]) => key));
  for (const [key, { node }] of drawn) if (!keys.has(key)) { node.remove(); drawn.delete(key); }
  wanted.forEach(([key, look, draw], index) => {
    let entry = drawn.get(key);
    if (!entry || entry.look !== look) {
      const { node, busy } = asDrawn(draw());
      if (entry) {
        if (entry.node.contains(root.activeElement)) { follows = true; input.focus(); }
        entry.node.replaceWith(node);
      }
      entry = { node, busy, look };
      drawn.set(key, entry);
    }
    if (list.children[index] !== entry.node) list.insertBefore(entry.node, list.children[index] || null);
  });
}

const asDrawn = (it) => (it.node ? it : { node: it });

function bubble(text, mine) {
  return el('li', { class: mine ? 'mine' : 'theirs' }, el('div', { class: 'bubble' }, el('p', {}, words(text))));
}

function outgoing(message) {
  const node = bubble(message.label || '', true);
  if (message.state === 'sending') node.append(el('p', { class: 'note' }, texts.sending));
  if (message.state === 'failed') {
    node.append(el('p', { class: 'note bad' }, texts.notSent + ' ', words(message.problem), ' ',
      !message.final && el('button', { type: 'button', class: 'link', onclick: () => { change(message.id, { state: 'sending', at: Date.now() }); flush(); } }, texts.retry),
      el('button', { type: 'button', class: 'link', onclick: () => { saveOutbox(loadOutbox().filter((each) => each.id !== message.id)); render(); } }, texts.remove)));
  }
  return node;
}

function question(item, decision, isLast) {
  const { ask } = item;
  const id = 'q' + (controls += 1);
  const box = el('div', { class: 'bubble' }, el('p', { id }, words(item.text)));
  const node = el('li', { class: 'theirs ask', tabindex: '-1' }, box);
  if (!isLast) return node;
  if (ask.details) box.append(el('dl', {}, ...ask.details.flatMap(([name, value]) => [el('dt', {}, words(name)), el('dd', {}, words(value))])));
  if (decision) {
    const { status, answer } = decision;
    if (ask.shape.type === 'choices') box.append(buttons(ask, id, answer));
    const said = status !== 'answered' ? [texts[status]] : answer ? [texts.answered + (answer.includes('\n') ? '\n' : ' '), words(answer)] : [texts.answeredPlain];
    node.append(el('p', { class: 'note' }, ...said));
    return node;
  }
  node.classList.add('open');
  const note = el('p', { class: 'note' }, ask.mine ? '' : texts.others);
  node.append(note);
  if (!ask.mine) return node;
  node.classList.add('yours');
  const form = controlsOf(ask, id);
  if (form) box.append(form);
  const until = ask.expiresAt ? texts.until + ' ' + new Date(ask.expiresAt).toLocaleString() : '';
  // while an answer is on its way the controls stay as they are: one that is refused can be corrected
  const busy = (press) => {
    const isBusy = Boolean(press && press.state !== 'failed');
    for (const control of box.querySelectorAll('button, input')) control.disabled = isBusy;
    note.textContent = isBusy ? texts.sending : until;
  };
  return { node, busy };
}

function controlsOf(ask, id) {
  const { shape } = ask;
  const press = (body, label) => { follows = true; input.focus(); send({ askId: ask.id, ...body }, { label, ...(ask.sensitive ? { secret: true } : {}) }); };
  if (shape.type === 'choices' && !shape.many && shape.choices.length <= 6) return buttons(ask, id, undefined, press);
  if (shape.type === 'text' && !shape.input) return null; // the composer is the control
  const fields = shape.type === 'fields' ? shape.fields : [{ name: '', shape, optional: false }];
  const drawnFields = fields.map((field) => fieldOf(field, id));
  const form = el('form', { class: 'fields', 'aria-labelledby': id }, ...drawnFields.map((field) => field.node),
    el('div', {}, el('button', { class: 'main' }, texts.send)));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const values = {};
    for (const [index, field] of fields.entries()) values[field.name] = drawnFields[index].value();
    const missing = drawnFields.filter((field, index) => field.complain(values[fields[index].name] === undefined && !fields[index].optional));
    if (missing.length > 0) return missing[0].focus();
    if (shape.type === 'fields') return press({ value: values }, '');
    const value = values[''];
    if (shape.type === 'text') press({ text: String(value) }, String(value));
    else press({ choice: value }, [value].flat().map((one) => shape.choices.find((each) => each.id === one).label).join(', '));
  });
  return form;
}

function buttons(ask, id, chosen, press) {
  const all = String(chosen ?? '').split(', ');
  return el('fieldset', { role: 'group', 'aria-labelledby': id }, ...ask.shape.choices.map((choice, index) => {
    const isChosen = chosen === choice.label || (ask.shape.many && all.includes(choice.label));
    return el('button', {
      type: 'button', disabled: !press, class: isChosen ? 'chosen' : '', 'aria-pressed': press ? undefined : String(isChosen),
      onclick: () => press({ choice: choice.id }, choice.label),
    }, words(shownLabel(ask.shape, choice, index)));
  }));
}

// typed replies may name an option by this number
function shownLabel(shape, choice, index) {
  return shape.numbered ? index + 1 + '. ' + choice.label : choice.label;
}

function fieldOf(field, askId) {
  const { shape } = field;
  const id = askId + '-' + (controls += 1);
  const name = field.text === undefined ? [] : [words(field.text), field.optional ? ' ' + texts.optional : ''];
  const problem = el('p', { class: 'note bad', role: 'alert', id: id + 'p' });
  if (shape.type === 'choices') {
    const strip = (choice) => (field.name && choice.id.startsWith(field.name + '/') ? choice.id.slice(field.name.length + 1) : choice.id);
    const boxes = shape.choices.map((choice, index) => el('input', { type: shape.many ? 'checkbox' : 'radio', name: id, id: id + index, value: strip(choice) }));
    const node = el('fieldset', { class: 'list', ...(name.length > 0 ? {} : { 'aria-labelledby': askId }) }, name.length > 0 && el('legend', {}, ...name),
      ...shape.choices.map((choice, index) => el('div', { class: 'option' }, boxes[index], el('label', { for: id + index }, words(shownLabel(shape, choice, index))))), problem);
    const value = () => {
      const picked = boxes.filter((box) => box.checked).map((box) => box.value);
      if (shape.many) return picked.length > 0 || field.optional === false ? picked : undefined;
      return picked[0];
    };
    return { node, value, complain: (isMissing) => { problem.textContent = isMissing ? texts.pick : ''; return isMissing; }, focus: () => boxes[0].focus() };
  }
  const type = { number: 'number', date: 'date', datetime: 'datetime-local', email: 'email' }[shape.input] || 'text';
  const box = el('input', { id, type, step: type === 'number' ? 'any' : undefined, required: !field.optional, 'aria-labelledby': name.length > 0 ? undefined : askId, autocomplete: type === 'email' ? 'email' : 'off' });
  const node = el('div', { class: 'field' }, name.length > 0 && el('label', { for: id }, ...name), box, problem);
  const value = () => (box.value.trim() === '' ? undefined : type === 'number' && field.name ? Number(box.value) : box.value);
  return { node, value, complain: (isMissing) => isMissing, focus: () => box.focus() };
}
`;

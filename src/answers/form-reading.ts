/**
 * How a form is read: a typed reply answers the current field, or names several ("order: 12345" on a line of its own);
 * a program gives an object; a control names its field. A field is never guessed.
 */

import type { AnswerType, Choice, Field, Parsed, ReplyContext, Shape } from '../core/ask/answer-type.js';
import { AgentError } from '../core/errors.js';
import type { Json } from '../core/json.js';
import { canonical } from '../core/json.js';
import { folded, saysSomething } from '../core/text.js';
import type { Wording } from '../core/wording/wording.js';
import { builtInType } from './built-in-types.js';
import { refusal } from './reading/refusal.js';
import { typedReply } from './reading/typed-reply.js';

export interface StoredField {
  readonly name: string;
  readonly text: string;
  readonly kind: string;
  readonly data: Json;
  readonly optional?: true;
}

export interface FormData {
  readonly fields: readonly StoredField[];
}

type Values = { readonly [name: string]: Json };

/** What a form has so far. */
interface Partial {
  readonly values: Values;
  readonly skipped: readonly string[];
  /** What the current field's own type has so far. */
  readonly inner?: Json;
}

type Refused = Extract<Parsed<never>, { problem: string }>;
type More = Extract<Parsed<never>, { why: 'more' }>;

export class FormReading implements AnswerType<Values, FormData> {
  readonly kind = 'form';
  readonly #types: ReadonlyMap<string, AnswerType<unknown>>;

  constructor(types: ReadonlyMap<string, AnswerType<unknown>>) {
    this.#types = types;
  }

  shape({ fields }: FormData): Shape {
    return this.#drawn(fields, fields[0]?.name ?? '');
  }

  opening(text: string, { fields }: FormData): string {
    return `${text}\n${fields[0]?.text ?? ''}`;
  }

  async parse(reply: string, data: FormData, locale?: string, heard: ReplyContext = {}): Promise<Parsed<Values>> {
    const known = partialOf(heard);
    const lines = labelled(reply, data.fields);
    if (lines !== undefined) return this.#together(lines, data, known, locale, heard);
    const field = currentOf(data, known);
    if (field === undefined) return done(data, known);
    const read = await this.#typedField(field, reply, locale, heard, known.inner);
    if (read === 'skipped') return this.#after(data, without(known, field.name));
    if (read.ok) return this.#after(data, withValue(known, field.name, read.value as Json));
    if (read.why !== 'more') return read;
    return this.#inner(data, known, field, read);
  }

  async accept(given: Json, data: FormData, heard: ReplyContext = {}): Promise<Parsed<Values>> {
    const known = partialOf(heard);
    if (typeof given === 'string' || Array.isArray(given)) return this.#pressed([given].flat() as Json[], data, known);
    if (given === null || typeof given !== 'object') return unknownField(String(given), data);
    let next = known;
    for (const [name, value] of Object.entries(given as Values)) {
      const field = data.fields.find((each) => each.name === name);
      if (field === undefined) return unknownField(name, data);
      if (value === null && field.optional) next = without(next, name);
      else {
        const read = await this.#given(field, value);
        if (!read.ok)
          return read.why === 'more' ? refusal('not-valid', (wording) => wording.typeOther()) : about(field, read);
        next = withValue(next, name, read.value as Json);
      }
    }
    const missing = data.fields.filter(({ name, optional }) => !optional && !Object.hasOwn(next.values, name));
    if (missing.length === 0) return done(data, next);
    return refusal('not-valid', (wording) => wording.missing(missing.map(({ text }) => text)));
  }

  reopen(value: Values, data: FormData, fields: readonly string[]): More {
    const named = data.fields.filter(({ name }) => fields.includes(name));
    const again = new Set((named.length === 0 ? data.fields : named).map(({ name }) => name));
    const kept = data.fields.filter(({ name }) => !again.has(name));
    const values = Object.fromEntries(
      kept.flatMap(({ name }) => (Object.hasOwn(value, name) ? [[name, value[name] as Json]] : [])),
    );
    const skipped = kept.filter(({ name }) => !Object.hasOwn(value, name)).map(({ name }) => name);
    return this.#more(data, { values, skipped });
  }

  /** The form with what a reply gave: finished, or the next field asked for. */
  #after(data: FormData, known: Partial): Parsed<Values> {
    return currentOf(data, known) === undefined ? done(data, known) : this.#more(data, known);
  }

  #more(data: FormData, known: Partial, problem?: (wording: Wording) => string): More {
    const field = currentOf(data, known) as StoredField; // asked for only while one is left
    const more = { ok: false, why: 'more', partial: storedPartial(known), prompt: field.text } as const;
    const shape = this.#drawn(data.fields, field.name);
    if (problem === undefined) return { ...more, shape };
    return { ...more, shape, say: (wording) => `${problem(wording)}\n${field.text}` };
  }

  /** A field whose own type wants more before it has a value. */
  #inner(data: FormData, known: Partial, field: StoredField, read: More): More {
    const fields = data.fields.map((each) => this.#field(each));
    const drawn = fields.map((each) => (each.name === field.name ? { ...each, shape: read.shape } : each));
    const shape = { type: 'fields', fields: drawn, current: field.name } as const;
    return { ...read, partial: storedPartial({ ...known, inner: read.partial }), shape };
  }

  async #together(
    lines: readonly { readonly field: StoredField; readonly text: string }[],
    data: FormData,
    known: Partial,
    locale: string | undefined,
    heard: ReplyContext,
  ): Promise<Parsed<Values>> {
    let next = known;
    let problem: Refused | undefined;
    for (const { field, text } of lines) {
      const read = await this.#typedField(field, text, locale, heard, undefined);
      if (read === 'skipped') next = without(next, field.name);
      else if (read.ok) next = withValue(next, field.name, read.value as Json);
      else if (read.why !== 'more') problem ??= about(field, read);
      else problem ??= about(field, refusal('not-valid', (wording) => wording.typeOther()) as Refused);
    }
    if (canonical(storedPartial(next)) === canonical(storedPartial(known))) {
      return problem ?? refusal('not-understood', (wording) => wording.missing(this.#open(data, known)));
    }
    if (currentOf(data, next) === undefined) return done(data, next);
    return this.#more(data, next, problem?.say);
  }

  #open(data: FormData, known: Partial): readonly string[] {
    return data.fields.filter(({ name }) => !isKnown(known, name)).map(({ text }) => text);
  }

  /** A control says which field it belongs to: a second press must not answer the next field. */
  async #pressed(ids: readonly Json[], data: FormData, known: Partial): Promise<Parsed<Values>> {
    const field = currentOf(data, known);
    const prefix = `${field?.name}/`;
    const own = ids.map((id) =>
      typeof id === 'string' && id.startsWith(prefix) ? id.slice(prefix.length) : undefined,
    );
    if (field === undefined || own.length === 0 || own.includes(undefined))
      return refusal('not-valid', (wording) => wording.already(undefined));
    const shape = this.#type(field).shape(field.data);
    const many = shape.type === 'choices' && shape.many;
    const read = await this.#given(field, (many ? own : own[0]) as Json);
    if (read.ok) return this.#after(data, withValue(known, field.name, read.value as Json));
    return read.why === 'more' ? this.#inner(data, known, field, read) : read;
  }

  async #typedField(
    field: StoredField,
    reply: string,
    locale: string | undefined,
    heard: ReplyContext,
    inner: Json | undefined,
  ): Promise<Parsed<unknown> | 'skipped'> {
    const type = this.#type(field);
    const { whole, vocabulary } = typedReply(reply, heard);
    const shape = type.shape(field.data);
    const isOption = shape.type === 'choices' && shape.choices.some(({ label }) => folded(label) === whole);
    if (vocabulary.skip.has(whole) && !isOption && inner === undefined)
      return field.optional ? 'skipped' : refusal('not-valid', (wording) => wording.cannotSkip());
    const language = heard.language === undefined ? {} : { language: heard.language };
    const read = await type.parse(
      reply,
      field.data,
      locale,
      inner === undefined ? language : { ...language, partial: inner },
    );
    if (read.ok && type.isOpen?.(field.data) === true && !saysSomething(reply))
      return refusal('not-understood', (wording) => wording.needText());
    return read;
  }

  /** A value of one field from a program: of the exact kind. */
  async #given(field: StoredField, value: Json): Promise<Parsed<unknown>> {
    const type = this.#type(field);
    if (type.accept !== undefined) return type.accept(value, field.data);
    const read = await type.parse(typeof value === 'string' ? value : JSON.stringify(value), field.data);
    return !read.ok || canonical(read.value as Json) === canonical(value)
      ? read
      : refusal('not-valid', (wording) => wording.wrongPattern(undefined));
  }

  #drawn(fields: readonly StoredField[], current: string): Shape {
    return { type: 'fields', fields: fields.map((field) => this.#field(field)), current };
  }

  #field(stored: StoredField): Field {
    const { name, text, optional = false } = stored;
    const shape = this.#type(stored).shape(stored.data);
    const own = ({ id, label }: Choice): Choice => ({ id: `${name}/${id}`, label });
    const drawn = shape.type === 'choices' ? { ...shape, choices: shape.choices.map(own) } : shape;
    return { name, text, shape: drawn, optional };
  }

  #type(field: StoredField): AnswerType<unknown> {
    const type = this.#types.get(field.kind) ?? builtInType(field.kind);
    if (type !== undefined) return type;
    throw new AgentError(
      'unknown-question',
      `The form's field ${field.name} is of kind ${JSON.stringify(field.kind)}, which this release cannot read. Deploy one that can, then retry.`,
    );
  }
}

/** For programs: people never name a field that is not there. */
function unknownField(name: string, { fields }: FormData): Parsed<never> {
  const names = fields.map((field) => field.name).join(', ');
  return {
    ok: false,
    why: 'not-valid',
    problem: `There is no field ${JSON.stringify(name)}; a value is an object with ${names}.`,
  };
}

function partialOf({ partial }: ReplyContext): Partial {
  return partial === undefined ? { values: {}, skipped: [] } : (partial as unknown as Partial); // made here, stored as it is
}

function storedPartial(known: Partial): Json {
  return known as unknown as Json; // plain data: values as their types gave them, names
}

function isKnown({ values, skipped }: Partial, name: string): boolean {
  return Object.hasOwn(values, name) || skipped.includes(name);
}

function currentOf(data: FormData, known: Partial): StoredField | undefined {
  return data.fields.find(({ name }) => !isKnown(known, name));
}

function withValue({ values, skipped }: Partial, name: string, value: Json): Partial {
  return { values: { ...values, [name]: value }, skipped: skipped.filter((each) => each !== name) };
}

function without({ values, skipped }: Partial, name: string): Partial {
  const kept = Object.fromEntries(Object.entries(values).filter(([each]) => each !== name));
  return { values: kept, skipped: [...skipped.filter((each) => each !== name), name] };
}

/** The finished answer, its fields in the order they are asked. */
function done(data: FormData, { values }: Partial): Parsed<Values> {
  const given = data.fields.filter(({ name }) => Object.hasOwn(values, name));
  return { ok: true, value: Object.fromEntries(given.map(({ name }) => [name, values[name] as Json])) };
}

/** A problem with one field, which it names. */
function about(field: StoredField, read: Refused): Refused {
  const say = read.say;
  const named = { ...read, problem: `${field.text} ${read.problem}` };
  return say === undefined ? named : { ...named, say: (wording) => `${field.text} ${say(wording)}` };
}

/** Lines that each name a field, by its name or its text; undefined if one does not. */
function labelled(
  reply: string,
  fields: readonly StoredField[],
): readonly { readonly field: StoredField; readonly text: string }[] | undefined {
  const lines = reply.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  if (lines.length === 0 || lines.length > fields.length) return undefined;
  const found = lines.map((line) => {
    const field = fields.find(({ name, text }) => startsWithLabel(line, name) || startsWithLabel(line, text));
    if (field === undefined) return undefined;
    const label = startsWithLabel(line, field.name) ? field.name : field.text;
    return {
      field,
      text: line
        .trimStart()
        .slice(label.length)
        .replace(/^\s*[:=]\s*/, ''),
    };
  });
  const names = new Set(found.map((each) => each?.field.name));
  return names.size === lines.length && !names.has(undefined) ? (found as never) : undefined;
}

function startsWithLabel(line: string, label: string): boolean {
  const start = line.trimStart();
  return folded(start.slice(0, label.length)) === folded(label) && /^\s*[:=]/.test(start.slice(label.length));
}

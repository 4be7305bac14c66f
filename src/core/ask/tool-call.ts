/**
 * Which tool asked, as far as the stored ask knows: the tools for models keep their call in the context, `run()` keeps it in its state.
 * Only names are read here; what a call means is decided in tools/ and agent/.
 */
import type { Json } from '../json.js';
import type { Ask } from './ask.js';

/** The name of the tool, or of the approved tool, that the ask was made by; undefined for every other ask. */
export function toolOf({ own: { context, run } }: Ask): string | undefined {
  const call = fieldOf(context['call'], 'tool') ?? fieldOf(context['action'], 'tool') ?? firstCallOf(run, 'name');
  return typeof call === 'string' ? call : undefined;
}

/** The model's id of the call that the ask was made by; undefined where there is none. */
export function callIdOf({ own: { context, run } }: Ask): string | undefined {
  const id = fieldOf(context['call'], 'id') ?? firstCallOf(run, 'id');
  return typeof id === 'string' ? id : undefined;
}

/** The call that the state of `run()` waits with comes first. */
function firstCallOf(run: Json | undefined, field: 'name' | 'id'): Json | undefined {
  const calls = fieldOf(run, 'calls');
  return Array.isArray(calls) ? fieldOf(calls[0] as Json | undefined, field) : undefined;
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: Json })[name];
}

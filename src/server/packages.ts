/**
 * The packages hono and @hono/zod-openapi, which are optional. If one is missing, the import of askback/server says what to install.
 */
import { createRequire } from 'node:module';
import { AgentError } from '../core/errors.js';

/** Without a top-level await, which would keep a CommonJS program from loading this by require(). */
function loaded<T>(name: string): T {
  try {
    return createRequire(import.meta.url)(name) as T; // the types of that package
  } catch (cause) {
    const message = `askback/server needs the package ${name}, which could not be loaded. Install what it needs:\n  npm install hono @hono/zod-openapi`;
    throw new AgentError('missing-package', message, { cause });
  }
}

type OpenApi = typeof import('@hono/zod-openapi');

export const { Hono } = loaded<typeof import('hono')>('hono');
/** Templates that escape what is put into them; `raw` marks what is HTML already. */
export const { html, raw } = loaded<typeof import('hono/html')>('hono/html');
const openApi = loaded<OpenApi>('@hono/zod-openapi');
export const { OpenAPIHono, createRoute } = openApi;
/** Zod as that package extends it: schemas of routes are made with this one. */
export const z: OpenApi['z'] = openApi.z;

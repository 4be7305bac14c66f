/**
 * The optional packages of the inbox. If one is missing, the import of askback/server says what to install.
 */
import { createRequire } from 'node:module';
import { type OptionalPackage, required } from '../core/optional-package.js';

const users = ['askback/server'] as const;
const install = ['hono', '@hono/zod-openapi'];

export const hono: OptionalPackage = { name: 'hono', users, install };
export const zodOpenApi: OptionalPackage = { name: '@hono/zod-openapi', users, install };
/** Only programs load it: it serves `fetch` on Node. */
export const nodeServer: OptionalPackage = { name: '@hono/node-server', users: ['serve()'] };

/** By require(), because a top-level await would keep a CommonJS program from loading this. */
const loaded = <T>(needed: OptionalPackage, path = needed.name): T =>
  required<T>(needed, () => createRequire(import.meta.url)(path));

type OpenApi = typeof import('@hono/zod-openapi');

export const { Hono } = loaded<typeof import('hono')>(hono);
/** Templates that escape what is put into them; `raw` marks what is HTML already. */
export const { html, raw } = loaded<typeof import('hono/html')>(hono, 'hono/html');
const openApi = loaded<OpenApi>(zodOpenApi);
export const { OpenAPIHono, createRoute } = openApi;
/** Zod as that package extends it: schemas of routes are made with this one. */
export const z: OpenApi['z'] = openApi.z;

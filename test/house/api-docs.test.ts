/** docs/http-api.md lists the routes and the error codes that there are, all of them and nothing else. */
import { expect, test } from 'vitest';
import { apiErrors, statusByCode } from '../../src/server/api/errors.js';
import { apiOf } from '../server/api-kit.js';
import { boss } from '../server/kit.js';
import { namesIn, rowsOf } from './tables.js';

const page = 'docs/http-api.md';

test('every route of the OpenAPI document is in the table, and no other', async () => {
  const { api } = await apiOf();
  const { paths } = (await api(boss, 'GET', '/openapi.json')).body as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(rowsOf(page, 'route').map(([name]) => namesIn(name)[0])).toEqual(expect.arrayContaining(routes));
  expect(rowsOf(page, 'route')).toHaveLength(routes.length);
});

test('every code is in the table with its status; what is the fault of the server is told as one', () => {
  const listed = Object.fromEntries(
    rowsOf(page, 'code', 'Errors').flatMap(([names, status]) => namesIn(names).map((code) => [code, Number(status)])),
  );
  const told = Object.entries(statusByCode).filter(([, status]) => (status as number) !== 500);
  const own = Object.entries(apiErrors).map(([code, { status }]) => [code, status]);
  expect(listed).toEqual(Object.fromEntries([...told, ...own]));
});

import { beforeAll, describe, expect, test } from 'bun:test';
import type { TSchema } from 'elysia';
import { unconnectedApp } from './contract/report.ts';
import {
  createOwnRequest,
  type Request,
  type Route,
  ROUTES,
  withParameter,
} from './matrix/requests.ts';
import { type Snapshot, takeSnapshot } from './matrix/restore.ts';
import { buildWorld, type World } from './matrix/world.ts';
import { useApp } from './support/database.ts';
import { send } from './support/harness.ts';
import { sample } from './support/sample.ts';
import { listPlaces, type Path, withValue } from './support/valid-body.ts';

// Every number that a request may hold, in a request that is right but for it. A number that no reader can take is
// refused by its name when it is written: what was accepted never keeps an operation from answering.

const { database, app } = await useApp({}, { connections: 1 });
let world: World;
let library: Snapshot;
beforeAll(async () => {
  world = await buildWorld(database, app);
  library = await takeSnapshot(database);
});

/** At and beyond the bounds of what PostgreSQL, JSON and timers can hold. */
const NUMBERS = [2 ** 31, 2 ** 31 - 1, -(2 ** 31) - 1, 2 ** 53 - 1, 2 ** 53, -1, 1.5, 1e308];

/** A quick run tries so many members of a body. */
const QUICK_PLACES = 5;

type Operation = Route & {
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
};
const schemas = new Map(
  unconnectedApp().routes.map(({ method, path, hooks }) => [
    `${method} ${path.replace('/api', '')}`,
    hooks.schemas ?? {},
  ]),
);
const OPERATIONS: readonly Operation[] = ROUTES.map((route) => ({
  ...route,
  query: schemas.get(route.name)!.query,
  body: schemas.get(route.name)!.body,
}));

const listNumbers = (schema: TSchema | undefined) =>
  (schema ? listPlaces(schema) : []).filter(
    ({ schema: { type } }) => type === 'integer' || type === 'number',
  );

/** Readers of what others have stored, beside those of the same area. */
const READERS = ['/users/me', '/people', '/memories', '/timeline', '/server', '/jobs', '/queues'];
const getArea = (path: string) => path.split('/')[1]!;

type Change = (request: Request) => Partial<Request>;

async function ask(route: Route, change: Change = () => ({})) {
  const request = createOwnRequest(world, route);
  const changed = { ...request, ...change(request) };
  const response = await send(app, `${route.method} ${changed.url}` as 'GET /', changed as object);
  return { status: response.status, text: await response.text() };
}

/** Returns the operations that do not answer any more. */
async function listBroken(area: string): Promise<string[]> {
  const found: string[] = [];
  for (const route of ROUTES) {
    const isReader =
      getArea(route.path) === area || READERS.some((prefix) => route.path.startsWith(prefix));
    if (route.method !== 'GET' || !isReader) continue;
    const { status, text } = await ask(route);
    if (status >= 500) found.push(`${route.name}: ${status} ${text.slice(0, 100)}`);
  }
  return found;
}

/** Returns what does not answer: the operation itself, or those that read what it has stored. */
async function tryRequest(route: Route, change: Change): Promise<string[]> {
  const { status, text } = await ask(route, change);
  if (status >= 500) return [`${route.name}: ${status} ${text.slice(0, 100)}`];
  if (status >= 300 || route.method === 'GET' || (await library.changed()).length === 0) return [];
  const broken = await listBroken(getArea(route.path));
  await library.restore();
  return broken;
}

describe('a number beyond what its readers take', () => {
  for (const route of OPERATIONS) {
    const [inBody, inQuery] = [listNumbers(route.body), listNumbers(route.query)];
    if (inBody.length + inQuery.length === 0) continue;
    test(route.name, async () => {
      const found: string[] = [];
      const attempt = async (path: Path, create: (value: number) => Change) => {
        for (const value of sample(`${route.name} ${path.join('.')}`, NUMBERS, 3)) {
          const broken = await tryRequest(route, create(value));
          found.push(...broken.map((one) => `${path.join('.')}=${value}: ${one}`));
        }
      };
      for (const { path } of sample(route.name, inBody, QUICK_PLACES)) {
        await attempt(path, (value) => ({ body }) => ({
          body: withValue(route.body!, body, path, value),
        }));
      }
      for (const { path } of inQuery) {
        await attempt(path, (value) => (request) => ({
          url: withParameter(request, String(path[0]), value),
        }));
      }
      expect(found).toEqual([]);
    });
  }
});

import { beforeAll, describe, expect, test } from 'bun:test';
import { PERMISSIONS } from '../src/access/permissions.ts';
import { useApp } from './support/database.ts';
import { send } from './support/harness.ts';
import {
  findAccount,
  type Caller,
  CALLERS,
  forbiddenMarkers,
  isGuest,
  listOwners,
  listViewers,
} from './matrix/callers.ts';
import { type Cell, chooseAmongEqual, listCells, passesGuard } from './matrix/cells.ts';
import type { Expectation } from './matrix/expectation.ts';
import { EXPECTATIONS } from './matrix/expectations.ts';
import { isCounted, type Snapshot, takeSnapshot } from './matrix/restore.ts';
import { createRequest, type Route, ROUTES } from './matrix/requests.ts';
import { ASSET_STATES, buildWorld, type World } from './matrix/world.ts';

// Every operation, asked by twelve callers about what is their own, shared with them, of a partner,
// locked, trashed and foreign. Whoever may not see a thing finds no trace of it in any answer, and
// leaves no trace on it; whoever may is answered.

/** Their answer is true only for the process that owns the upload then. */
const TAKES_OVER = ['HEAD /assets/uploads/:id', 'GET /assets/uploads/:id'];
const isRead = ({ method, name }: Route) =>
  ['GET', 'HEAD', 'OPTIONS'].includes(method) && !TAKES_OVER.includes(name);

const { database, app } = await useApp({}, { connections: 1 });
let world: World;
let library: Snapshot;
beforeAll(async () => {
  world = await buildWorld(database, app);
  library = await takeSnapshot(database);
});

test('the snapshot notices what is written, and puts it back', async () => {
  // Another test may have read with a key.
  await library.restore();
  expect(await library.changed()).toEqual([]);
  const { sql } = database;
  await sql`delete from tag where false`;
  expect(await library.changed()).toEqual([]);
  await sql`update app_user set name = 'Eve'`;
  await sql`truncate memory cascade`;
  expect(await library.changed()).toContain('app_user');
  expect(await library.changed()).toContain('memory');
  await library.restore();
  expect(await library.changed()).toEqual([]);
  expect(await sql`select 1 from app_user where name = 'Eve'`).toHaveLength(0);
  expect(await sql`select 1 from memory limit 1`).toHaveLength(1);
});

test('every operation has an expectation, and every expectation an operation', () => {
  expect(Object.keys(EXPECTATIONS).toSorted()).toEqual(ROUTES.map(({ name }) => name).toSorted());
});

describe('only permitted callers succeed', () => {
  for (const route of ROUTES) {
    const listed = EXPECTATIONS[route.name];
    for (const expectation of [listed ?? []].flat() as Expectation[]) {
      const { rule, target = '', query = '' } = expectation;
      test(`${route.name} ${query}: ${rule} ${target}`, async () => {
        const found = [...(await refuse(route, expectation)), ...(await allow(route, expectation))];
        expect(found).toEqual([]);
      });
    }
  }
});

function mayAsk(route: Route, expectation: Expectation, { caller, state }: Cell): boolean {
  const { rule, target, also = [], except = [] } = expectation;
  if (!passesGuard(route, caller)) return false;
  if (rule === 'open') return true;
  if (rule === 'admin') return caller === 'admin';
  if (rule === 'account') return findAccount(caller) !== undefined;
  if (caller === 'keyWithout') return false;
  if (rule === 'own') {
    return (
      listOwners(target!, state).includes(caller) || (state === 'shared' && also.includes(caller))
    );
  }
  return listViewers(target!, state).includes(caller) && !except.includes(caller);
}

/** Everybody who may not asks: the library is then as it was. */
async function refuse(route: Route, expectation: Expectation): Promise<string[]> {
  const refused = listCells(expectation).filter((cell) => !mayAsk(route, expectation, cell));
  const cells = chooseAmongEqual(route, refused);
  const found: string[] = [];
  for (const cell of cells) {
    const { status, leaks } = await ask(route, expectation, cell);
    if (leaks.length > 0) found.push(`${formatCell(cell)} is shown ${leaks.join(', ')}`);
    if (!isRefusal(route, expectation, cell.caller, status)) {
      found.push(`${formatCell(cell)} is answered ${status}`);
    }
  }
  await permitKey([]);
  const changed = await library.changed();
  // From the same rows everybody sees the same.
  if (changed.length === 0) return found;
  const counted = changed.filter(isCounted);
  if (expectation.rule !== 'make' && counted.length > 0) {
    found.push(`a refused request changed ${counted.join(', ')}`);
  }
  if (!isRead(route) && expectation.target) found.push(...(await seenOtherwise()));
  await library.restore();
  return found;
}

function isRefusal(
  route: Route,
  { rule, each }: Expectation,
  caller: Caller,
  status: number,
): boolean {
  if (caller === 'nobody' && route.permission !== undefined) return status === 401;
  if (caller === 'keyWithout' && route.permission !== 'any') return status === 403;
  // A link without downloads refuses the ids; links have no other operations at all.
  if (isGuest(caller) && !passesGuard(route, caller)) return status === (route.isGuest ? 400 : 403);
  // Targets without an owner return an empty result.
  if (rule === 'make' || each || (rule === 'account' && isGuest(caller))) return status < 500;
  return [400, 401, 403, 404, 409].includes(status);
}

/** Calls with every session that is allowed: reads with all, writes with one of each account. */
async function allow(route: Route, expectation: Expectation): Promise<string[]> {
  const allowed = listCells(expectation)
    .filter((cell) => mayAsk(route, expectation, cell))
    .filter(({ caller }) => isRead(route) || !['owner', 'ownerKey'].includes(caller));
  const cells = chooseAmongEqual(route, allowed);
  const found: string[] = [];
  for (const cell of cells) {
    const { status, leaks, text } = await ask(route, expectation, cell);
    const wanted = [expectation.answers?.[0] ?? []].flat();
    if (leaks.length > 0) found.push(`${formatCell(cell)} is shown ${leaks.join(', ')}`);
    if (wanted.length === 0 ? status >= 300 : !wanted.includes(status)) {
      found.push(`${formatCell(cell)} may, but is answered ${status} ${text.slice(0, 200)}`);
    }
    if (!isRead(route)) await library.restore();
  }
  return found;
}

const formatCell = ({ caller, state }: Cell) =>
  state === 'none' ? caller : `${caller} (${state})`;

async function ask(route: Route, expectation: Expectation, cell: Cell) {
  if (cell.caller === 'keyWithout') await forbidKey(route);
  const request = createRequest(world, route, expectation, cell);
  const response = await send(app, `${route.method} ${request.url}`, request);
  const text = await response.text();
  const given = `${request.url}${JSON.stringify(request.body)}`;
  const leaks = forbiddenMarkers(world, cell.caller).filter(
    (marker) => text.includes(marker) && !given.includes(marker),
  );
  return { status: response.status, text, leaks };
}

/** Leaves the key of `keyWithout` every permission but that of the route. */
const forbidKey = ({ permission }: Route) =>
  permitKey(PERMISSIONS.filter((one) => one !== 'all' && one !== permission));

const permitKey = (permissions: readonly string[]) =>
  database.sql`update api_key set permissions = ${permissions} where id = ${world.weakKey.id}`;

/** Returns the callers that see an asset by id against the expectation. */
async function seenOtherwise(): Promise<string[]> {
  const route = ROUTES.find(({ name }) => name === 'GET /assets/:id')!;
  const found: string[] = [];
  for (const caller of CALLERS.filter((caller) => caller !== 'nobody' && caller !== 'keyWithout')) {
    for (const state of ASSET_STATES) {
      const { status } = await ask(route, { rule: 'see', target: 'asset' }, { caller, state });
      const isSeen = status < 300;
      if (isSeen !== listViewers('asset', state).includes(caller)) {
        found.push(`afterwards ${caller} ${isSeen ? 'sees' : 'no longer sees'} ${state}`);
      }
    }
  }
  return found;
}

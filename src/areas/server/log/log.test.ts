import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { rememberLine } from '../../../core/recent-log.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const read = async (query = '', as = admin) => call(app, `GET /admin/log${query}`, { as });

test('lists the lines after the one that is known, and all of another run', async () => {
  rememberLine('first', 'info');
  const { run, lines } = (await read()).body;
  expect(lines.at(-1)).toMatchObject({ level: 'info', text: 'first' });
  const { id } = lines.at(-1);
  expect((await read(`?run=${run}&after=${id}`)).body.lines).toEqual([]);
  rememberLine('second', 'error');
  const later = (await read(`?run=${run}&after=${id}`)).body.lines;
  expect(later).toEqual([
    { id: id + 1, level: 'error', text: 'second', time: expect.stringMatching(/Z$/) },
  ]);
  const other = crypto.randomUUID();
  expect((await read(`?run=${other}&after=${id + 1}`)).body.lines.length).toBeGreaterThan(1);
});

test('is for administrators, and keys with the permission', async () => {
  const user = await seed(database).user();
  const weak = await seed(database).user(['server.about'], { isAdmin: true });
  for (const as of [user, weak]) expect((await read('', as)).status).toBe(403);
  expect((await call(app, 'GET /admin/log')).status).toBe(401);
  expect((await read('?after=-1')).status).toBe(400);
});

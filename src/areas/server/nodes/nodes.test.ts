import { expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed } from '../../../../test/support/harness.ts';
import { NODE_ID } from '../../../jobs/node-id.ts';
import { startNode } from '../../../nodes/node.ts';
import { until } from '../../../../test/support/until.ts';

const { database, app } = await useApp();

test('lists the nodes, for administrators and keys with the permission', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const databaseUrl = database.deps.settings.databaseUrl!;
  const node = startNode({ deps: database.deps, databaseUrl, role: 'server', address: 'http://a' });
  await until(async () => (await call(app, 'GET /admin/nodes', { as: admin })).body[0]?.isLeader);
  const { body } = await call(app, 'GET /admin/nodes', { as: admin });
  expect(body).toMatchObject([
    { id: NODE_ID, state: 'ready', address: 'http://a', isAnswering: true, runningJobs: 0 },
  ]);
  await node.stop();
  const user = await seed(database).user();
  const weak = await seed(database).user(['server.about'], { isAdmin: true });
  for (const as of [user, weak]) {
    expect((await call(app, 'GET /admin/nodes', { as })).status).toBe(403);
  }
  expect((await call(app, 'GET /admin/nodes')).status).toBe(401);
});

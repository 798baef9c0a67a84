import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import type { App } from '../../app.ts';

// Pages of other clients do not open without an answer to these.

let database: TestDatabase;
let app: App;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());

const lists = [
  [
    '/notifications',
    'notification.read',
    ['unread=true', 'level=info&type=Custom', `id=${crypto.randomUUID()}`],
    ['unread=yes', 'level=loud', 'type=x', 'id=1'],
  ],
  [
    '/memories',
    'memory.read',
    [
      'for=2026-11-20',
      'for=2026-11-20T00:00:00.000Z',
      'isSaved=true&isTrashed=false&isHidden=false&isUpcoming=true',
      'order=random&size=5&page=2&type=on_this_day',
    ],
    ['for=yesterday', 'for=2026-02-30', 'order=up', 'size=0', 'page=0', 'type=x', 'isSaved=1'],
  ],
] as const;
for (const [path, permission, accepted, refused] of lists) {
  test(`GET ${path} is an empty list with every filter, and refuses what is none`, async () => {
    const me = await seed(database).user([permission]);
    for (const query of ['', ...accepted]) {
      const reply = await call(app, `GET ${path}?${query}`, { as: me });
      expect([query, reply.status, reply.body]).toEqual([query, 200, []]);
    }
    for (const query of refused) {
      expect([query, (await call(app, `GET ${path}?${query}`, { as: me })).status]).toEqual([
        query,
        400,
      ]);
    }
    expect((await call(app, `GET ${path}`)).status).toBe(401);
    const weak = await seed(database).user(['asset.read']);
    expect((await call(app, `GET ${path}`, { as: weak })).status).toBe(403);
  });
}

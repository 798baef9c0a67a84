import { afterAll, beforeAll, beforeEach } from 'bun:test';
import type { App } from '../../src/app.ts';
import { handleRunArchive } from '../../src/areas/archive-operations/handlers.ts';
import {
  call,
  type Caller,
  type Reply,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from './harness.ts';
import { jobCtx } from './processing.ts';

type Route = Parameters<typeof call>[1];

/** Opens a library per test file and creates a user with items to archive for each test. */
export function useArchiveLibrary() {
  let database: TestDatabase;
  let app: App;
  let me: TestUser;
  beforeAll(async () => {
    database = await testDatabase();
    app = testApp(database);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.sql`truncate job, operation cascade`;
    me = await seed(database).user();
  });

  const add = (values: object = {}) => seed(database).asset({ ownerId: me.id, ...values });
  const post = (path: string, body: object = {}, who: Caller = { as: me }, on: App = app) =>
    call(on, `POST /archive-operations${path}` as Route, { ...who, body });
  return {
    get database() {
      return database;
    },
    get app() {
      return app;
    },
    get me() {
      return me;
    },
    add,
    several: async (count: number, values: object = {}): Promise<string[]> => {
      const ids: string[] = [];
      for (let n = 0; n < count; n++) ids.push(await add(values));
      return ids;
    },
    post,
    get: (id: string, who: Caller = { as: me }): Promise<Reply> =>
      call(app, `GET /archive-operations/${id}`, who),
    prepare: async () => (await post('/prepare')).body,
    create: async (assetIds: readonly string[]) => (await post('', { assetIds })).body,
    undo: (id: string, body: object = {}) => post(`/${id}/undo`, body),
    /** Runs the waiting jobs. */
    work: async (): Promise<void> => {
      const jobs = await database.sql<{ payload: { operationId: string } }[]>`
        delete from job where name = 'archiveOperations.run' returning payload`;
      for (const { payload } of jobs) await handleRunArchive(jobCtx(database), payload);
    },
    waiting: async () => (await database.sql`select 1 from job`).length,
    /** A letter per item: timeline, archive, trash, deleted. */
    states: async (ids: readonly string[]): Promise<string> => {
      const rows = await database.sql<{ id: string; state: string }[]>`
        select id, case when trashed_at is not null then 't' when visibility = 'archive' then 'A'
          else 'T' end as state from asset where id = any(${ids as string[]})`;
      const byId = new Map(rows.map((row) => [row.id, row.state]));
      return ids.map((id) => byId.get(id) ?? '-').join('');
    },
  };
}

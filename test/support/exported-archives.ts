import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { handleExportArchive } from '../../src/areas/memories/exports/archive.handlers.ts';
import type { App } from '../../src/app.ts';
import {
  call,
  type Caller,
  seed,
  send,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from './harness.ts';
import { addMemory } from './memories.ts';
import { addFile, jobCtx } from './processing.ts';

/** A library per file, and for each test an account with a memory of two photos and no exports. */
export function createArchiveExportTests() {
  const library = {} as {
    database: TestDatabase;
    app: App;
    me: TestUser;
    photo: string;
    /** The memory that `create` exports. */
    memory: string;
  };
  beforeAll(async () => {
    library.database = await testDatabase();
    library.app = testApp(library.database);
  });
  afterAll(() => library.database.close());
  beforeEach(async () => {
    const { database } = library;
    rmSync(database.deps.paths.exports, { recursive: true, force: true });
    library.me = await seed(database).user();
    library.photo = await add('a.jpg', 'first');
    const other = await add('a.jpg', 'second');
    await setMemory([library.photo, other], 'Our/trip');
  });

  const add = (name: string, text: string, over: object = {}) => {
    const file = { name, bytes: Buffer.from(text) };
    return addFile(library.database, file, { ownerId: library.me.id, ...over });
  };
  const setMemory = async (assetIds: readonly string[], name = 'x'): Promise<void> => {
    const values = { ownerId: library.me.id, type: 'custom', name } as const;
    library.memory = await addMemory(library.database, values, assetIds);
  };
  const create = (
    body: object | undefined = { kind: 'archive' },
    caller: Caller = { as: library.me },
  ) => call(library.app, `POST /memories/${library.memory}/exports`, { ...caller, body });
  /** Runs the job of an archive to its end, as the queue does. */
  const run = async (exportId: string): Promise<void> => {
    const effect = await handleExportArchive(jobCtx(library.database), { operationId: exportId });
    const after = await library.database.db.transaction(async (tx) => effect?.(tx));
    await after?.();
  };
  return Object.assign(library, {
    add,
    setMemory,
    create,
    run,
    complete: async (): Promise<string> => {
      const { body } = await create();
      await run(body.id);
      return body.id;
    },
    get: async (id: string) =>
      (await call(library.app, `GET /memories/exports/${id}`, { as: library.me })).body,
    download: (id: string, caller: Caller = { as: library.me }) =>
      send(library.app, `GET /memories/exports/${id}/download`, caller),
    listFiles: () => {
      const { exports } = library.database.deps.paths;
      return existsSync(exports) ? readdirSync(exports) : [];
    },
  });
}

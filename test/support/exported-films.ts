import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFilmHandler } from '../../src/areas/memories/exports/film.handlers.ts';
import type { App } from '../../src/app.ts';
import { derivedName } from '../../src/core/paths.ts';
import type { JobCtx } from '../../src/jobs/define.ts';
import { call, seed, testApp, type TestDatabase, testDatabase, type TestUser } from './harness.ts';
import { addMemory } from './memories.ts';
import { addFile, jobCtx } from './processing.ts';

/** Films of this size are made by the same code in a tenth of the time. */
export const SMALL = { width: 160, height: 90 };
const SMALL_SCALE = SMALL.width / 1920;

/** Runs ffmpeg to its end. Returns what it said. */
export function ffmpeg(...words: string[]): string {
  const { exitCode, stderr } = Bun.spawnSync(['ffmpeg', '-nostdin', '-y', '-v', 'info', ...words]);
  expect(stderr.toString().slice(exitCode === 0 ? Infinity : -500)).toBe('');
  return stderr.toString();
}

/** Adds an asset with a preview, as the server renders it, from files. */
export async function addWithPreview(
  database: TestDatabase,
  { file, preview = file }: { readonly file: string; readonly preview?: string },
  over: { readonly ownerId: string } & object,
): Promise<string> {
  const made = await Bun.file(file).bytes();
  const bytes = Buffer.concat([made, crypto.getRandomValues(new Uint8Array(8))]);
  const id = await addFile(database, { name: file.split('/').at(-1)!, bytes }, over);
  const ending = preview.endsWith('.webp') ? 'webp' : 'jpg';
  const stored = derivedName(id, 'preview', ending);
  const path = join(database.deps.paths.derived, stored);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, await Bun.file(preview).bytes());
  await database.sql`
    insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    values (${id}, 'preview', ${stored}, 'image/jpeg', 1, 'tag')`;
  return id;
}

/** A library per file with a folder for media, and for each test an account of its own. */
export function createFilmExportTests(makeMedia: (folder: string) => Promise<void> | void) {
  let database: TestDatabase;
  let app: App;
  let me: TestUser;
  let media: string;
  beforeAll(async () => {
    database = await testDatabase();
    app = testApp(database);
    media = mkdtempSync(join(tmpdir(), 'safelight-film-'));
    await makeMedia(media);
  }, 300_000);
  afterAll(async () => {
    rmSync(media, { recursive: true });
    await database.close();
  });
  beforeEach(async () => {
    rmSync(database.deps.paths.exports, { recursive: true, force: true });
    me = await seed(database).user();
  });
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
    /** Adds a file of the folder. */
    add: (name: string, preview = name, over: object = {}) =>
      addWithPreview(
        database,
        { file: join(media, name), preview: join(media, preview) },
        { ownerId: me.id, ...over },
      ),
    queue: async (
      assetIds: readonly string[],
      name = 'A day: at the sea, 100%',
      options: object = {},
    ): Promise<string> => {
      const memory = await addMemory(database, { ownerId: me.id, type: 'custom', name }, assetIds);
      const order = { as: me, body: options };
      const { status, body } = await call(app, `POST /memories/${memory}/exports`, order);
      expect(status).toBe(201);
      return body.id;
    },
    /** Runs the job to its end, as the queue does. */
    run: async (
      exportId: string,
      over: Partial<JobCtx> = {},
      scale = SMALL_SCALE,
    ): Promise<void> => {
      const effect = await createFilmHandler(scale)(jobCtx(database, over), {
        operationId: exportId,
      });
      const after = await database.db.transaction(async (tx) => effect?.(tx));
      await after?.();
    },
    get: async (id: string) => (await call(app, `GET /memories/exports/${id}`, { as: me })).body,
    listFiles: () =>
      existsSync(database.deps.paths.exports) ? readdirSync(database.deps.paths.exports) : [],
    getFilmPath: (id: string) => join(database.deps.paths.exports, `${id}.mp4`),
    getMediaPath: (name: string) => join(media, name),
  };
}

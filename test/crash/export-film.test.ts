import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { App } from '../../src/app.ts';
import { getWorkFolder } from '../../src/areas/memories/exports/export-files.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { makeClip } from '../fixtures/clips.ts';
import { addWithPreview } from '../support/exported-films.ts';
import {
  call,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../support/harness.ts';
import { addMemory } from '../support/memories.ts';
import { until } from '../support/until.ts';
import { bundle } from './bundle.ts';

let database: TestDatabase;
let app: App;
let folder: string;
let me: TestUser;
let script: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'export-child.ts'));
  database = await testDatabase();
  app = testApp(database, { now: () => new Date() });
  folder = mkdtempSync(join(tmpdir(), 'safelight-film-'));
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=1200x900', '-frames:v', '1'];
  makeClip(join(folder, 'a.jpg'), picture);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.close();
});
beforeEach(async () => {
  me = await seed(database).user();
});

function startChild(fault = 'none'): Bun.Subprocess {
  const { databaseUrl, dataDir } = database.deps.settings;
  return Bun.spawn([process.execPath, script, databaseUrl!, dataDir, fault], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
}

/** Queues a film of two pictures. Returns the id of its run. */
async function queueFilm(): Promise<string> {
  const add = () => addWithPreview(database, { file: join(folder, 'a.jpg') }, { ownerId: me.id });
  const memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'x' }, [
    await add(),
    await add(),
  ]);
  const { body } = await call(app, `POST /memories/${memory}/exports`, { as: me });
  return body.id;
}
const get = async (id: string) => (await call(app, `GET /memories/exports/${id}`, { as: me })).body;
const listFiles = (id: string) =>
  readdirSync(database.deps.paths.exports).filter((name) => name.startsWith(id));

/** Runs the film to its end, and checks that only the film is left. */
async function finish(id: string): Promise<void> {
  expect(await startChild().exited).toBe(0);
  expect(await get(id)).toMatchObject({ status: 'completed', total: 2, processed: 2, skipped: 0 });
  expect(listFiles(id)).toEqual([`${id}.mp4`]);
  const notices = await database.sql`select 1 from notification where owner_id = ${me.id}`;
  expect(notices).toHaveLength(1);
}

// export.test.ts kills the run of an archive at its start.
test.each(FAULT_POINTS.export.filter((point) => point !== 'export.started'))(
  'a film killed at %s is complete after the next start, and nothing else is left',
  async (point) => {
    const id = await queueFilm();
    expect(await startChild(point).exited).not.toBe(0);
    expect((await get(id)).status).toBe('running');
    await finish(id);
  },
  600_000,
);

/** Stops a process while ffmpeg makes the second part of a film. Returns the processes that it had. */
async function stopDuringFfmpeg(id: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<number[]> {
  const child = startChild();
  let children: number[] = [];
  await until(() => {
    children = listProcessTree(child.pid).slice(1);
    const parts = listWork(id);
    return children.length > 0 && parts.includes('part-000000.mp4') && parts.some(isPartial);
  }, 300_000);
  child.kill(signal);
  await child.exited;
  return children;
}
const listWork = (id: string): string[] => {
  try {
    const folder = join(getWorkFolder(database.deps.paths, id), 'film');
    return readdirSync(folder, { recursive: true }).map((path) => basename(String(path)));
  } catch {
    return [];
  }
};
const isPartial = (name: string) => name.endsWith('.part');
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('ffmpeg ends with a killed process, and the film is completed', async () => {
  const id = await queueFilm();
  const children = await stopDuringFfmpeg(id, 'SIGKILL');
  await until(() => !children.some(isAlive));
  expect((await get(id)).status).toBe('running');
  await finish(id);
}, 600_000);

test('a process that is told to stop ends ffmpeg and gives the film back at once', async () => {
  const id = await queueFilm();
  const children = await stopDuringFfmpeg(id, 'SIGTERM');
  expect(children.filter(isAlive)).toEqual([]);
  const [job] = await database.sql`
    select state, failures from job where name = 'memories.exportFilm' and unique_key = ${id}`;
  expect({ ...job }).toEqual({ state: 'waiting', failures: 0 });
  expect((await get(id)).status).toBe('running');
  expect((await call(app, `POST /memories/exports/${id}/cancel`, { as: me })).status).toBe(200);
  expect(await startChild().exited).toBe(0);
  expect((await get(id)).status).toBe('cancelled');
  expect(listFiles(id)).toEqual([]);
}, 600_000);

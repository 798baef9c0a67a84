import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getWorkFolder } from '../../src/areas/studio/exports/files.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { openStudio, type Studio } from '../support/studio.ts';
import { until } from '../support/until.ts';
import { bundle } from './bundle.ts';

let studio: Studio;
let me: TestUser;
let script: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'export-child.ts'));
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  me = await seed(studio.database).user(['all']);
});

function startChild(fault = 'none'): Bun.Subprocess {
  const { databaseUrl, dataDir } = studio.database.deps.settings;
  return Bun.spawn([process.execPath, script, databaseUrl!, dataDir, fault], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
}

/** Queues a film of a minute, in several parts. Returns the id of the export. */
async function queueFilm(destination: 'download' | 'library'): Promise<string> {
  const project = await studio.makeProject(me, [await studio.add(me, 'short.mp4')]);
  const body = { revision: 1, destination, height: 16 };
  const route = `POST /studio/projects/${project.id}/exports` as const;
  return (await call(studio.app, route, { as: me, body })).body.id;
}
const get = async (id: string) =>
  (await call(studio.app, `GET /studio/exports/${id}`, { as: me })).body;
const getFolder = (id: string) => join(getWorkFolder(studio.database.deps.paths, id), '..');
const countVideos = async (): Promise<number> =>
  (await studio.database.sql`select from asset where owner_id = ${me.id}`).length;

/** Runs the export to its end, and checks that it has ended once and only the film is left. */
async function finish(id: string, destination: string): Promise<void> {
  expect(await startChild().exited).toBe(0);
  expect(await get(id)).toMatchObject({ state: 'ready', progress: 1 });
  const isSaved = destination === 'library';
  expect(await countVideos()).toBe(isSaved ? 2 : 1);
  expect(existsSync(getFolder(id)) ? readdirSync(getFolder(id)) : []).toEqual(
    isSaved ? [] : ['film.mp4'],
  );
}

const DESTINATIONS = ['download', 'library'] as const;
const CASES = [
  // The export of a project has no such point.
  ...FAULT_POINTS.export
    .filter((point) => point !== 'export.started')
    .flatMap((point) => DESTINATIONS.map((destination) => [point, destination] as const)),
  ['asset.committed', 'library'] as const,
];

test.each(CASES)('killed at %s, the film for %s is made once', async (point, destination) => {
  const id = await queueFilm(destination);
  expect(await startChild(point).exited).not.toBe(0);
  const isCommitted = point === 'asset.committed';
  expect((await get(id)).state).toBe(isCommitted ? 'ready' : 'rendering');
  expect(await countVideos()).toBe(isCommitted ? 2 : 1);
  await finish(id, destination);
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('ffmpeg ends with a killed process, and when it is killed itself it is started again', async () => {
  const id = await queueFilm('download');
  const child = startChild();
  let children: number[] = [];
  const hasChildren = () => {
    children = listProcessTree(child.pid).slice(1);
    return children.length > 0;
  };
  await until(hasChildren, 300_000);
  for (const pid of children) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await until(() => children.every((pid) => !isAlive(pid)) && hasChildren(), 300_000);
  child.kill('SIGKILL');
  await child.exited;
  await until(() => !children.some(isAlive), 300_000);
  expect((await get(id)).state).toBe('rendering');
  await finish(id, 'download');
});

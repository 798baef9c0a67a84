import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findVideoSubject } from '../../src/areas/enrichment/video.store.ts';
import type { App } from '../../src/app.ts';
import { handlePickFrames } from '../../src/areas/enrichment/frames/pick.handlers.ts';
import * as store from '../../src/areas/enrichment/store.ts';
import { derivedName } from '../../src/core/paths.ts';
import { saveEmbeddings, getVectorIndex } from '../../src/inference/index.ts';
import type { Effect } from '../../src/jobs/define.ts';
import { makeClip } from '../fixtures/clips.ts';
import {
  call,
  NOW,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from './harness.ts';
import { type Household, seedHousehold } from './household.ts';
import { addFile, derivedPath, jobCtx } from './processing.ts';

type FrameDescription = { caption: string | null; vector?: readonly number[] };

/** Three scenes of two seconds. */
function makeFilm(path: string): void {
  const scenes = ['mandelbrot', 'testsrc', 'rgbtestsrc'];
  const inputs = scenes.flatMap((scene) => {
    return ['-f', 'lavfi', '-t', '2', '-i', `${scene}=size=320x180:rate=10`];
  });
  const joined = ['-filter_complex', '[0][1][2]concat=n=3:v=1:a=0,format=yuv420p'];
  makeClip(path, [...inputs, ...joined, '-c:v', 'libx264']);
}

/** Returns the film as a file that no asset has. */
async function readNewFilm(path: string) {
  // Behind its end a file may have anything: so it is another one each time.
  const bytes = Buffer.concat([await Bun.file(path).bytes(), randomBytes(8)]);
  return { name: 'film.mp4', bytes };
}

/** Does what a job does, in its transaction. */
export async function runEffect(
  database: TestDatabase,
  work: Promise<Effect | void>,
): Promise<void> {
  const effect = await work;
  if (!effect) return;
  const after = await database.db.transaction((tx) => effect(tx));
  await after?.();
}

/** As the models would have left it. */
async function describeAs(
  database: TestDatabase,
  assetId: string,
  told: readonly FrameDescription[],
  model: string,
): Promise<void> {
  const frames = await listFramesByTime(database, assetId);
  const { revision: source } = (await findVideoSubject(database.db, assetId))!;
  const moments = frames.map((frame, at) => ({
    id: Bun.randomUUIDv7(),
    assetId,
    kind: 'generated' as const,
    startMs: frame.startMs,
    endMs: frame.endMs,
    title: null,
    caption: told[at]?.caption ?? null,
    transcript: null,
    frameId: frame.id,
    source,
    models: model,
    createdAt: NOW,
    updatedAt: NOW,
  }));
  const described = { source, models: model, vectorModel: model, now: NOW };
  await store.replaceGenerated(database.db, assetId, described, moments);
  const vectors = frames.flatMap(({ id }, at) => {
    const vector = told[at]?.vector;
    return vector
      ? [{ kind: 'frame' as const, subjectId: id, vector: Float32Array.from(vector) }]
      : [];
  });
  await database.db.transaction((tx) => saveEmbeddings(tx, model, vectors));
  if (vectors.length > 0) await getVectorIndex(database.deps).refresh(model);
}

/** Gives a film the frames of another one with the same scenes, as if they had been picked. */
export async function copyFrames(database: TestDatabase, from: string, to: string): Promise<void> {
  const { revision } = (await findVideoSubject(database.db, to))!;
  const frames = await store.listFrames(database.db, from);
  const copies = frames.map(async (frame) => {
    const name = derivedName(to, `frame-${frame.atMs}`, 'jpg');
    await mkdir(dirname(derivedPath(database, name)), { recursive: true });
    await copyFile(derivedPath(database, frame.name), derivedPath(database, name));
    return { ...frame, id: Bun.randomUUIDv7(), assetId: to, source: revision, name };
  });
  await store.replaceFrames(database.db, to, revision, await Promise.all(copies));
}

/** As they come in the film. */
const listFramesByTime = async ({ db }: TestDatabase, assetId: string) =>
  (await store.listFrames(db, assetId)).toSorted((a, b) => a.atMs - b.atMs);

/** A library per file with a film to add, and for each test an account of its own. */
export function createFilmTests() {
  let database: TestDatabase;
  let app: App;
  let folder: string;
  let me: TestUser;
  let house: Household;
  beforeAll(async () => {
    database = await testDatabase();
    app = testApp(database);
    folder = await mkdtemp(join(tmpdir(), 'safelight-scenes-'));
    makeFilm(join(folder, 'film.mp4'));
    house = await seedHousehold(database);
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await database.sql`truncate job`;
    me = await seed(database).user();
  });

  const run = (work: Promise<Effect | void>) => runEffect(database, work);
  const pick = (assetId: string, force = false) =>
    run(handlePickFrames(jobCtx(database), { assetId, ...(force && { force }) }));
  const addUnpicked = async (owner: TestUser, over: object) =>
    addFile(database, await readNewFilm(join(folder, 'film.mp4')), {
      ownerId: owner.id,
      durationMs: 6000,
      ...over,
    });
  const addFilm = async (owner: TestUser, over: object = {}): Promise<string> => {
    const id = await addUnpicked(owner, over);
    await pick(id);
    return id;
  };
  let picked: Promise<string> | undefined;
  const requestMoments = (id: string, as: TestUser) =>
    call(app, `GET /enrichment/videos/${id}/moments`, { as });
  return {
    get database() {
      return database;
    },
    get app() {
      return app;
    },
    get film() {
      return join(folder, 'film.mp4');
    },
    get me() {
      return me;
    },
    get house() {
      return house;
    },
    run,
    pick,
    /** Adds a film of `owner` and picks its frames. */
    addFilm,
    /** Adds a film of `owner` whose frames are copies of those that were picked for another one. */
    addPickedFilm: async (owner: TestUser, over: object = {}): Promise<string> => {
      picked ??= seed(database).user().then(addFilm);
      const id = await addUnpicked(owner, over);
      await copyFrames(database, await picked, id);
      return id;
    },
    describeAs: (assetId: string, told: readonly FrameDescription[], model = 'tiny') =>
      describeAs(database, assetId, told, model),
    listFrames: (assetId: string) => listFramesByTime(database, assetId),
    requestMoments,
    getMoments: async (id: string, as = me) => (await requestMoments(id, as)).body,
    mark: (id: string, body: object, as = me) =>
      call(app, `POST /enrichment/videos/${id}/moments`, { as, body }),
    search: (body: object, as = me) => call(app, 'POST /enrichment/moments/search', { as, body }),
  };
}

import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import {
  call,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
} from '../../../../test/support/harness.ts';
import { withModels } from '../../../../test/support/models.ts';
import { addFile, jobCtx } from '../../../../test/support/processing.ts';
import { MEDIA, skipWithout } from '../../../../test/support/requirements.ts';
import { closeInference } from '../../../inference/client.ts';
import { getVectorIndex } from '../../../inference/index.ts';
import type { Effect } from '../../../jobs/define.ts';
import { handleDescribeFrames } from './describe.handlers.ts';
import { listFrameModels } from './frame-models.ts';
import { handlePickFrames } from './pick.handlers.ts';
import { handleWatchVideos } from '../watch.handlers.ts';

setDefaultTimeout(300_000);

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'safelight-moments-'));
});
afterAll(async () => {
  await closeInference();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Two seconds of each photo. */
function makeFilm(photos: readonly string[]): string {
  const inputs = photos.flatMap((photo) => ['-loop', '1', '-t', '2', '-r', '10', '-i', photo]);
  const scaled = photos.map((_, at) => `[${at}]scale=640:480,setsar=1[v${at}]`);
  const joined = `${photos.map((_, at) => `[v${at}]`).join('')}concat=n=${photos.length}:v=1:a=0`;
  const filter = [...scaled, `${joined},format=yuv420p`].join(';');
  const args = [...inputs, '-filter_complex', filter, '-c:v', 'libx264'];
  return makeClip(join(folder, 'film.mp4'), args);
}

async function run(work: Promise<Effect | void>): Promise<void> {
  const effect = await work;
  const after = effect && (await database.db.transaction((tx) => effect(tx)));
  await after?.();
}

skipWithout('models', 'media').test(
  'EP-033: finds real scenes by meaning, and describes waiting videos once models are installed',
  async () => {
    const me = await seed(database).user();
    const photos = ['prairie_falcon', 'tanners_ridge', 'cyclamen_persicum'];
    const film = makeFilm(photos.map((name) => join(MEDIA!, `nature/${name}.jpg`)));
    const id = await addFile(database, film, { ownerId: me.id, durationMs: 6000 });
    await run(handlePickFrames(jobCtx(database), { assetId: id }));
    await run(handleDescribeFrames(jobCtx(database), { assetId: id }));

    const settings = withModels(database.deps.settings.dataDir, {
      databaseUrl: database.deps.settings.databaseUrl,
    });
    const app = testApp(database, { settings });
    const view = async () =>
      (await call(app, `GET /enrichment/videos/${id}/moments`, { as: me })).body;
    expect((await view()).status).toBe('unavailable');
    const ctx = () => jobCtx(database, { settings });
    await database.sql`truncate job`;
    await run(handleWatchVideos(ctx(), {}) as Promise<Effect | void>);
    const [job] = await database.sql`select name, payload from job`;
    expect(job!['name']).toBe('enrichment.describeFrames');
    await run(handleDescribeFrames(ctx(), job!['payload'] as { assetId: string }));

    const ready = await view();
    expect(ready).toMatchObject({ status: 'ready', isOutdated: false });
    expect(ready.source.models).toEqual([...listFrameModels(settings)]);
    expect(ready.moments).toHaveLength(3);
    expect(ready.moments.map((moment: { startMs: number }) => moment.startMs)).toEqual([
      0, 2000, 4000,
    ]);
    await getVectorIndex(database.deps).refresh('conse-1');
    const search = async (query: string) =>
      (await call(app, 'POST /enrichment/moments/search', { as: me, body: { query } })).body.items;
    const [bird] = await search('eagle');
    expect(bird.matchedBy).toContain('meaning');
    expect(bird.momentId).toBe(ready.moments[0].id);
    const [mountain] = await search('mountain landscape');
    expect(mountain.momentId).toBe(ready.moments[1].id);
    // Something is always the nearest: that alone is no answer.
    for (const nonsense of ['asdfghjkl', 'blorptastic', 'qwertz', 'xkcdfoo', 'invoice tax']) {
      expect([nonsense, await search(nonsense)]).toEqual([nonsense, []]);
    }
    await run(handleWatchVideos(ctx(), {}) as Promise<Effect | void>);
    expect(
      await database.sql`select 1 from job where state = 'waiting' and name like 'enrichment%'`,
    ).toHaveLength(1);
  },
);

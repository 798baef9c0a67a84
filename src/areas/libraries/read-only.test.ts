import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { quarters } from '../../../test/fixtures/index.ts';
import {
  call,
  seed,
  send,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../test/support/harness.ts';
import { addLibrary, makeFolder, runLibraryJobs, scan } from '../../../test/support/libraries.ts';
import { mountReadOnly, unmount } from '../../../test/support/mounts.ts';
import { createStill, createVideo } from '../../../test/support/live-photos.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import type { Effect } from '../../jobs/define.ts';
import { handleReadMetadata } from '../assets/exif/exif.handlers.ts';
import { handleRenderImage } from '../assets/processing/thumbnails.handlers.ts';
import { handleRemoveFiles } from '../trash/removal/removal.handlers.ts';

setDefaultTimeout(300_000);

const source = await makeFolder();
const folder = await makeFolder();

let database: TestDatabase;
let app: App;
let admin: TestUser;
let me: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
  me = await seed(database).user();
});
afterAll(async () => {
  unmount(folder);
  await database.close();
  await rm(source, { recursive: true });
});

const run = async (work: Promise<Effect | void>): Promise<void> => {
  const effect = await work;
  if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
};

/** Names, sizes, times, permissions and digests of all files; a failing `find` or `sha256sum` throws. */
const describeFiles = async () =>
  (await Bun.$`cd ${source} && find . -printf '%p %s %T@ %C@ %m %i\n' | sort`.text()) +
  (await Bun.$`cd ${source} && find . -type f -print0 | sort -z | xargs -0 sha256sum`.text());

async function writeExport(): Promise<void> {
  const takeout = { photoTakenTime: { timestamp: '1500000000' }, description: 'Takeout' };
  await mkdir(join(source, 'trip'));
  for (const [name, content] of Object.entries({
    'trip/a.jpg': await quarters(64, 48).jpeg().toBuffer(),
    'trip/a.jpg.xmp': '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>',
    'b.jpg': await quarters(48, 64).jpeg().toBuffer(),
    'b.jpg.json': JSON.stringify(takeout),
    'live.jpg': await createStill(),
    'live.mov': await createVideo(database.deps.paths.root),
    'empty.jpg': '',
  })) {
    await writeFile(join(source, name), content);
  }
}

skipWithout('read-only mounts').test(
  'nothing is written to a read-only folder, and all works',
  async () => {
    await writeExport();
    mountReadOnly(source, folder);
    await expect(writeFile(join(folder, 'x'), 'x')).rejects.toThrow('EROFS');
    const before = await describeFiles();
    const id = await addLibrary(app, admin, me.id, [folder]);
    await scan(database, app, admin, id);
    const items = await database.sql<{ id: string; type: string; file_name: string }[]>`
    select id, type, file_name from asset where library_id = ${id} order by file_name`;
    expect(items.map((item) => item.file_name)).toEqual(['a.jpg', 'b.jpg', 'live.jpg', 'live.mov']);
    for (const item of items) {
      await run(handleReadMetadata(jobCtx(database), { assetId: item.id }));
      if (item.type === 'IMAGE')
        await run(handleRenderImage(jobCtx(database), { assetId: item.id }));
    }
    const [a, b] = [items[0]!, items[1]!];
    const body = { description: 'mine', rating: 3, latitude: 48, longitude: 2 };
    expect((await call(app, `PUT /assets/${a.id}`, { as: me, body })).status).toBe(200);
    const edits = [{ action: 'rotate', parameters: { angle: 90 } }];
    const edited = await call(app, `PUT /assets/${a.id}/edits`, { as: me, body: { edits } });
    expect(edited.status).toBe(200);
    for (const file of ['original', 'thumbnail']) {
      const answer = await send(app, `GET /assets/${a.id}/${file}`, { as: me });
      expect(answer.status).toBe(200);
      await answer.bytes();
    }
    const removed = await call(app, 'DELETE /assets', {
      as: me,
      body: { ids: [b.id], force: true },
    });
    expect(removed.status).toBe(204);
    await handleRemoveFiles(jobCtx(database), {});
    await scan(database, app, admin, id);
    expect((await call(app, `DELETE /libraries/${id}`, { as: admin })).status).toBe(204);
    await runLibraryJobs(database);
    await handleRemoveFiles(jobCtx(database), {});
    expect(await database.sql`select from asset where library_id = ${id}`).toHaveLength(0);
    expect(await describeFiles()).toBe(before);
  },
);

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { seed, type TestDatabase, testDatabase } from '../../../../test/support/harness.ts';
import { drainLane } from '../../../../test/support/processing.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { enqueueDueJobs, updateSchedule } from '../../../jobs/schedule.ts';
import { rereadMisjudged } from '../jobs.ts';
import { handleRereadMisjudged } from './misjudged.handlers.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate job, schedule`;
  await database.sql`delete from tag_asset`;
  await database.sql`delete from asset`;
});

/** As a server does that starts. */
async function startServer(): Promise<void> {
  await updateSchedule(database.db, [rereadMisjudged], {});
  await enqueueDueJobs(database.db, [rereadMisjudged], {});
  await drainLane(database, 'background', {
    'assets.rereadMisjudged': handleRereadMisjudged,
  } as HandlersByLane<'background'>);
}

test('what an earlier version gave up because of the machine is read again once, and nothing else', async () => {
  const { id: ownerId } = await seed(database).user();
  const read = { ownerId, metadataReadAt: new Date(), thumbhash: new Uint8Array([1]) };
  const exif = { dateSource: 'FileModified' as const };
  const ids: Record<string, string> = {
    unread: await seed(database).asset({ ...read }),
    new: await seed(database).asset({ ownerId }),
    bare: await seed(database).asset({ ...read, exif }),
  };
  const reasons = {
    unexecuted: 'broken: heif-convert: exit 126',
    unlaunched: 'interrupted: ffmpeg could not be started for this file',
    unopened: 'broken: exiftool could not open the file',
    unloaded: 'broken: ffprobe: error while loading shared libraries: libx.so.1',
    slow: 'timeout: ffmpeg took too long',
    truncated: 'broken: Premature end of JPEG file',
    large: 'too-large: The picture has 100000 × 100000 pixels',
    other: 'broken: heif-convert: exit 1270',
  };
  for (const [name, brokenReason] of Object.entries(reasons)) {
    ids[name] = await seed(database).asset({ ...read, exif, brokenReason, thumbhash: null });
  }
  const video = { ...read, exif, type: 'VIDEO' as const, brokenReason: 'interrupted: crashed' };
  ids['video'] = await seed(database).asset(video);
  ids['sound'] = await seed(database).asset({ ...video, type: 'AUDIO' });

  await startServer();
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const rows = await database.sql<{ name: string; id: string }[]>`
    select split_part(name, '.', 2) as name, payload ->> 'assetId' as id from job`;
  const found: Record<string, string[]> = {};
  for (const { name, id } of rows) (found[name] ??= []).push(names.get(id) ?? id);
  for (const list of Object.values(found)) list.sort((a, b) => a.localeCompare(b));
  expect(found).toEqual({
    readMetadata: ['sound', 'unread'],
    renderImage: ['slow', 'unexecuted', 'unlaunched', 'unloaded', 'unopened'],
    renderVideo: ['sound', 'video'],
  });

  await database.sql`truncate job`;
  await startServer();
  expect([...(await database.sql`select name from job`)]).toEqual([]);
});

test('what an earlier version may have misread is read again', async () => {
  const { id: ownerId } = await seed(database).user();
  const add = (description: string) =>
    seed(database).asset({
      ownerId,
      metadataReadAt: new Date(),
      exif: { dateSource: 'FileModified', description },
    });
  const ids: Record<string, string> = {
    garbled: await add('Carrer de SepÃºlveda'),
    lost: await add('B?b? ? la plage'),
    tagged: await add(''),
    beside: await add(''),
    right: await add('Bébé à la plage, AÑO Ärger'),
  };
  await database.sql`insert into tag (owner_id, value) values (${ownerId}, 'KÃ¶ln'), (${ownerId}, 'Köln')`;
  await database.sql`insert into tag_asset (tag_id, asset_id)
    select id, ${ids['tagged']!}::uuid from tag where value = 'KÃ¶ln'
    union all select id, ${ids['right']!}::uuid from tag where value = 'Köln'`;
  await database.sql`insert into asset_file values
    (${ids['beside']!}, 'sidecar', 'x.xmp', 'application/xml', 1, 't')`;
  await startServer();
  const rows = await database.sql`
    select payload ->> 'assetId' as id from job where name = 'assets.readMetadata'`;
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  expect(new Set(rows.map(({ id }) => names.get(id)))).toEqual(
    new Set(['beside', 'garbled', 'lost', 'tagged']),
  );
});

test('photos of phones whose clips an earlier version may not have found are read again', async () => {
  const { id: ownerId } = await seed(database).user();
  const add = (make: string, over: object = {}) =>
    seed(database).asset({
      ownerId,
      metadataReadAt: new Date(),
      fileName: 'a.jpg',
      exif: { dateSource: 'FileModified', make },
      ...over,
    });
  const [clip, photo] = [await add('samsung', { type: 'VIDEO' }), await add('samsung')];
  await add('samsung', { liveVideoId: clip });
  await add('samsung', { fileName: 'a.dng' });
  await add('Canon');
  await startServer();
  const rows = await database.sql`
    select payload ->> 'assetId' as id from job where name = 'assets.readMetadata'`;
  expect(rows.map(({ id }) => id)).toEqual([photo]);
});

test('a library of many pages is read to its end', async () => {
  const { id: ownerId } = await seed(database).user();
  await database.sql`
    with file as (
      insert into original (sha256, size)
      select sha256(n::text::bytea), 1 from generate_series(1, 2500) n returning sha256
    )
    insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
      local_taken_at, file_modified_at, metadata_read_at)
    select ${ownerId}, 'IMAGE', sha256, substr(sha256, 1, 20), 'a.jpg', 1, now(), now(), now(), now()
    from file`;
  await startServer();
  const [row] = await database.sql`select count(distinct payload)::int as jobs from job`;
  expect(row!['jobs']).toBe(2500);
});

test('films and sounds without a length are measured once', async () => {
  const { id: ownerId } = await seed(database).user();
  const read = { ownerId, metadataReadAt: new Date(), exif: { dateSource: 'FileName' as const } };
  const add = (over: object) => seed(database).asset({ ...read, ...over });
  const film = await add({ type: 'VIDEO' });
  const sound = await add({ type: 'AUDIO', durationMs: 0 });
  await add({ type: 'VIDEO', durationMs: 3000 });
  await add({ type: 'VIDEO', brokenReason: 'broken: Invalid data' });
  await add({ type: 'IMAGE' });
  await startServer();
  const rows = await database.sql<{ id: string }[]>`
    select payload ->> 'assetId' as id from job where name = 'assets.renderVideo'`;
  expect(rows.map(({ id }) => id).toSorted()).toEqual([film, sound].toSorted());
});

import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { useDatabase } from '../../../../test/support/database.ts';
import { seed } from '../../../../test/support/harness.ts';
import { drainLane } from '../../../../test/support/processing.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { requeueAssets, searchUnprocessed } from '../jobs.ts';
import { handleRequeue, handleSearchUnprocessed } from './requeue.handlers.ts';
import type { RequeueQueue } from './requeue.store.ts';

const database = await useDatabase();
const ids: Record<string, string> = {};
beforeAll(async () => {
  const make = seed(database);
  const { id: ownerId } = await make.user();
  const done = { ownerId, thumbhash: new Uint8Array([1]), metadataReadAt: new Date() };
  ids['done'] = await make.asset(done);
  ids['fresh'] = await make.asset({ ownerId });
  ids['broken'] = await make.asset({
    ownerId,
    brokenReason: 'broken: x',
    metadataReadAt: new Date(),
  });
  ids['unread'] = await make.asset({ ...done, type: 'AUDIO' });
  await database.sql`delete from asset_exif where asset_id = ${ids['unread']!}`;
  ids['trashed'] = await make.asset({ ownerId, trashedAt: new Date() });
  ids['video'] = await make.asset({ ownerId, type: 'VIDEO' });
  ids['encoded'] = await make.asset({ ...done, type: 'VIDEO' });
  ids['sound'] = await make.asset({ ownerId, type: 'AUDIO' });
  for (const [name, kinds] of [
    ['done', ['thumbnail', 'preview']],
    ['encoded', ['thumbnail', 'preview', 'encoded_video']],
  ] as const) {
    for (const kind of kinds) {
      await database.sql`
        insert into asset_file values (${ids[name]!}, ${kind}, 'n', 'image/webp', 1, 't')`;
    }
  }
});
beforeEach(async () => {
  await database.sql`truncate job`;
});

/** Which assets get which job: { 'renderImage': ['fresh'] }. */
async function requeue(queue: RequeueQueue, force: boolean): Promise<Record<string, string[]>> {
  await enqueue(database.db, requeueAssets, { queue, force });
  return drain();
}

async function drain(): Promise<Record<string, string[]>> {
  // No other job of the lane is queued here.
  await drainLane(database, 'background', {
    'assets.requeue': handleRequeue,
    'assets.searchUnprocessed': handleSearchUnprocessed,
  } as HandlersByLane<'background'>);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const jobs = await database.sql<{ name: string; id: string }[]>`
    select split_part(name, '.', 2) as name, payload ->> 'assetId' as id from job`;
  const found: Record<string, string[]> = {};
  for (const job of jobs) (found[job.name] ??= []).push(names.get(job.id) ?? job.id);
  for (const list of Object.values(found)) list.sort((a, b) => a.localeCompare(b));
  return found;
}

const ALL = ['broken', 'done', 'encoded', 'fresh', 'sound', 'trashed', 'unread', 'video'];

test.each<[RequeueQueue, boolean, Record<string, string[]>]>([
  ['metadataExtraction', false, { readMetadata: ['fresh', 'sound', 'trashed', 'unread', 'video'] }],
  ['metadataExtraction', true, { readMetadata: ALL }],
  [
    'thumbnailGeneration',
    false,
    // Broken assets are tried again: an earlier version may have misjudged them.
    { renderImage: ['broken', 'fresh', 'trashed'], renderVideo: ['unread', 'video'] },
  ],
  [
    'thumbnailGeneration',
    true,
    {
      renderImage: ['broken', 'done', 'fresh', 'trashed'],
      renderVideo: ['encoded', 'sound', 'unread', 'video'],
    },
  ],
  ['videoConversion', false, { transcodeVideo: ['sound', 'unread', 'video'] }],
  ['videoConversion', true, { transcodeVideo: ['encoded', 'sound', 'unread', 'video'] }],
])(
  'requeueing %s with force %p enqueues the jobs of the eligible assets',
  async (queue, force, expected) => {
    expect(await requeue(queue, force)).toEqual(expected);
  },
);

test('requeues every asset once, page by page', async () => {
  const { id: ownerId } = await seed(database).user();
  await database.sql`
    with file as (
      insert into original (sha256, size)
      select sha256(n::text::bytea), 1 from generate_series(1, 4500) n returning sha256
    )
    insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
      local_taken_at, file_modified_at)
    select ${ownerId}, 'IMAGE', sha256, substr(sha256, 1, 20), 'a.jpg', 1, now(), now(), now()
    from file`;
  const found = await requeue('metadataExtraction', false);
  expect(found['readMetadata']?.length).toBe(4505);
  expect(new Set(found['readMetadata']).size).toBe(4505);
  await database.sql`delete from asset where owner_id = ${ownerId}`;
});

test('the periodic search finds what nobody has processed, and nothing that is broken', async () => {
  await enqueue(database.db, searchUnprocessed, {});
  const { analyze: _, ...found } = await drain();
  expect(found).toEqual({
    readMetadata: ['fresh', 'sound', 'trashed', 'unread', 'video'],
    renderImage: ['fresh', 'trashed'],
    renderVideo: ['unread', 'video'],
  });
});

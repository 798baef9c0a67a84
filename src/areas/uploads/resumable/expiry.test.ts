import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { NOW } from '../../../../test/support/harness.ts';
import {
  append,
  sendRequest,
  create,
  encode,
  getUploadId,
  INCOMPLETE,
  head,
  METADATA,
  reserve,
  getUploadState,
  formatAppend,
} from '../../../../test/support/resumable.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import { drainLane } from '../../../../test/support/processing.ts';
import { passTimeUntil } from '../../../../test/support/passed-time.ts';
import { openConnection } from '../../../../test/support/wire.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { handleExpireUploads } from './expiry.handlers.ts';
import { expireUploads } from '../jobs.ts';
import { overrideUploadLimits } from './responses.ts';

const place = useUploadServer();
const HOUR = 60 * 60 * 1000;
const later = (hours: number) => new Date(NOW.getTime() + hours * HOUR);
const rows = async () => (await place.database.sql`select id from upload`).length;

/** Runs the job as if it were so many hours later. */
async function tidy(hours: number): Promise<void> {
  await enqueue(place.database.db, expireUploads, {});
  await passTimeUntil(place.database, later(hours));
  const deps = { ...place.database.deps, now: () => later(hours) };
  // Only this job waits; the lane has others that are not needed here.
  const handlers = {
    'uploads.expire': handleExpireUploads,
  } as unknown as HandlersByLane<'background'>;
  await drainLane({ ...place.database, deps }, 'background', handlers);
}

test('an upload reports its expiry, and after a day returns 410, later 404', async () => {
  const file = randomFileBytes(1000);
  const location = await reserve(place.client, file);
  await append(place.client, location, 0, file.subarray(0, 400), { headers: INCOMPLETE });
  const evening = await place.open({ now: () => later(23) });
  expect((await head(evening, location)).headers['upload-limit']).toEndWith('max-age=3600');
  await tidy(23);
  expect(await getUploadState(place.client, location)).toEqual([204, 400, '?0']);
  expect(await place.partials()).toHaveLength(1);

  const tomorrow = await place.open({ now: () => later(24) });
  for (const method of ['HEAD', 'GET', 'DELETE']) {
    expect((await sendRequest(tomorrow, `${method} ${location}`)).status).toBe(410);
  }
  expect((await append(tomorrow, location, 400, file.subarray(400))).status).toBe(410);
  await tidy(24.1);
  expect(await place.partials()).toEqual([]);
  expect((await head(tomorrow, location)).status).toBe(410);
  await tidy(48.1);
  expect(await rows()).toBe(0);
  expect((await head(tomorrow, location)).status).toBe(404);
  expect(await place.findAsset(file)).toBeUndefined();
});

test('expired uploads do not count towards the limit of unfinished ones', async () => {
  for (let n = 0; n < 16; n++) await reserve(place.client, randomFileBytes(10));
  const tomorrow = await place.open({ now: () => later(25) });
  expect((await create(tomorrow, randomFileBytes(10))).status).toBe(202);
});

test('uncommitted halves of a live photo are deleted on expiry, published assets are kept', async () => {
  const [half, file] = [randomFileBytes(100), randomFileBytes(100)];
  const metadata = encode({ ...METADATA, publication: 'live-photo' });
  await create(place.client, half, { headers: { 'asset-metadata': metadata } });
  const { headers } = await create(place.client, file);
  await tidy(25);
  expect(await place.partials()).toEqual([]);
  expect(await place.findAsset(half)).toBeUndefined();
  expect(await place.findAsset(file)).toBeDefined();
  expect((await place.original(file))!.equals(file)).toBe(true);
  const tomorrow = await place.open({ now: () => later(25) });
  expect((await head(tomorrow, headers['location']!)).status).toBe(410);
});

test('an upload that expires during a transfer ends and leaves no file', async () => {
  overrideUploadLimits({ progressBytes: 1 });
  const file = randomFileBytes(1000);
  const location = await reserve(place.client, file);
  let now = later(23.9);
  const slow = await place.open({ now: () => now });
  const wire = await openConnection(slow.port);
  formatAppend(wire, slow, location, 0, file.subarray(0, 400), {
    headers: { 'content-length': 1000 },
  });
  expect((await wire.message())!.headers['upload-offset']).toBe('400');
  now = later(24.1);
  await tidy(24.1);
  wire.write(file.subarray(400));
  expect(await wire.answer()).toMatchObject({ status: 404 });
  await tidy(24.1);
  expect(await place.partials()).toEqual([]);
  expect(await place.findAsset(file)).toBeUndefined();
});

test('orphaned files and those of earlier owners are deleted, files of open and multipart uploads are kept', async () => {
  const { paths } = place.database.deps;
  const open = getUploadId(await reserve(place.client, randomFileBytes(10)));
  const done = getUploadId((await create(place.client, randomFileBytes(10))).headers['location']!);
  await place.database.sql`update upload set epoch = 3, file_epoch = 2 where id = ${open}`;
  const kept = [`${open}-2`, `${open}-3`, `${crypto.randomUUID()}.mark-1-2`];
  for (const name of [`${open}-1`, `${done}-1`, `${crypto.randomUUID()}-1`, ...kept]) {
    await Bun.write(join(paths.incoming, name), 'x');
  }
  await tidy(1);
  expect(new Set(await place.partials())).toEqual(new Set(kept));
});

import { expect, test } from 'bun:test';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { seed } from '../../../../test/support/harness.ts';
import {
  append,
  create,
  formatAppend,
  getUploadState,
  head,
  INCOMPLETE,
  NO_BYTES,
  reserve,
  sendRequest,
  waitUntil,
} from '../../../../test/support/resumable.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import { openConnection } from '../../../../test/support/wire.ts';
import { overrideUploadLimits } from './responses.ts';

// Uploads without Upload-Length, as of a video of 5 GB: the header ends at 2 GiB. With lower limits.

const place = useUploadServer();

const UNANNOUNCED = { 'upload-length': undefined };
const SIZE = 120_000;

/** Returns max-size, offset and length as HEAD has them. */
async function readState(location: string): Promise<unknown[]> {
  const { headers } = await head(place.client, location);
  const [size] = headers['upload-limit']!.split(',');
  return [size, headers['upload-offset'], headers['upload-length']];
}

test('a file that is larger than a length may be is resumed to its end', async () => {
  overrideUploadLimits({ maxAnnouncedBytes: 50_000, progressBytes: 1 });
  const file = randomFileBytes(SIZE);
  const location = await reserve(place.client, file, UNANNOUNCED);
  expect(await readState(location)).toEqual([`max-size=${2 ** 40}`, '0', undefined]);
  // As the page sends it: the rest in one request, which is cut.
  const wire = await openConnection(place.client.port);
  const cut = { headers: { 'content-length': SIZE } };
  formatAppend(wire, place.client, location, 0, file.subarray(0, 90_000), cut);
  const { sql } = place.database;
  await waitUntil('all that was sent is kept', async () => {
    const [row] = await sql`select committed_offset from upload where length = ${SIZE}`;
    return Number(row?.['committed_offset']) === 90_000;
  });
  wire.socket.destroy();
  expect(await readState(location)).toEqual([`max-size=${2 ** 40}`, '90000', String(SIZE)]);
  expect((await sendRequest(place.client, `GET ${location}`)).body).toMatchObject({
    length: SIZE,
    offset: 90_000,
  });
  // The length is final by now.
  const longer = { headers: { ...INCOMPLETE, 'upload-length': 40_000 } };
  expect((await append(place.client, location, 90_000, NO_BYTES, longer)).status).toBe(400);
  const last = await append(place.client, location, 90_000, file.subarray(90_000));
  expect(last).toMatchObject({ status: 202, body: { length: SIZE } });
  expect(await place.isWhole(file)).toBe(true);
});

test('no request may announce such a length', async () => {
  overrideUploadLimits({ maxAnnouncedBytes: 50_000 });
  const file = randomFileBytes(SIZE);
  const refusal = { status: 413, headers: { 'upload-limit': 'max-size=50000' } };
  const announced = { headers: { ...INCOMPLETE, 'upload-length': SIZE }, send: NO_BYTES };
  expect(await create(place.client, file, announced)).toMatchObject(refusal);
  expect(await create(place.client, file)).toMatchObject(refusal);
  const location = await reserve(place.client, file, UNANNOUNCED);
  const late = { headers: { 'upload-length': SIZE } };
  expect(await append(place.client, location, 0, file, late)).toMatchObject(refusal);
  expect(await getUploadState(place.client, location)).toEqual([204, 0, '?0']);
});

test('a length that becomes known later is compared with the quota before bytes are received', async () => {
  const user = await seed(place.database).user(['all'], { quotaBytes: 100_000 });
  const limited = { ...place.client, key: user.key };
  const file = randomFileBytes(SIZE);
  const location = await reserve(limited, file, UNANNOUNCED);
  expect(await append(limited, location, 0, file)).toMatchObject({
    status: 400,
    headers: { 'upload-complete': '?0', 'upload-offset': '0' },
    body: { code: 'quota_exceeded' },
  });
  expect(await getUploadState(limited, location)).toEqual([204, 0, '?0']);
  await place.database.sql`update app_user set quota_bytes = ${SIZE} where id = ${user.id}`;
  expect((await append(limited, location, 0, file)).status).toBe(202);
  expect(await place.isWhole(file)).toBe(true);
});

import { describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { seed } from '../../../../test/support/harness.ts';
import {
  append,
  sendRequest,
  create,
  waitUntil,
  head,
  getStaged,
  getUploadId,
  NO_BYTES,
  INCOMPLETE,
  reserve,
  getUploadState,
  formatAppend,
} from '../../../../test/support/resumable.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import { openConnection } from '../../../../test/support/wire.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import { mountDisk, unmount } from '../../../../test/support/mounts.ts';
import { dataPaths } from '../../../core/paths.ts';
import { getPartialPath, getPartialSize } from '../../../staging/partial-file.ts';
import { overrideUploadLimits } from './responses.ts';

// Uploads after a restart of the server, and after changes of the account and the disk.

const place = useUploadServer();
const written = (location: string) =>
  getPartialSize(place.database.deps.paths, getStaged(location));

describe('after a crash of the server', () => {
  const setRow = (location: string, set: { boot_id?: string; committed_offset?: number }) =>
    place.database
      .sql`update upload set ${place.database.sql(set)} where id = ${getUploadId(location)}`;
  async function half(file: Uint8Array): Promise<string> {
    const location = await reserve(place.client, file);
    await append(place.client, location, 0, file.subarray(0, 5000), { headers: INCOMPLETE });
    return location;
  }

  test('I08: bytes written by a killed process are kept', async () => {
    const file = randomFileBytes(10_000);
    const location = await half(file);
    await setRow(location, { committed_offset: 2000 });
    expect(await getUploadState(place.client, location)).toEqual([204, 5000, '?0']);
    expect((await append(place.client, location, 5000, file.subarray(5000))).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('I08: only acknowledged bytes are kept after a power cut', async () => {
    const file = randomFileBytes(10_000);
    const location = await half(file);
    await setRow(location, { committed_offset: 2000, boot_id: 'of yesterday' });
    expect(await getUploadState(place.client, location)).toEqual([204, 2000, '?0']);
    expect(await written(location)).toBe(2000);
    expect((await append(place.client, location, 2000, file.subarray(2000))).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('I09: an upload whose file lost acknowledged bytes returns 404 and is removed', async () => {
    const file = randomFileBytes(10_000);
    const location = await half(file);
    await truncate(getPartialPath(place.database.deps.paths, getStaged(location)), 4999);
    expect((await head(place.client, location)).status).toBe(404);
    expect((await append(place.client, location, 4999, file.subarray(4999))).status).toBe(404);
    expect(await place.partials()).toEqual([]);
  });
});

describe('changes during an upload', () => {
  test('a revoked key returns 401, and the received bytes are kept for a valid one', async () => {
    const { sql } = place.database;
    const user = await seed(place.database).user();
    const revoked = { ...place.client, key: user.key };
    const file = randomFileBytes(1000);
    const location = await reserve(revoked, file);
    await append(revoked, location, 0, file.subarray(0, 400), { headers: INCOMPLETE });
    const [key] = await sql`delete from api_key where user_id = ${user.id} returning *`;
    expect((await append(revoked, location, 400, file.subarray(400))).status).toBe(401);
    expect((await head(revoked, location)).status).toBe(401);
    expect(await written(location)).toBe(400);
    await sql`insert into api_key ${sql(key!)}`;
    expect(await getUploadState(revoked, location)).toEqual([204, 400, '?0']);
    expect((await append(revoked, location, 400, file.subarray(400))).status).toBe(202);
  });

  test('an exceeded quota prevents publication until there is room again', async () => {
    const { sql } = place.database;
    const user = await seed(place.database).user(['all'], { quotaBytes: 1500 });
    const limited = { ...place.client, key: user.key };
    const [file, other] = [randomFileBytes(1000), randomFileBytes(1000)];
    expect(await create(limited, randomFileBytes(1501))).toMatchObject({
      status: 400,
      interim: [],
      body: { message: 'Quota has been exceeded!', code: 'quota_exceeded' },
    });
    const location = await reserve(limited, file);
    const second = await create(limited, other);
    expect(second.status).toBe(202);
    for (const [offset, bytes] of [
      [0, file],
      [1000, NO_BYTES],
    ] as const) {
      expect(await append(limited, location, offset, bytes)).toMatchObject({
        status: 400,
        headers: { 'upload-complete': '?0', 'upload-offset': '1000' },
        body: { message: 'Quota has been exceeded!', code: 'quota_exceeded' },
      });
      expect(await place.findAsset(file, user)).toBeUndefined();
    }
    await sql`update app_user set quota_bytes = 2000 where id = ${user.id}`;
    expect((await append(limited, location, 1000, NO_BYTES)).status).toBe(202);
    expect(await place.findAsset(file, user)).toBeDefined();
    expect(await place.isWhole(file)).toBe(true);
  });

  test('a 17th unfinished upload returns 429 until one of the others ends', async () => {
    const locations: string[] = [];
    for (let n = 0; n < 16; n++) locations.push(await reserve(place.client, randomFileBytes(10)));
    const refused = await create(place.client, randomFileBytes(10));
    expect(refused).toMatchObject({
      status: 429,
      interim: [],
      body: { code: 'rate_limited' },
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const bob = { ...place.client, key: (await seed(place.database).user()).key };
    expect((await create(bob, randomFileBytes(10))).status).toBe(202);
    await sendRequest(place.client, `DELETE ${locations[3]}`);
    expect((await create(place.client, randomFileBytes(10))).status).toBe(202);
    // Complete now, so there is still one place: two at once get one.
    const both = await Promise.all(
      [1, 2].map(() =>
        create(place.client, randomFileBytes(10), { send: NO_BYTES, headers: INCOMPLETE }),
      ),
    );
    expect(both.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([201, 429]);
  });

  test('insufficient disk space returns 507 before or during a part, and received bytes are kept', async () => {
    const { settings } = place.database.deps;
    const file = randomFileBytes(1000);
    const full = await place.open({ settings: { ...settings, reserveBytes: 2 ** 50 } });
    expect(await create(full, file)).toMatchObject({ status: 507, interim: [] });
    const location = await reserve(place.client, file);
    overrideUploadLimits({ progressBytes: 100 });
    const wire = await openConnection(full.port);
    formatAppend(wire, full, location, 0, file.subarray(0, 600), {
      headers: { 'content-length': 1000 },
    });
    await waitUntil('the first bytes are there', async () => (await written(location)) === 600);
    wire.write(file.subarray(600));
    const reply = await wire.answer();
    expect(reply).toMatchObject({
      status: 507,
      headers: { 'upload-complete': '?0' },
      body: { message: 'The server has no space left for uploads', retryable: true },
    });
    const offset = Number(reply.headers['upload-offset']);
    expect(await getUploadState(place.client, location)).toEqual([204, offset, '?0']);
    expect((await append(place.client, location, offset, file.subarray(offset))).status).toBe(202);
  });

  skipWithout('tmpfs').test('a full disk keeps the bytes that were written', async () => {
    const small = await mkdtemp(join(tmpdir(), 'safelight-small-'));
    mountDisk(small, 4 * 1024 ** 2);
    try {
      const paths = dataPaths(small);
      const settings = { ...place.database.deps.settings, reserveBytes: 0 };
      const tight = await place.open({ paths, settings });
      const file = randomFileBytes(6_000_000);
      const headers = { ...INCOMPLETE, 'upload-length': undefined };
      const location = await reserve(tight, file, headers);
      const reply = await append(tight, location, 0, file, { isChunked: true });
      expect(reply).toMatchObject({ status: 507, headers: { 'upload-complete': '?0' } });
      const kept = Number(reply.headers['upload-offset']);
      expect(kept).toBeGreaterThan(1_000_000);
      const bytes = await readFile(getPartialPath(paths, getStaged(location)));
      expect(bytes.equals(file.subarray(0, kept))).toBe(true);
      Bun.spawnSync(['mount', '-o', 'remount,size=32m', small]);
      expect(await getUploadState(tight, location)).toEqual([204, kept, '?0']);
      expect((await append(tight, location, kept, file.subarray(kept))).status).toBe(202);
    } finally {
      unmount(small);
      await rm(small, { recursive: true });
    }
  });
});

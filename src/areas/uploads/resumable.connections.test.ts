import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { someBytes } from '../../../test/forms.ts';
import { seed } from '../../../test/harness.ts';
import {
  append,
  ask,
  type Client,
  create,
  creationHeaders,
  eventually,
  head,
  reserve,
  standing,
  UPLOADS,
  writeAppend,
  writeCreation,
} from '../../../test/resumable.ts';
import { openPlace, type Place } from '../../../test/upload-place.ts';
import { chunk, dial, hangUpAll, headOf, type Wire } from '../../../test/wire.ts';
import { dataPaths } from '../../core/paths.ts';
import { partialPath, partialSize } from '../../media/partial.ts';
import { limitUploads } from './limits.ts';

// What becomes of an upload when a connection ends, hangs, or is not the only one.

let place: Place;
let client: Client;
beforeAll(async () => {
  place = await openPlace();
  ({ client } = place);
});
afterEach(async () => {
  hangUpAll();
  limitUploads();
  await place.forget();
});
afterAll(() => place.close());

const NOTHING = Buffer.alloc(0);
const OPEN = { 'upload-complete': '?0' };
const isWhole = async (file: Uint8Array) => (await place.original(file))?.equals(file) ?? false;
const idOf = (location: string): string => location.slice(UPLOADS.length + 1);
const written = (location: string) => partialSize(place.database.deps.paths, idOf(location));

/** Sends `count` bytes of the file in a POST that promises all of it; they are in the file then. */
async function beginCreation(file: Uint8Array, count: number): Promise<[Wire, string]> {
  const wire = await dial(client.port);
  writeCreation(wire, client, file, {
    send: file.subarray(0, count),
    headers: { 'content-length': file.length },
  });
  const early = await wire.message();
  return [wire, early!.headers['location']!];
}

/** When the server has told that all before this byte is safe; for small `progressBytes`. */
async function untilTold(wire: Wire, offset: number): Promise<void> {
  for (;;) {
    const message = await wire.message();
    if (message?.status !== 104) throw new Error(`not told: ${message?.status}`);
    if (message.headers['upload-offset'] === String(offset)) return;
  }
}

/** The same in a PATCH. */
async function beginAppend(
  location: string,
  file: Uint8Array,
  from: number,
  to: number,
): Promise<Wire> {
  const wire = await dial(client.port);
  writeAppend(wire, client, location, from, file.subarray(from, to), {
    headers: { 'content-length': file.length - from },
  });
  await eventually('the bytes arrive', async () => (await written(location)) > from);
  return wire;
}

describe('a connection that ends', () => {
  test.each(['RST', 'FIN'])('I01 I02: with %s: every byte counts', async (how) => {
    const file = someBytes(1_000_000);
    if (how === 'RST') limitUploads({ progressBytes: 1 });
    const [wire, location] = await beginCreation(file, 500_000);
    if (how === 'RST') {
      // The kernel throws away what was not read when a connection is reset.
      await untilTold(wire, 500_000);
      wire.socket.resetAndDestroy();
    } else {
      wire.socket.end();
    }
    await wire.closed;
    await eventually('the transfer ends', async () => (await written(location)) === 500_000);
    expect(await standing(client, location)).toEqual([204, 500_000, '?0']);
    const rest = await append(client, location, 500_000, file.subarray(500_000));
    expect(rest.status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('I03: chunks without their end are not the end of the file', async () => {
    const file = someBytes(50_000);
    const wire = await dial(client.port);
    const headers = { ...creationHeaders(client, file), 'transfer-encoding': 'chunked' };
    wire.write(headOf(`POST ${UPLOADS}`, headers), chunk(file));
    const { location } = (await wire.message())!.headers;
    wire.socket.end();
    await wire.closed;
    await eventually('the transfer ends', async () => (await written(location!)) === 50_000);
    expect(await standing(client, location!)).toEqual([204, 50_000, '?0']);
    expect(await place.assetOf(file)).toBeUndefined();
    expect((await append(client, location!, 50_000, NOTHING)).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('I07: that is silent is cut off, and its bytes are kept', async () => {
    limitUploads({ idleMs: 300 });
    const file = someBytes(10_000);
    const [wire, location] = await beginCreation(file, 6000);
    expect(await wire.closed).toBe('');
    expect(await standing(client, location)).toEqual([204, 6000, '?0']);
    expect((await append(client, location, 6000, file.subarray(6000))).status).toBe(202);
  });

  test('that does not read what it is told is served nevertheless', async () => {
    limitUploads({ progressBytes: 1000 });
    const file = someBytes(3_000_000);
    const location = await reserve(client, file);
    const wire = await dial(client.port);
    wire.socket.pause();
    writeAppend(wire, client, location, 0, file);
    await eventually('it is an asset', async () => (await place.assetOf(file)) !== undefined);
    wire.socket.resume();
    const reply = await wire.answer();
    expect(reply.status).toBe(202);
    expect(reply.interim.length).toBeGreaterThan(0);
    expect(await isWhole(file)).toBe(true);
  });
});

describe('a second request', () => {
  test('I04: HEAD ends a transfer that hangs, without an answer to it', async () => {
    limitUploads({ progressBytes: 1 });
    const file = someBytes(200_000);
    const [wire, location] = await beginCreation(file, 120_000);
    await untilTold(wire, 120_000);
    const at = performance.now();
    expect(await standing(client, location)).toEqual([204, 120_000, '?0']);
    expect(performance.now() - at).toBeLessThan(500);
    expect(await wire.closed).toBe('');
    expect((await append(client, location, 120_000, file.subarray(120_000))).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('I05: PATCH at the same place is told where the first came to', async () => {
    const file = someBytes(3_000_000);
    const location = await reserve(client, file);
    const first = await beginAppend(location, file, 0, 2_000_000);
    const second = await append(client, location, 0, file);
    expect(second).toMatchObject({ status: 409, headers: { 'upload-complete': '?0' } });
    expect(await first.closed).toBe('');
    const offset = Number(second.headers['upload-offset']);
    expect(offset).toBeGreaterThan(0);
    expect((await append(client, location, offset, file.subarray(offset))).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('I06: DELETE ends the transfer and the upload', async () => {
    const file = someBytes(3_000_000);
    const location = await reserve(client, file);
    const wire = await beginAppend(location, file, 0, 2_000_000);
    expect((await ask(client, `DELETE ${location}`)).status).toBe(204);
    expect(await wire.closed).toBe('');
    expect((await head(client, location)).status).toBe(404);
    expect(await place.partials()).toEqual([]);
    expect(await place.assetOf(file)).toBeUndefined();
  });

  test('of a stranger, or one that is wrong, ends nothing', async () => {
    const bob = { ...client, key: (await seed(place.database).user()).key };
    const file = someBytes(3_000_000);
    const location = await reserve(client, file);
    const wire = await beginAppend(location, file, 0, 2_000_000);
    expect((await head(bob, location)).status).toBe(404);
    expect((await ask(bob, `DELETE ${location}`)).status).toBe(404);
    expect((await append(bob, location, 0, file)).status).toBe(404);
    const headers = { 'content-type': 'image/jpeg' };
    expect((await append(client, location, 0, file, { headers })).status).toBe(415);
    wire.write(file.subarray(2_000_000));
    expect((await wire.answer()).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('many at once: the file is whole, and one answer is the final one', async () => {
    const file = someBytes(400_000);
    const location = await reserve(client, file);
    const one = async () => {
      for (let tries = 0; tries < 200; tries++) {
        try {
          const told = await head(client, location);
          if (told.headers['upload-complete'] === '?1') return;
          const offset = Number(told.headers['upload-offset']);
          const end = Math.min(file.length, offset + 1 + Math.floor(Math.random() * 90_000));
          await append(client, location, offset, file.subarray(offset, end), {
            headers: end === file.length ? {} : OPEN,
          });
        } catch {
          // Another one came.
        }
      }
    };
    await Promise.all([one(), one(), one()]);
    expect(await standing(client, location)).toEqual([204, 400_000, '?1']);
    expect(await isWhole(file)).toBe(true);
    expect(await place.assetOf(file)).toBeDefined();
  });
});

describe('after the server was gone', () => {
  const setRow = (location: string, set: { boot_id?: string; committed_offset?: number }) =>
    place.database.sql`update upload set ${place.database.sql(set)} where id = ${idOf(location)}`;
  async function half(file: Uint8Array): Promise<string> {
    const location = await reserve(client, file);
    await append(client, location, 0, file.subarray(0, 5000), { headers: OPEN });
    return location;
  }

  test('I08: bytes that a killed process had written count', async () => {
    const file = someBytes(10_000);
    const location = await half(file);
    await setRow(location, { committed_offset: 2000 });
    expect(await standing(client, location)).toEqual([204, 5000, '?0']);
    expect((await append(client, location, 5000, file.subarray(5000))).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('I08: after a power cut only those that were promised', async () => {
    const file = someBytes(10_000);
    const location = await half(file);
    await setRow(location, { committed_offset: 2000, boot_id: 'of yesterday' });
    expect(await standing(client, location)).toEqual([204, 2000, '?0']);
    expect(await written(location)).toBe(2000);
    expect((await append(client, location, 2000, file.subarray(2000))).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('I09: a file that has lost promised bytes is given up', async () => {
    const file = someBytes(10_000);
    const location = await half(file);
    await truncate(partialPath(place.database.deps.paths, idOf(location)), 4999);
    expect((await head(client, location)).status).toBe(404);
    expect((await append(client, location, 4999, file.subarray(4999))).status).toBe(404);
    expect(await place.partials()).toEqual([]);
  });
});

describe('what changes meanwhile', () => {
  test('the key is revoked: 401, and the bytes are kept for the next one', async () => {
    const { sql } = place.database;
    const user = await seed(place.database).user();
    const revoked = { ...client, key: user.key };
    const file = someBytes(1000);
    const location = await reserve(revoked, file);
    await append(revoked, location, 0, file.subarray(0, 400), { headers: OPEN });
    const [key] = await sql`delete from api_key where user_id = ${user.id} returning *`;
    expect((await append(revoked, location, 400, file.subarray(400))).status).toBe(401);
    expect((await head(revoked, location)).status).toBe(401);
    expect(await written(location)).toBe(400);
    await sql`insert into api_key ${sql(key!)}`;
    expect(await standing(revoked, location)).toEqual([204, 400, '?0']);
    expect((await append(revoked, location, 400, file.subarray(400))).status).toBe(202);
  });

  test('the quota is used up: nothing is published, and later it can be', async () => {
    const { sql } = place.database;
    const user = await seed(place.database).user(['all'], { quotaBytes: 1500 });
    const limited = { ...client, key: user.key };
    const [file, other] = [someBytes(1000), someBytes(1000)];
    expect(await create(limited, someBytes(1501))).toMatchObject({
      status: 400,
      interim: [],
      body: { message: 'Quota has been exceeded!', code: 'quota_exceeded' },
    });
    const location = await reserve(limited, file);
    const second = await create(limited, other);
    expect(second.status).toBe(202);
    for (const [offset, bytes] of [
      [0, file],
      [1000, NOTHING],
    ] as const) {
      expect(await append(limited, location, offset, bytes)).toMatchObject({
        status: 400,
        headers: { 'upload-complete': '?0', 'upload-offset': '1000' },
        body: { message: 'Quota has been exceeded!', code: 'quota_exceeded' },
      });
      expect(await place.assetOf(file, user)).toBeUndefined();
    }
    await sql`update app_user set quota_bytes = 2000 where id = ${user.id}`;
    expect((await append(limited, location, 1000, NOTHING)).status).toBe(202);
    expect(await place.assetOf(file, user)).toBeDefined();
    expect(await isWhole(file)).toBe(true);
  });

  test('the 17th unfinished upload is refused until one of the others ends', async () => {
    const locations: string[] = [];
    for (let n = 0; n < 16; n++) locations.push(await reserve(client, someBytes(10)));
    const refused = await create(client, someBytes(10));
    expect(refused).toMatchObject({
      status: 429,
      interim: [],
      body: { code: 'rate_limited' },
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const bob = { ...client, key: (await seed(place.database).user()).key };
    expect((await create(bob, someBytes(10))).status).toBe(202);
    await ask(client, `DELETE ${locations[3]}`);
    expect((await create(client, someBytes(10))).status).toBe(202);
    // Complete now, so there is still one place: two at once get one.
    const both = await Promise.all(
      [1, 2].map(() => create(client, someBytes(10), { send: NOTHING, headers: OPEN })),
    );
    expect(both.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([201, 429]);
  });

  test('a disk without room: 507, before or in the middle, and the bytes are kept', async () => {
    const { settings } = place.database.deps;
    const file = someBytes(1000);
    const full = await place.open({ settings: { ...settings, reserveBytes: 2 ** 50 } });
    expect(await create(full, file)).toMatchObject({ status: 507, interim: [] });
    const location = await reserve(client, file);
    limitUploads({ progressBytes: 100 });
    const wire = await dial(full.port);
    writeAppend(wire, full, location, 0, file.subarray(0, 600), {
      headers: { 'content-length': 1000 },
    });
    await eventually('the first bytes are there', async () => (await written(location)) === 600);
    wire.write(file.subarray(600));
    const reply = await wire.answer();
    expect(reply).toMatchObject({
      status: 507,
      headers: { 'upload-complete': '?0' },
      body: { message: 'The server has no space left for uploads', retryable: true },
    });
    const offset = Number(reply.headers['upload-offset']);
    expect(await standing(client, location)).toEqual([204, offset, '?0']);
    expect((await append(client, location, offset, file.subarray(offset))).status).toBe(202);
  });

  const canMount = process.getuid?.() === 0;
  test.skipIf(!canMount)(
    `a disk that is really full: what fitted is kept${canMount ? '' : ' (needs root)'}`,
    async () => {
      const small = await mkdtemp(join(tmpdir(), 'safelight-small-'));
      const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', small]);
      if (!mounted.success) return rm(small, { recursive: true });
      try {
        const paths = dataPaths(small);
        const settings = { ...place.database.deps.settings, reserveBytes: 0 };
        const tight = await place.open({ paths, settings });
        const file = someBytes(6_000_000);
        const headers = { ...OPEN, 'upload-length': undefined };
        const location = await reserve(tight, file, headers);
        const reply = await append(tight, location, 0, file, { isChunked: true });
        expect(reply).toMatchObject({ status: 507, headers: { 'upload-complete': '?0' } });
        const kept = Number(reply.headers['upload-offset']);
        expect(kept).toBeGreaterThan(1_000_000);
        const bytes = await readFile(partialPath(paths, idOf(location)));
        expect(bytes.equals(file.subarray(0, kept))).toBe(true);
        Bun.spawnSync(['mount', '-o', 'remount,size=32m', small]);
        expect(await standing(tight, location)).toEqual([204, kept, '?0']);
        expect((await append(tight, location, kept, file.subarray(kept))).status).toBe(202);
      } finally {
        Bun.spawnSync(['umount', small]);
        await rm(small, { recursive: true });
      }
      return undefined;
    },
  );
});

test('over TLS: 104, the place, and the end of a transfer by another', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  Bun.spawnSync(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1
     -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`.split(
      /\s+/,
    ),
  );
  const tls = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  await rm(folder, { recursive: true });
  const settings = { ...place.database.deps.settings, tlsCert: cert, tlsKey: key };
  limitUploads({ progressBytes: 1 });
  const secure = await place.open({ settings }, { tls });
  const file = someBytes(300_000);
  const whole = await dial(secure.port, { ca: tls.cert });
  writeCreation(whole, secure, someBytes(20_000));
  const { status, interim } = await whole.answer();
  expect([status, interim[0]?.status]).toEqual([202, 104]);

  const wire = await dial(secure.port, { ca: tls.cert });
  writeCreation(wire, secure, file, {
    send: file.subarray(0, 200_000),
    headers: { 'content-length': file.length },
  });
  const { location } = (await wire.message())!.headers;
  await untilTold(wire, 200_000);
  // The same library over plain HTTP.
  expect(await standing(client, location!)).toEqual([204, 200_000, '?0']);
  expect(await wire.closed).toBe('');
  expect((await append(client, location!, 200_000, file.subarray(200_000))).status).toBe(202);
  expect(await isWhole(file)).toBe(true);
});

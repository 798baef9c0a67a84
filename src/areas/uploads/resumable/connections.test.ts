import { describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeededRandom } from '../../../../test/support/effort.ts';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { seed } from '../../../../test/support/harness.ts';
import {
  append,
  sendRequest,
  creationHeaders,
  waitUntil,
  head,
  getStaged,
  NO_BYTES,
  INCOMPLETE,
  reserve,
  getUploadState,
  UPLOADS,
  formatAppend,
  formatCreation,
} from '../../../../test/support/resumable.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import {
  formatChunk,
  openConnection,
  formatHead,
  type Wire,
} from '../../../../test/support/wire.ts';
import { getPartialSize } from '../../../staging/partial-file.ts';
import { overrideUploadLimits } from './responses.ts';

// Uploads whose connection ends, hangs or is not the only one.

const place = useUploadServer();
const written = (location: string) =>
  getPartialSize(place.database.deps.paths, getStaged(location));

/** Sends the first `count` bytes in a POST for the whole file. Returns the open connection. */
async function beginCreation(file: Uint8Array, count: number): Promise<[Wire, string]> {
  const wire = await openConnection(place.client.port);
  formatCreation(wire, place.client, file, {
    send: file.subarray(0, count),
    headers: { 'content-length': file.length },
  });
  const early = await wire.message();
  return [wire, early!.headers['location']!];
}

/** Waits until a 104 acknowledges all bytes before `offset`; needs small `progressBytes`. */
async function untilTold(wire: Wire, offset: number): Promise<void> {
  for (;;) {
    const message = await wire.message();
    if (message?.status !== 104) throw new Error(`not told: ${message?.status}`);
    if (message.headers['upload-offset'] === String(offset)) return;
  }
}

/** Sends bytes of the file in a PATCH. Returns the open connection. */
async function beginAppend(
  location: string,
  file: Uint8Array,
  from: number,
  to: number,
): Promise<Wire> {
  const wire = await openConnection(place.client.port);
  formatAppend(wire, place.client, location, from, file.subarray(from, to), {
    headers: { 'content-length': file.length - from },
  });
  await waitUntil('the bytes arrive', async () => (await written(location)) > from);
  return wire;
}

describe('an interrupted connection', () => {
  test.each(['RST', 'FIN'])('I01 I02: with %s: every received byte is kept', async (how) => {
    const file = randomFileBytes(1_000_000);
    if (how === 'RST') overrideUploadLimits({ progressBytes: 1 });
    const [wire, location] = await beginCreation(file, 500_000);
    if (how === 'RST') {
      // The kernel throws away what was not read when a connection is reset.
      await untilTold(wire, 500_000);
      wire.socket.resetAndDestroy();
    } else {
      wire.socket.end();
    }
    await wire.closed;
    await waitUntil('the transfer ends', async () => (await written(location)) === 500_000);
    expect(await getUploadState(place.client, location)).toEqual([204, 500_000, '?0']);
    const rest = await append(place.client, location, 500_000, file.subarray(500_000));
    expect(rest.status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('I03: a chunked body without its last chunk does not complete the upload', async () => {
    const file = randomFileBytes(50_000);
    const wire = await openConnection(place.client.port);
    const headers = { ...creationHeaders(place.client, file), 'transfer-encoding': 'chunked' };
    wire.write(formatHead(`POST ${UPLOADS}`, headers), formatChunk(file));
    const { location } = (await wire.message())!.headers;
    wire.socket.end();
    await wire.closed;
    await waitUntil('the transfer ends', async () => (await written(location!)) === 50_000);
    expect(await getUploadState(place.client, location!)).toEqual([204, 50_000, '?0']);
    expect(await place.findAsset(file)).toBeUndefined();
    expect((await append(place.client, location!, 50_000, NO_BYTES)).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('I07: an idle connection is closed, and its bytes are kept', async () => {
    overrideUploadLimits({ idleMs: 300 });
    const file = randomFileBytes(10_000);
    const [wire, location] = await beginCreation(file, 6000);
    expect(await wire.closed).toBe('');
    expect(await getUploadState(place.client, location)).toEqual([204, 6000, '?0']);
    expect((await append(place.client, location, 6000, file.subarray(6000))).status).toBe(202);
  });

  test('a client that does not read interim responses can still complete its upload', async () => {
    overrideUploadLimits({ progressBytes: 1000 });
    const file = randomFileBytes(3_000_000);
    const location = await reserve(place.client, file);
    const wire = await openConnection(place.client.port);
    wire.socket.pause();
    formatAppend(wire, place.client, location, 0, file);
    await waitUntil('it is an asset', async () => (await place.findAsset(file)) !== undefined);
    wire.socket.resume();
    const reply = await wire.answer();
    expect(reply.status).toBe(202);
    expect(reply.interim.length).toBeGreaterThan(0);
    expect(await place.isWhole(file)).toBe(true);
  });
});

describe('a concurrent request for the same upload', () => {
  test('I04: HEAD aborts a stalled transfer, which gets no response', async () => {
    overrideUploadLimits({ progressBytes: 1 });
    const file = randomFileBytes(200_000);
    const [wire, location] = await beginCreation(file, 120_000);
    await untilTold(wire, 120_000);
    expect(await getUploadState(place.client, location)).toEqual([204, 120_000, '?0']);
    expect(await wire.closed).toBe('');
    expect((await append(place.client, location, 120_000, file.subarray(120_000))).status).toBe(
      202,
    );
    expect(await place.isWhole(file)).toBe(true);
  });

  test('I05: PATCH at the same offset aborts the first transfer and returns 409 with its offset', async () => {
    const file = randomFileBytes(3_000_000);
    const location = await reserve(place.client, file);
    const first = await beginAppend(location, file, 0, 2_000_000);
    const second = await append(place.client, location, 0, file);
    expect(second).toMatchObject({ status: 409, headers: { 'upload-complete': '?0' } });
    expect(await first.closed).toBe('');
    const offset = Number(second.headers['upload-offset']);
    expect(offset).toBeGreaterThan(0);
    expect((await append(place.client, location, offset, file.subarray(offset))).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('I06: DELETE aborts the transfer and removes the upload', async () => {
    const file = randomFileBytes(3_000_000);
    const location = await reserve(place.client, file);
    const wire = await beginAppend(location, file, 0, 2_000_000);
    expect((await sendRequest(place.client, `DELETE ${location}`)).status).toBe(204);
    expect(await wire.closed).toBe('');
    expect((await head(place.client, location)).status).toBe(404);
    expect(await place.partials()).toEqual([]);
    expect(await place.findAsset(file)).toBeUndefined();
  });

  test('of another user, or an invalid one, does not abort the transfer', async () => {
    const bob = { ...place.client, key: (await seed(place.database).user()).key };
    const file = randomFileBytes(3_000_000);
    const location = await reserve(place.client, file);
    const wire = await beginAppend(location, file, 0, 2_000_000);
    expect((await head(bob, location)).status).toBe(404);
    expect((await sendRequest(bob, `DELETE ${location}`)).status).toBe(404);
    expect((await append(bob, location, 0, file)).status).toBe(404);
    const headers = { 'content-type': 'image/jpeg' };
    expect((await append(place.client, location, 0, file, { headers })).status).toBe(415);
    wire.write(file.subarray(2_000_000));
    expect((await wire.answer()).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('concurrent clients complete the same upload without corrupting it', async () => {
    const random = createSeededRandom('concurrent clients');
    const file = randomFileBytes(400_000);
    const location = await reserve(place.client, file);
    const one = async () => {
      for (let tries = 0; tries < 200; tries++) {
        try {
          const told = await head(place.client, location);
          if (told.headers['upload-complete'] === '?1') return;
          const offset = Number(told.headers['upload-offset']);
          const end = Math.min(file.length, offset + 1 + random.below(90_000));
          await append(place.client, location, offset, file.subarray(offset, end), {
            headers: end === file.length ? {} : INCOMPLETE,
          });
        } catch {
          // Another one came.
        }
      }
    };
    await Promise.all([one(), one(), one()]);
    expect(await getUploadState(place.client, location)).toEqual([204, 400_000, '?1']);
    expect(await place.isWhole(file)).toBe(true);
    expect(await place.findAsset(file)).toBeDefined();
  });
});

test('TLS connections receive 104 with the location, and another request aborts the transfer', async () => {
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
  overrideUploadLimits({ progressBytes: 1 });
  const secure = await place.open({ settings }, { tls });
  const file = randomFileBytes(300_000);
  const whole = await openConnection(secure.port, { ca: tls.cert });
  formatCreation(whole, secure, randomFileBytes(20_000));
  const { status, interim } = await whole.answer();
  expect([status, interim[0]?.status]).toEqual([202, 104]);

  const wire = await openConnection(secure.port, { ca: tls.cert });
  formatCreation(wire, secure, file, {
    send: file.subarray(0, 200_000),
    headers: { 'content-length': file.length },
  });
  const { location } = (await wire.message())!.headers;
  await untilTold(wire, 200_000);
  // The same library over plain HTTP.
  expect(await getUploadState(place.client, location!)).toEqual([204, 200_000, '?0']);
  expect(await wire.closed).toBe('');
  expect((await append(place.client, location!, 200_000, file.subarray(200_000))).status).toBe(202);
  expect(await place.isWhole(file)).toBe(true);
});

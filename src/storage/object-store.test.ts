import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startS3Server } from '../../test/support/s3-server.ts';
import { sha256, toHex } from '../core/hash.ts';
import { createS3Store, type ObjectStore, PART_BYTES } from './object-store.ts';
import { ObjectMissing } from './s3-request.ts';
import { parseS3Address } from '../core/s3-address.ts';

// SAFELIGHT_TEST_S3 and SAFELIGHT_TEST_S3_CREDENTIALS name a real store (make test-cluster).
const server = startS3Server();
const folder = mkdtempSync(join(tmpdir(), 'objects-'));
afterEach(() => {
  server.fault = undefined;
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const real = process.env['SAFELIGHT_TEST_S3'];
const address = parseS3Address(real ?? server.url);
const credentials = real ? process.env['SAFELIGHT_TEST_S3_CREDENTIALS'] : server.credentials;
const store = createS3Store(
  { ...address, prefix: `${address.prefix}${crypto.randomUUID()}/` },
  credentials,
);
const own = createS3Store(parseS3Address(server.url), server.credentials);

let last = 0;
/** A file of random bytes, and a key that nothing has. */
function makeContent(size: number) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 65_536)));
  }
  const path = join(folder, String((last += 1)));
  writeFileSync(path, bytes);
  return { key: `o/${crypto.randomUUID()}`, bytes, path, size, sha256: toHex(sha256(bytes)) };
}

async function readAll(from: ObjectStore, key: string, range: { start: number; end: number }) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of from.read(key, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
async function listKeys(from: ObjectStore, prefix: string) {
  const keys: string[] = [];
  for await (const { key } of from.list(prefix)) keys.push(key);
  return keys;
}

describe('contract of object stores', () => {
  test.each([1, 300_000, 70 * 1024 ** 2])('%d bytes are read as they were put', async (size) => {
    const content = makeContent(size);
    await store.put(content.key, content);
    expect(await store.findSize(content.key)).toBe(size);
    const found = await readAll(store, content.key, { start: 0, end: size });
    expect(toHex(sha256(found))).toBe(content.sha256);
  });

  test('a part is read by its range, also across parts of the upload', async () => {
    const content = makeContent(70 * 1024 ** 2);
    await store.put(content.key, content);
    const start = 16 * 1024 ** 2 - 7;
    const found = await readAll(store, content.key, { start, end: start + 20 });
    expect(Buffer.compare(found, content.bytes.subarray(start, start + 20))).toBe(0);
  });

  test('content is composed of objects that have its first parts, and of the rest', async () => {
    const content = makeContent(2 * PART_BYTES + 1000);
    const partKeys = [0, 1].map((at) => `${content.key}-${at}`);
    for (const [at, key] of partKeys.entries()) {
      const start = at * PART_BYTES;
      const part = content.bytes.subarray(start, start + PART_BYTES);
      const { path } = content;
      await store.put(key, { path, start, size: PART_BYTES, sha256: toHex(sha256(part)) });
    }
    // The file has other bytes there: they are not sent.
    const rest = join(folder, 'rest');
    writeFileSync(rest, content.bytes.with(0, content.bytes[0]! ^ 1));
    await store.put(content.key, { ...content, path: rest, partKeys });
    const found = await readAll(store, content.key, { start: 0, end: content.size });
    expect(toHex(sha256(found))).toBe(content.sha256);
    // A part that cannot be copied is sent.
    const other = `${content.key}-other`;
    await store.put(other, { ...content, partKeys: [partKeys[0]!, 'o/none'] });
    const same = await readAll(store, other, { start: 0, end: content.size });
    expect(toHex(sha256(same))).toBe(content.sha256);
  });

  test('the same content is put again without harm, other content is refused', async () => {
    const content = makeContent(1000);
    await store.put(content.key, content);
    await store.put(content.key, content);
    await expect(store.put(content.key, makeContent(1001))).rejects.toThrow('storage');
    expect(await store.findSize(content.key)).toBe(1000);
  });

  test('bytes that are not those of the digest are refused', async () => {
    const content = makeContent(1000);
    const wrong = { ...content, sha256: makeContent(1000).sha256 };
    await expect(store.put(content.key, wrong)).rejects.toThrow('storage');
    expect(await store.findSize(content.key)).toBeUndefined();
  });

  test('what does not exist has no size and no bytes, and can be removed', async () => {
    expect(await store.findSize('o/none')).toBeUndefined();
    expect(await store.findText('o/none')).toBeUndefined();
    await expect(readAll(store, 'o/none', { start: 0, end: 1 })).rejects.toThrow(ObjectMissing);
    await store.remove(['o/none']);
    await store.remove([]);
  });

  test('a text is written once', async () => {
    expect(await store.putText('marker', 'one')).toBe(true);
    expect(await store.putText('marker', 'two')).toBe(false);
    expect(await store.findText('marker')).toBe('one');
  });

  test('objects are listed by prefix, page by page, and only those that are left', async () => {
    const names = Array.from({ length: 130 }, (_, at) => `list/${String(at).padStart(3, '0')}`);
    for (const name of names) await store.putText(name, name);
    await store.putText('lists', 'another prefix');
    expect(await listKeys(store, 'list/')).toEqual(names);
    await store.remove(names.slice(1));
    expect(await listKeys(store, 'list/')).toEqual(names.slice(0, 1));
  });
});

describe('faults', () => {
  const unavailable = (times: number) => {
    let left = times;
    return () =>
      (left -= 1) >= 0 ? new Response('<Code>SlowDown</Code>', { status: 503 }) : undefined;
  };

  test('a busy store is tried again', async () => {
    const content = makeContent(1000);
    server.fault = unavailable(2);
    await own.put(content.key, content);
    server.fault = undefined;
    expect(await own.findSize(content.key)).toBe(1000);
  });

  test('a put whose answer is lost is no error', async () => {
    const content = makeContent(1000);
    let isLost = false;
    server.fault = (request, key) => {
      if (isLost || request.method !== 'PUT') return undefined;
      isLost = true;
      server.objects.set(key, { bytes: content.bytes, modifiedAt: new Date() });
      return new Response(null, { status: 500 });
    };
    await own.put(content.key, content);
    expect(isLost).toBe(true);
    expect(await own.findSize(content.key)).toBe(1000);
  });

  test('a store that stays away is a fault of the storage, which names no secret', async () => {
    server.fault = unavailable(99);
    const error = await own.findSize('o/any').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'unavailable' });
    expect(Bun.inspect(error)).not.toContain('test-secret');
    expect(Bun.inspect(error)).not.toContain('test-key');
  });

  test('a connection that breaks within a body is continued where it broke', async () => {
    const content = makeContent(100_000);
    await own.put(content.key, content);
    const ranges: string[] = [];
    server.fault = (request) => {
      ranges.push(request.headers.get('range') ?? '');
      if (ranges.length > 1) return undefined;
      const half = content.bytes.slice(0, 40_000);
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(half);
          controller.close();
        },
      });
      return new Response(body, { status: 206 });
    };
    const found = await readAll(own, content.key, { start: 0, end: content.size });
    expect(Buffer.compare(found, content.bytes)).toBe(0);
    expect(ranges).toEqual(['bytes=0-99999', 'bytes=40000-99999']);
  });

  test('a key pair that is replaced is read again', async () => {
    const path = join(folder, 'credentials');
    writeFileSync(path, 'aws_access_key_id = old\naws_secret_access_key = old\n');
    const renewed = createS3Store(parseS3Address(server.url), path);
    const asked = Promise.withResolvers<void>();
    server.fault = () => {
      asked.resolve();
      return undefined;
    };
    const writing = renewed.putText('renewed', 'text');
    await asked.promise;
    writeFileSync(path, await Bun.file(server.credentials).text());
    expect(await writing).toBe(true);
  });

  test('a failing upload in parts is aborted, and leaves no object', async () => {
    const content = makeContent(70 * 1024 ** 2);
    server.fault = (request) =>
      request.method === 'PUT' && request.url.includes('partNumber=3')
        ? new Response('<Code>InvalidPart</Code>', { status: 400 })
        : undefined;
    await expect(own.put(content.key, content)).rejects.toThrow('storage');
    expect(server.requests.at(-1)).toBe(`DELETE ${content.key}`);
    server.fault = undefined;
    expect(await own.findSize(content.key)).toBeUndefined();
  });
});

test('addresses name a bucket, and neither a key pair nor anything unknown', () => {
  expect(parseS3Address('https://s3.example.org/photos/a/b/?region=eu-1')).toEqual({
    url: 'https://s3.example.org/photos',
    prefix: 'a/b/',
    region: 'eu-1',
  });
  for (const wrong of [
    'photos',
    'ftp://host/photos',
    'https://key:secret@host/photos',
    'https://host/',
    'https://host/Photos',
    'https://host/photos?zone=1',
    'https://host/photos/../x y',
    'https://host/photos#x',
  ]) {
    expect(() => parseS3Address(wrong)).toThrow('a URL as');
  }
});

import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { type Caller, NOW, seed, send, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { sha256, toHex } from '../../../core/hash.ts';
import { silentLog } from '../../../core/log.ts';
import { derivedName } from '../../../core/paths.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { sharedLinkAssets, sharedLinks } from '../../../db/tables/albums.ts';
import { type AssetFileKind, assetFiles } from '../../../db/tables/assets.ts';
import { startListener } from '../../../http/listener.ts';
import { recordVerdict, verifyOriginal } from '../../integrity/index.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeAll(async () => {
  me = await seed(database).user();
});

/** An asset whose original says 'original', with these derived files, each of which says its kind. */
async function add(
  fileName: string,
  kinds: readonly AssetFileKind[],
  over: Partial<Parameters<ReturnType<typeof seed>['asset']>[0]> = {},
) {
  const bytes = Buffer.from(`original ${fileName}`);
  const digest = sha256(bytes);
  const { paths } = database.deps;
  await write(originalPath(paths, digest), bytes);
  const owner = await seed(database).user();
  const id = await seed(database).asset({
    ownerId: owner.id,
    fileName,
    fileSize: bytes.length,
    sha256: digest,
    ...over,
  });
  for (const kind of kinds) {
    const name = derivedName(id, kind, 'webp');
    await write(join(paths.derived, name), Buffer.from(kind));
    const mimeType = kind === 'encoded_video' ? 'video/mp4' : 'image/webp';
    const row = { assetId: id, kind, name, mimeType, size: kind.length, tag: `tag-${kind}` };
    await database.db.insert(assetFiles).values(row);
  }
  return { id, owner, hex: toHex(digest) };
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await Bun.write(path, bytes);
}

async function read(id: string, route: string, caller: Caller) {
  const response = await send(app, `GET /assets/${id}/${route}`, caller);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const FILES = ['thumbnail', 'preview', 'fullsize', 'encoded_video'] as const;

describe('GET /assets/:id/thumbnail returns the requested size', () => {
  const cases: [string, AssetFileKind[], string, string][] = [
    ['a.jpg', [...FILES], 'thumbnail', 'thumbnail'],
    ['a.jpg', [...FILES], 'thumbnail?size=thumbnail', 'thumbnail'],
    ['a.jpg', [...FILES], 'thumbnail?size=preview&c=abc&edited=true', 'preview'],
    ['a.jpg', [...FILES], 'thumbnail?size=fullsize', 'original a.jpg'],
    ['a.heic', [...FILES], 'thumbnail?size=fullsize', 'fullsize'],
    ['a.heic', ['thumbnail', 'preview'], 'thumbnail?size=fullsize', 'preview'],
    ['a.heic', ['thumbnail', 'preview'], 'original', 'original a.heic'],
  ];
  for (const [fileName, kinds, route, expected] of cases) {
    test(`${fileName} with ${kinds.length} files: ${route} → ${expected}`, async () => {
      const { id, owner } = await add(fileName, kinds);
      const { status, text, headers } = await read(id, route, { as: owner });
      expect([status, text]).toEqual([200, expected]);
      expect(headers.get('cache-control')).toBe('private, no-cache, no-transform');
    });
  }

  test('returns 404 before a file has been rendered', async () => {
    const { id, owner } = await add('a.jpg', []);
    expect((await read(id, 'thumbnail', { as: owner })).status).toBe(404);
    expect((await read(id, 'thumbnail?size=huge', { as: owner })).status).toBe(400);
  });
});

test('returns 304 for a matching ETag', async () => {
  const { id, owner, hex } = await add('a.jpg', ['thumbnail']);
  const thumbnail = await read(id, 'thumbnail', { as: owner });
  expect(thumbnail.headers.get('etag')).toBe('"tag-thumbnail"');
  expect(thumbnail.headers.get('content-type')).toBe('image/webp');
  const headers = { 'if-none-match': '"tag-thumbnail"' };
  expect((await read(id, 'thumbnail', { as: owner, headers })).status).toBe(304);
  const original = await read(id, 'original', { as: owner });
  expect(original.headers.get('etag')).toBe(`"${hex}"`);
  expect(original.headers.get('content-disposition')).toContain('attachment; filename="a.jpg"');
});

test('playback serves the transcode, or the original without one, with byte ranges', async () => {
  const transcoded = await add('clip.avi', ['encoded_video'], { type: 'VIDEO' });
  const as = transcoded.owner;
  const whole = await read(transcoded.id, 'video/playback', { as });
  expect([whole.text, whole.headers.get('content-type')]).toEqual(['encoded_video', 'video/mp4']);
  const plain = await add('clip.mp4', [], { type: 'VIDEO' });
  const part = await read(plain.id, 'video/playback', {
    as: plain.owner,
    headers: { range: 'bytes=9-12' },
  });
  expect([part.status, part.text]).toEqual([206, 'clip']);
  expect(part.headers.get('content-range')).toBe('bytes 9-12/17');
  const picture = await add('a.jpg', []);
  expect((await read(picture.id, 'video/playback', { as: picture.owner })).status).toBe(404);
});

describe('a shared link', () => {
  async function link(values: Partial<typeof sharedLinks.$inferInsert>) {
    const asset = await add('a.jpg', ['thumbnail', 'preview']);
    const slug = crypto.randomUUID();
    const [row] = await database.db
      .insert(sharedLinks)
      .values({
        ownerId: asset.owner.id,
        type: 'INDIVIDUAL',
        slug,
        key: crypto.getRandomValues(new Uint8Array(50)),
        ...values,
      })
      .returning();
    await database.db.insert(sharedLinkAssets).values({ linkId: row!.id, assetId: asset.id });
    return { ...asset, query: `slug=${slug}` };
  }

  test('with downloads allowed serves the original', async () => {
    const { id, query } = await link({});
    expect((await read(id, `original?${query}`, {})).text).toBe('original a.jpg');
    expect((await read(id, `thumbnail?size=fullsize&${query}`, {})).text).toBe('original a.jpg');
  });

  test('with downloads or metadata disabled serves no original in any size', async () => {
    for (const values of [{ allowDownload: false }, { showMetadata: false }]) {
      const { id, query } = await link(values);
      for (const size of ['fullsize', 'original']) {
        const { text } = await read(id, `thumbnail?size=${size}&${query}`, {});
        expect(text).toBe('preview');
      }
    }
    const { id, query } = await link({ allowDownload: false });
    const refused = await read(id, `original?${query}`, {});
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      400,
      { message: 'Not found or no asset.download access' },
    ]);
  });
});

test('an API key without asset.download receives no original in any size', async () => {
  const { id, hex } = await add('a.jpg', ['thumbnail', 'preview']);
  const viewer = await seed(database).user(['asset.view', 'asset.read']);
  await database.sql`update asset set owner_id = ${viewer.id} where id = ${id}`;
  const viaKey = { as: viewer };
  for (const size of ['fullsize', 'original']) {
    const { status, text, headers } = await read(id, `thumbnail?size=${size}`, viaKey);
    expect([status, text]).toEqual([200, 'preview']);
    expect(headers.get('etag')).not.toContain(hex);
  }
  expect((await read(id, 'original', viaKey)).status).toBe(403);
  // The same account may, when it signs in.
  const whole = await read(id, 'thumbnail?size=original', { session: viewer });
  expect(whole.text).toBe('original a.jpg');
  // A video that is no file anybody can copy has none to show.
  const video = await add('clip.mp4', [], { type: 'VIDEO' });
  await database.sql`update asset set owner_id = ${viewer.id} where id = ${video.id}`;
  expect((await read(video.id, 'video/playback', viaKey)).status).toBe(404);
});

test('locked files are sent with Cache-Control: no-store', async () => {
  const { id, owner } = await add('a.jpg', ['thumbnail'], { lockedAt: NOW });
  await unlock(database, owner);
  for (const route of ['thumbnail', 'original']) {
    const { headers } = await read(id, route, { session: owner });
    expect(headers.get('cache-control')).toBe('private, no-store');
  }
  expect((await read(id, 'thumbnail', { as: me })).status).toBe(400);
});

describe('a derived file that is missing on disk', () => {
  const CASES = [
    ['IMAGE', 'thumbnail', 'thumbnail', 'assets.renderImage'],
    ['IMAGE', 'preview', 'thumbnail?size=preview', 'assets.renderImage'],
    ['VIDEO', 'thumbnail', 'thumbnail', 'assets.renderVideo'],
    ['VIDEO', 'encoded_video', 'video/playback', 'assets.transcodeVideo'],
  ] as const;
  for (const [type, kind, route, job] of CASES) {
    test(`${kind} of ${type} → 404, and its rendering is enqueued again`, async () => {
      const { id, owner } = await add('lost.mp4', FILES, { type });
      await rm(join(database.deps.paths.derived, derivedName(id, kind, 'webp')));
      const listener = await startListener({
        host: '127.0.0.1',
        port: 0,
        log: silentLog,
        fetch: (request) => app.fetch(request),
      });
      const stranger = await seed(database).user();
      const ask = (key: string) =>
        fetch(`${listener.url}/api/assets/${id}/${route}`, { headers: { 'x-api-key': key } });
      expect((await ask(stranger.key)).status).toBe(400);
      const jobs = () =>
        database.sql`select name from job where payload ->> 'assetId' = ${id} and state = 'waiting'`;
      expect(await jobs()).toHaveLength(0);
      // Asked for by two tiles, made once.
      for (const { status } of await Promise.all([ask(owner.key), ask(owner.key)]))
        expect(status).toBe(404);
      while ((await jobs()).length === 0) await Bun.sleep(5);
      expect([...(await jobs())]).toEqual([{ name: job }]);
      await listener.stop(50);
    });
  }
});

describe('a damaged file on disk', () => {
  const DAMAGES: Record<string, (path: string) => void> = {
    missing: (path) => rmSync(path),
    'cut short': (path) => truncateSync(path, 1),
    'a folder': (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    'a link that leads nowhere': (path) => {
      rmSync(path);
      symlinkSync('/nowhere', path);
    },
  };
  const ROUTES = [
    'original',
    'thumbnail',
    'thumbnail?size=preview',
    'thumbnail?size=fullsize',
    'thumbnail?size=original',
    'video/playback',
  ];
  for (const [name, damage] of Object.entries(DAMAGES)) {
    test(`${name}: no request returns 500 or serves a part as the whole file`, async () => {
      const listener = await startListener({
        host: '127.0.0.1',
        port: 0,
        log: silentLog,
        fetch: (request) => app.fetch(request),
      });
      const { paths } = database.deps;
      for (const type of ['IMAGE', 'VIDEO'] as const) {
        const fileName = `${name} ${type}.${type === 'VIDEO' ? 'mp4' : 'jpg'}`;
        const { id, owner, hex } = await add(fileName, ['thumbnail', 'preview'], { type });
        damage(originalPath(paths, Buffer.from(hex, 'hex')));
        for (const kind of ['thumbnail', 'preview']) {
          damage(join(paths.derived, derivedName(id, kind, 'webp')));
        }
        for (const route of ROUTES) {
          for (const range of [undefined, 'bytes=2-', 'bytes=0-1,3-4']) {
            const headers = { 'x-api-key': owner.key, ...(range && { range }) };
            const url = `${listener.url}/api/assets/${id}/${route}`;
            const answer = await fetch(url, { headers });
            expect(answer.status).toBe(404);
            expect(await answer.json()).toHaveProperty('message');
          }
        }
      }
      await listener.stop(50);
    });
  }

  /** Returns the query of a shared link. */
  async function share(id: string, ownerId: string, showMetadata: boolean): Promise<string> {
    const key = crypto.getRandomValues(new Uint8Array(50));
    const [link] = await database.db
      .insert(sharedLinks)
      .values({ ownerId, type: 'INDIVIDUAL', key, showMetadata, allowDownload: showMetadata })
      .returning();
    await database.db.insert(sharedLinkAssets).values({ linkId: link!.id, assetId: id });
    return `?key=${Buffer.from(key).toString('base64url')}`;
  }

  test.each(['IMAGE', 'VIDEO'] as const)(
    'bytes of the right length that a check has found damaged are served to nobody: %s',
    async (type) => {
      const fileName = `rot.${type === 'VIDEO' ? 'mp4' : 'jpg'}`;
      const { id, owner, hex } = await add(fileName, ['thumbnail', 'preview'], { type });
      const row = { sha256: Buffer.from(hex, 'hex'), size: `original ${fileName}`.length };
      const [full, bare] = [await share(id, owner.id, true), await share(id, owner.id, false)];
      const check = async () => {
        const verified = await verifyOriginal(database.deps.paths, row);
        expect(await recordVerdict(database.deps, row.sha256, verified)).toBe(true);
      };
      const routes = type === 'VIDEO' ? ['original', 'video/playback'] : ['original'];
      if (type === 'IMAGE') routes.push('thumbnail?size=fullsize');
      const readAll = async () => {
        const answers = [];
        for (const route of routes) {
          answers.push(await read(id, route, { as: owner }));
          answers.push(await read(id, route, { as: owner, headers: { range: 'bytes=0-3' } }));
          const headers = { 'if-none-match': `"${hex}"` };
          answers.push(await read(id, route, { as: owner, headers }));
          answers.push(
            await read(id, route + full.replace('?', route.includes('?') ? '&' : '?'), {}),
          );
        }
        return answers;
      };
      const download = async () => {
        const body = { assetIds: [id] };
        const archive = await send(app, 'POST /download/archive', { as: owner, body });
        return Buffer.from(await archive.bytes()).toString('latin1');
      };
      for (const { status } of await readAll()) expect(status).toBeLessThan(400);
      expect(await download()).toContain(`original ${fileName}`);

      const path = originalPath(database.deps.paths, row.sha256);
      await write(path, Buffer.from(`ORIGINAL ${fileName}`));
      await check();
      for (const { status, text } of await readAll()) {
        expect([status, JSON.parse(text).message]).toEqual([
          404,
          'The file is missing or damaged on the server',
        ]);
      }
      if (type === 'VIDEO') {
        expect((await read(id, `video/playback${bare}`, {})).status).toBe(404);
      }
      expect(await download()).not.toContain(`ORIGINAL ${fileName}`);
      expect((await read(id, 'thumbnail', { as: owner })).text).toBe('thumbnail');
      expect((await read(id, 'original', { as: me })).status).toBe(400);

      await write(path, Buffer.from(`original ${fileName}`));
      await check();
      for (const { status } of await readAll()) expect(status).toBeLessThan(400);
      expect(await download()).toContain(`original ${fileName}`);
    },
  );

  test('a guest receives 404 for the metadata-stripped copy of a damaged video', async () => {
    const { id, owner, hex } = await add('bare.mp4', [], { type: 'VIDEO' });
    const query = await share(id, owner.id, false);
    for (const damage of Object.values(DAMAGES)) {
      const path = originalPath(database.deps.paths, Buffer.from(hex, 'hex'));
      rmSync(path, { force: true, recursive: true });
      await write(path, Buffer.from('original bare.mp4'));
      damage(path);
      expect((await read(id, `video/playback${query}`, {})).status).toBe(404);
    }
  });
});

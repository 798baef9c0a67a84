import { beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { useApp } from '../../../../test/support/database.ts';
import { call, NOW, seed, send, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { derivedName } from '../../../core/paths.ts';
import { partners } from '../../../db/tables/identity.ts';
import { type AssetFileKind, assetFiles } from '../../../db/tables/assets.ts';
import { FILE_KINDS, listFileRefs, toFileId } from './file-id.ts';
import { parsePictureFlags } from './asset-files.domain.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
  await database.sql`delete from job`;
});

const getPath = (name: string) => join(database.deps.paths.derived, name);
const picture = (width = 8) =>
  sharp({ create: { width, height: 8, channels: 3, background: 'red' } });

/** An asset with these files, each of which holds its kind or these bytes. */
async function add(files: Partial<Record<AssetFileKind, Buffer | undefined>>, over: object = {}) {
  const id = await seed(database).asset({ ownerId: me.id, ...over });
  for (const [kind, bytes = Buffer.from(kind)] of Object.entries(files)) {
    const name = derivedName(id, kind as AssetFileKind, 'webp');
    await Bun.write(getPath(name), bytes);
    await database.db.insert(assetFiles).values({
      assetId: id,
      kind: kind as AssetFileKind,
      name,
      mimeType: 'image/webp',
      size: bytes.length,
      tag: `tag-${kind}`,
    });
  }
  return id;
}

const list = (query: string, as: TestUser = me) => call(app, `GET /asset-files?${query}`, { as });
const types = async (query: string): Promise<string[]> =>
  (await list(query)).body.map((file: { type: string; isEdited: boolean }) =>
    file.isEdited ? `edited ${file.type}` : file.type,
  );
const read = (id: string, as: TestUser = me) => call(app, `GET /asset-files/${id}`, { as });
const download = (id: string, as: TestUser = me) =>
  send(app, `GET /asset-files/${id}/download`, { as });
const remove = (id: string, as: TestUser = me) => call(app, `DELETE /asset-files/${id}`, { as });
const listJobs = async () =>
  (await database.sql`select name from job order by name`).map((row) => row['name'] as string);
const ALL = { thumbnail: undefined, preview: undefined, sidecar: undefined } as const;

describe('an id of a file', () => {
  test('differs by kind and leads back to the asset', () => {
    const assetId = crypto.randomUUID();
    const ids = FILE_KINDS.map((kind) => toFileId(assetId, kind));
    expect(new Set([assetId, ...ids]).size).toBe(FILE_KINDS.length + 1);
    for (const [at, kind] of FILE_KINDS.entries()) {
      expect(ids[at]!).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      const refs = listFileRefs(ids[at]!.toUpperCase());
      expect(refs.filter((ref) => ref.assetId === assetId)).toEqual([{ assetId, kind }]);
    }
  });
});

describe('the flags of a picture', () => {
  test('tell progressive JPEGs and transparent WebPs from others', async () => {
    const transparent = sharp({
      create: { width: 8, height: 8, channels: 4, background: '#ff000080' },
    });
    const flags = async (pixels: Promise<Buffer>) => {
      const { isProgressive, isTransparent } = parsePictureFlags(await pixels);
      return [isProgressive, isTransparent];
    };
    expect(await flags(picture().jpeg().toBuffer())).toEqual([false, false]);
    expect(await flags(picture().jpeg({ progressive: true }).toBuffer())).toEqual([true, false]);
    expect(await flags(picture().webp().toBuffer())).toEqual([false, false]);
    expect(await flags(transparent.webp().toBuffer())).toEqual([false, true]);
    expect(await flags(transparent.webp({ lossless: true }).toBuffer())).toEqual([false, true]);
    for (const bytes of ['', '\xff\xd8', 'RIFF', `RIFF${'x'.repeat(40)}`]) {
      expect(await flags(Promise.resolve(Buffer.from(bytes, 'latin1')))).toEqual([false, false]);
    }
  });
});

describe('the files of an asset', () => {
  test('are listed, filtered, and read one by one', async () => {
    const progressive = await picture().jpeg({ progressive: true }).toBuffer();
    const id = await add({
      thumbnail: undefined,
      preview: progressive,
      edited_preview: undefined,
      bare_video: undefined,
    });
    await add(ALL);
    expect(await types(`assetId=${id}`)).toEqual(['edited preview', 'preview', 'thumbnail']);
    expect(await types(`assetId=${id}&type=preview`)).toEqual(['edited preview', 'preview']);
    expect(await types(`assetId=${id}&isEdited=true`)).toEqual(['edited preview']);
    expect(await types(`assetId=${id}&isProgressive=true`)).toEqual(['preview']);
    expect(await types(`assetId=${id}&isTransparent=true`)).toEqual([]);
    const [file] = (await list(`assetId=${id}&type=preview&isEdited=false`)).body;
    expect(file).toMatchObject({ id: toFileId(id, 'preview'), path: expect.any(String) });
    expect((await read(file.id)).body).toEqual(file);
    const reply = await download(file.id);
    expect(Buffer.from(await reply.arrayBuffer())).toEqual(progressive);
    expect(reply.headers.get('content-disposition')).toStartWith('attachment');
  });

  test('that do not exist are refused like those of others', async () => {
    const id = await add({ thumbnail: undefined });
    for (const other of [toFileId(id, 'preview'), crypto.randomUUID()]) {
      expect((await read(other)).status).toBe(400);
      expect((await remove(other)).status).toBe(400);
    }
    expect((await read('no-id')).status).toBe(400);
    expect((await list('assetId=no-id')).status).toBe(400);
    expect((await list('')).status).toBe(400);
  });
});

describe('a deleted file', () => {
  test('is gone with its bytes, and made anew by its job', async () => {
    const id = await add({ ...ALL, encoded_video: undefined });
    const [{ path }] = (await list(`assetId=${id}&type=thumbnail`)).body;
    expect((await remove(toFileId(id, 'thumbnail'))).status).toBe(204);
    expect(existsSync(getPath(path))).toBe(false);
    expect(await types(`assetId=${id}`)).toEqual(['encoded_video', 'preview', 'sidecar']);
    expect(await listJobs()).toEqual(['assets.renderImage']);
    expect((await remove(toFileId(id, 'encoded_video'))).status).toBe(204);
    expect(await listJobs()).toEqual(['assets.renderImage', 'assets.transcodeVideo']);
    expect((await remove(toFileId(id, 'thumbnail'))).status).toBe(400);
  });

  test('of an edited picture stays until it is made anew: nobody sees the unedited one', async () => {
    const id = await add({ thumbnail: undefined, edited_thumbnail: undefined });
    expect((await remove(toFileId(id, 'edited_thumbnail'))).status).toBe(204);
    expect(await types(`assetId=${id}&isEdited=true`)).toEqual(['edited thumbnail']);
    expect((await download(toFileId(id, 'edited_thumbnail'))).status).toBe(200);
    expect(await listJobs()).toEqual(['assets.renderEdits']);
  });

  test('is never a sidecar', async () => {
    const id = await add(ALL);
    const reply = await remove(toFileId(id, 'sidecar'));
    expect([reply.status, reply.body.message]).toEqual([400, 'Sidecar files cannot be deleted']);
    expect(await types(`assetId=${id}&type=sidecar`)).toEqual(['sidecar']);
    expect(await listJobs()).toEqual([]);
  });
});

describe('access', () => {
  test('is that of the asset; sidecars and deletion are for the owner', async () => {
    const id = await add(ALL);
    const partner = await seed(database).user();
    await database.db.insert(partners).values({ sharerId: me.id, viewerId: partner.id });
    const { body } = await list(`assetId=${id}`, partner);
    expect(body.map((file: { type: string }) => file.type)).toEqual(['preview', 'thumbnail']);
    expect((await download(toFileId(id, 'preview'), partner)).status).toBe(200);
    expect((await read(toFileId(id, 'sidecar'), partner)).status).toBe(400);
    expect((await download(toFileId(id, 'sidecar'), partner)).status).toBe(400);
    expect((await remove(toFileId(id, 'preview'), partner)).status).toBe(400);
    const stranger = await seed(database).user();
    expect((await list(`assetId=${id}`, stranger)).status).toBe(400);
    expect((await read(toFileId(id, 'preview'), stranger)).status).toBe(400);
    expect((await download(toFileId(id, 'preview'), stranger)).status).toBe(400);
    expect((await remove(toFileId(id, 'preview'), stranger)).status).toBe(400);
    expect(await types(`assetId=${id}`)).toEqual(['preview', 'sidecar', 'thumbnail']);
  });

  test('to locked ones needs the PIN, and they are not stored by browsers', async () => {
    const id = await add(ALL, { lockedAt: NOW });
    expect((await list(`assetId=${id}`)).status).toBe(400);
    expect((await download(toFileId(id, 'preview'))).status).toBe(400);
    expect((await remove(toFileId(id, 'preview'))).status).toBe(400);
    await unlock(database, me);
    const route = `GET /asset-files/${toFileId(id, 'preview')}/download` as const;
    const reply = await send(app, route, { session: me });
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  });

  test('needs the permission of the key', async () => {
    const id = await add(ALL);
    const file = toFileId(id, 'preview');
    const weak = await seed(database).user(['asset.read']);
    expect((await list(`assetId=${id}`, weak)).status).toBe(403);
    expect((await read(file, weak)).status).toBe(403);
    expect((await download(file, weak)).status).toBe(403);
    expect((await remove(file, weak)).status).toBe(403);
    expect((await call(app, `GET /asset-files?assetId=${id}`)).status).toBe(401);
  });
});

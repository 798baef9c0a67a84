import { expect, test } from 'bun:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Value } from 'typebox/value';
import { t } from 'elysia';
import type { TSchema } from 'elysia';
import { useDatabase } from './support/database.ts';
import { call, testApp } from './support/harness.ts';
import { seedHousehold } from './support/household.ts';
import { originalPath } from '../src/storage/stored-file.ts';
import { ActivityResponseDto } from '../src/areas/activities/schemas.ts';
import { AlbumResponseDto } from '../src/areas/albums/schemas.ts';
import { SharedLinkResponseDto } from '../src/areas/shared-links/schemas.ts';
import { StackResponseDto } from '../src/areas/stacks/schemas.ts';
import { AssetBulkUploadCheckResponseDto } from '../src/areas/uploads/schemas.ts';
import { TagResponseDto, TagStatisticsResponseDto } from '../src/areas/tags/schemas.ts';

const database = await useDatabase();

test('lists that skip their schema say what is in it and nothing else', async () => {
  const app = testApp(database);
  const { owner, albumId, ids } = await seedHousehold(database);
  const tags = await call(app, 'PUT /tags', { as: owner, body: { tags: ['a/b', 'c'] } });
  await call(app, `PUT /tags/${tags.body[0].id}/assets`, { as: owner, body: { ids: [ids.plain] } });
  await call(app, 'POST /activities', {
    as: owner,
    body: { albumId, assetId: ids.plain, type: 'comment', comment: 'Well done' },
  });
  await database.sql`update album set cover_id = ${ids.plain}`;
  const lists: [`GET /${string}`, TSchema][] = [
    ['GET /albums', AlbumResponseDto],
    ['GET /tags', TagResponseDto],
    ['GET /tags/statistics', TagStatisticsResponseDto],
    ['GET /stacks', StackResponseDto],
    ['GET /shared-links', SharedLinkResponseDto],
    [`GET /activities?albumId=${albumId}`, ActivityResponseDto],
  ];
  for (const [route, schema] of lists) {
    const { status, body } = await call(app, route, { as: owner });
    expect(status).toBe(200);
    expect(body.length).toBeGreaterThan(0);
    expect([route, ...Value.Errors(t.Array(schema), body)]).toEqual([route]);
    expect(Value.Clean(t.Array(schema), structuredClone(body))).toEqual(body);
  }
  const [known] = await database.sql`
    select encode(sha1, 'hex') as checksum, sha256 from asset where id = ${ids.plain}`;
  // Nothing is a duplicate whose file is not there.
  const path = originalPath(database.deps.paths, known!['sha256']);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'x');
  const assets = [
    { id: 'known', checksum: known!['checksum'] },
    { id: 'new', checksum: '0'.repeat(40) },
  ];
  const { body } = await call(app, 'POST /assets/bulk-upload-check', {
    as: owner,
    body: { assets },
  });
  expect(body.results.map(({ action }: { action: string }) => action)).toEqual([
    'reject',
    'accept',
  ]);
  expect([...Value.Errors(AssetBulkUploadCheckResponseDto, body)]).toEqual([]);
  expect(Value.Clean(AssetBulkUploadCheckResponseDto, structuredClone(body))).toEqual(body);
});

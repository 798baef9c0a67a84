import { expect } from 'bun:test';
import type { App } from '../../src/app.ts';
import type { Album } from '../../src/areas/albums/schemas.ts';
import { call, type TestUser } from './harness.ts';

/** Returns the album as the server answers. */
export async function createAlbum(app: App, owner: TestUser, body: object = {}): Promise<Album> {
  const reply = await call(app, 'POST /albums', { as: owner, body: { albumName: 'A', ...body } });
  expect(reply.status).toBe(201);
  return reply.body;
}

export const readAlbum = async (app: App, as: TestUser, id: string): Promise<Album> =>
  (await call(app, `GET /albums/${id}`, { as })).body;

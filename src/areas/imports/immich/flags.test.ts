import { expect, setDefaultTimeout, test } from 'bun:test';
import { useDatabase } from '../../../../test/support/database.ts';
import { createCtx, seed } from '../../../../test/support/harness.ts';
import { createStill } from '../../../../test/support/live-photos.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import { createImmichClient } from './client.ts';
import { importFromImmich } from './immich-import.domain.ts';

setDefaultTimeout(300_000);

const database = await useDatabase();

/** Starts a server that lists all of its assets whatever is asked for, as versions before 1.133 do. */
async function startServer(flags: Record<string, object>) {
  const [userId, files] = [crypto.randomUUID(), new Map<string, Buffer>()];
  const assets: object[] = [];
  for (const [name, over] of Object.entries(flags)) {
    const [id, bytes] = [crypto.randomUUID(), await createStill()];
    files.set(id, bytes);
    assets.push({
      id,
      ownerId: userId,
      type: 'IMAGE',
      originalFileName: name,
      checksum: new Bun.CryptoHasher('sha1').update(bytes).digest('base64'),
      fileCreatedAt: '2019-04-01T10:00:00.000Z',
      localDateTime: '2019-04-01T10:00:00.000Z',
      isFavorite: false,
      ...over,
    });
  }
  const answers: Record<string, unknown> = {
    '/api/users/me': { id: userId },
    '/api/assets/statistics': { images: assets.length, videos: 0, total: assets.length },
    '/api/search/metadata': { assets: { items: assets, nextPage: null } },
    '/api/albums': [{ id: crypto.randomUUID(), albumName: 'All' }],
    '/api/tags': [],
    '/api/stacks': [],
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url);
      const bytes = files.get(/^\/api\/assets\/(.+)\/original$/.exec(pathname)?.[1] ?? '');
      if (bytes) return new Response(new Uint8Array(bytes));
      return pathname in answers
        ? Response.json(answers[pathname])
        : new Response('', { status: 404 });
    },
  });
  return { client: createImmichClient({ address: server.url.origin, key: 'x' }), server };
}

test('an asset that is told to be locked, hidden or in the trash is not shown here', async () => {
  const { id } = await seed(database).user();
  const { client, server } = await startServer({
    'plain.jpg': { visibility: 'timeline' },
    'archived.jpg': { visibility: 'archive' },
    'locked.jpg': { visibility: 'locked' },
    'hidden.jpg': { visibility: 'hidden' },
    'trashed.jpg': { visibility: 'timeline', isTrashed: true },
    'odd.jpg': { visibility: 'elsewhere' },
  });
  const ctx = createCtx(database, (await findAccountSession(database.db, id))!);
  const events = { onProgress: () => {}, onRefused: () => {} };
  const report = await importFromImmich(ctx, { ownerId: id, client }, {}, events);
  await server.stop(true);
  expect(report).toMatchObject({ taken: 4, refused: 0, albumItems: 3 });
  const rows = await database.sql`
    select file_name, visibility, locked_at is not null as is_locked,
      exists (select 1 from album_asset where asset_id = id) as is_in_album
    from asset where owner_id = ${id} order by 1`;
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['archived.jpg', 'archive', false, true],
    ['locked.jpg', 'timeline', true, false],
    ['odd.jpg', 'timeline', false, true],
    ['plain.jpg', 'timeline', false, true],
  ]);
});

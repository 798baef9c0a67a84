import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../../test/support/harness.ts';
import { core } from '../../../../test/support/workflows.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (over: object = {}) => seed(database).asset({ ownerId: me.id, ...over });
const preview = (steps: readonly object[], caller: Caller = { as: me }) =>
  call(app, 'POST /workflows/preview', { ...caller, body: { steps } });

describe('a preview', () => {
  test('tells what the filters let pass, newest first, and does nothing', async () => {
    const old = await add({ fileName: 'shot.png', takenAt: new Date('2020-01-01') });
    const archived = await add({
      fileName: 'shot.png',
      takenAt: new Date('2021-01-01'),
      visibility: 'archive',
    });
    await add({ fileName: 'other.png' });
    const { status, body } = await preview([
      core('assetFileFilter', { pattern: 'shot' }),
      core('assetFavorite'),
    ]);
    expect([status, body]).toEqual([
      200,
      { total: 3, matched: 2, waiting: 0, assetIds: [archived, old] },
    ]);
    const { body: asset } = await call(app, `GET /assets/${old}`, { as: me });
    expect(asset.isFavorite).toBe(false);
  });

  test('is not about items of others, nor locked, hidden or trashed ones', async () => {
    const stranger = await seed(database).user();
    await seed(database).asset({ ownerId: stranger.id });
    await add({ lockedAt: new Date() });
    await add({ trashedAt: new Date() });
    await add({ visibility: 'hidden' });
    expect((await preview([])).body).toEqual({ total: 0, matched: 0, waiting: 0, assetIds: [] });
  });

  test('counts what recognition has not seen as waiting', async () => {
    const [seen, unseen] = [await add(), await add()];
    await database.sql`
      insert into asset_analysis (asset_id, task, model_id) values (${seen}, 'text', 'm')`;
    const steps = [{ method: 'safelight#documentFilter', config: { inverse: true } }];
    const { body } = await preview(steps);
    expect(body).toEqual({ total: 2, matched: 1, waiting: 1, assetIds: [seen] });
    expect(body.assetIds).not.toContain(unseen);
  });

  test('looks at the newest thousand and lists fifty', async () => {
    await database.sql`
      insert into original (sha256, size)
      select sha256(n::text::bytea), 1 from generate_series(1, 1005) n on conflict do nothing`;
    await database.sql`
      insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at, local_taken_at,
        file_modified_at)
      select ${me.id}, 'IMAGE', sha256(n::text::bytea), substring(sha256(n::text::bytea) for 20),
        'a.jpg', 1, now() - n * interval '1 hour', now() - n * interval '1 hour', now()
      from generate_series(1, 1005) n`;
    const { body } = await preview([]);
    expect([body.total, body.matched, body.assetIds.length]).toEqual([1000, 1000, 50]);
  });

  test('refuses steps that cannot run, and keys without the permission', async () => {
    const { status, body } = await preview([core('nothing')]);
    expect([status, body.errors[0].path]).toEqual([400, ['steps', '0', 'method']]);
    const other = await seed(database).user(['workflow.create', 'workflow.read']);
    expect((await preview([], { as: other })).status).toBe(403);
    expect((await preview([], {})).status).toBe(401);
  });
});

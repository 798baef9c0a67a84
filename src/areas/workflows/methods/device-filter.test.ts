import { expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { photoForm, randomFileBytes, upload } from '../../../../test/support/forms.ts';
import { call, type Caller, seed } from '../../../../test/support/harness.ts';
import { addWorkflow, core, own, runWorkflows } from '../../../../test/support/workflows.ts';

const { database, app } = await useApp();

test('the device that uploads is known as it has logged in, or by its API key', async () => {
  const me = await seed(database).user();
  await database.sql`
    update session set device_type = 'Pixel 9', device_os = 'Android' where user_id = ${me.id}`;
  await database.sql`update api_key set name = 'Scanner' where user_id = ${me.id}`;
  const { body: album } = await call(app, 'POST /albums', { as: me, body: { albumName: 'A' } });
  const body = { type: 'ALBUM', albumId: album.id, allowUpload: true };
  const { body: link } = await call(app, 'POST /shared-links', { as: me, body });
  const add = async (caller: Caller, query = ''): Promise<string> =>
    (await upload(app, photoForm(randomFileBytes()), { ...caller, query })).body.id;
  const phone = await add({ session: me });
  const scanner = await add({ as: me });
  const guest = await add({}, `?key=${link.key}`);

  const trigger = { trigger: 'AssetCreate' };
  const byDevice = (pattern: string) => own('deviceFilter', { pattern });
  await addWorkflow(app, me, [byDevice('android'), core('assetFavorite')], trigger);
  await addWorkflow(app, me, [byDevice('scanner'), core('assetArchive')], trigger);
  const later = [await add({ session: me }), await add({ as: me })];
  await add({}, `?key=${link.key}`);
  await runWorkflows(database);

  type Row = { id: string; is_favorite: boolean; visibility: string; uploaded_from: string | null };
  const rows = await database.sql<Row[]>`
    select id, is_favorite, visibility, uploaded_from from asset where owner_id = ${me.id}
    order by created_at, id`;
  const find = (id: string) => rows.find((row) => row.id === id)!;
  expect(find(phone).uploaded_from).toBe('Pixel 9 Android');
  expect(find(scanner).uploaded_from).toBe('Scanner');
  expect(find(guest).uploaded_from).toBeNull();
  const listWhere = (test: (row: Row) => boolean) => rows.filter(test).map((row) => row.id);
  expect(listWhere((row) => row.is_favorite)).toEqual([later[0]!]);
  expect(listWhere((row) => row.visibility === 'archive')).toEqual([later[1]!]);
});

import { expect, test } from 'bun:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useDatabase } from '../../../test/support/database.ts';
import { runEffect } from '../../../test/support/films.ts';
import { seed } from '../../../test/support/harness.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { derivedName } from '../../core/paths.ts';
import { FILE_OWNERS } from '../../storage/files.store.ts';
import { handleRemakeMissingFiles } from './remake.handlers.ts';

const database = await useDatabase();
const { sql, deps } = database;

/** Adds an image whose files of these kinds are named by the database; those of `present` are in the folder. */
async function addImage(kinds: readonly string[], present: readonly string[]): Promise<string> {
  const { id: ownerId } = await seed(database).user();
  const id = await seed(database).asset({ ownerId });
  for (const kind of kinds) {
    const name = derivedName(id, kind, 'jpg');
    await sql`insert into asset_file values (${id}, ${kind}, ${name}, 'image/jpeg', 1, 't')`;
    if (!present.includes(kind)) continue;
    await mkdir(dirname(join(deps.paths.derived, name)), { recursive: true });
    await writeFile(join(deps.paths.derived, name), 'x');
  }
  return id;
}

test('only files that are missing and can be made are made again, of all that name some', async () => {
  const kinds = ['thumbnail', 'preview'];
  await addImage(kinds, kinds);
  const half = await addImage(kinds, ['preview']);
  const none = await addImage(kinds, []);
  await addImage([...kinds, 'sidecar'], kinds);
  await sql`update app_user set profile_image = 'gone.webp'`;
  await sql`truncate job`;
  await runEffect(database, handleRemakeMissingFiles(jobCtx(database), {}));
  const listJobs = (name: string) =>
    sql<{ payload: { assetId: string } }[]>`select payload from job where name = ${name}`;
  const rendered = await listJobs('assets.renderImage');
  expect(new Set(rendered.map(({ payload }) => payload.assetId))).toEqual(new Set([half, none]));
  const [other] = await sql`select count(*)::int as count from job
    where name not in ('assets.renderImage', 'objectStorage.remakeMissingFiles')`;
  expect(other!['count']).toBe(0);
  // It goes on where it has stopped, and ends after the last owner.
  await sql`truncate job`;
  const last = { owner: FILE_OWNERS.at(-1)!, after: { id: crypto.randomUUID(), kind: '' } };
  await runEffect(database, handleRemakeMissingFiles(jobCtx(database), last));
  expect(await sql`select from job`).toHaveLength(0);
});

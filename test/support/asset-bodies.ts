import { sql as query } from 'drizzle-orm';
import { visibleAssets } from '../../src/access/scope.ts';
import { findBodies, toViewOptions } from '../../src/areas/assets/domain.ts';
import { bodyName, findViews } from '../../src/areas/assets/store.ts';
import { toAsset } from '../../src/areas/assets/view.ts';
import type { Ctx } from '../../src/core/context.ts';
import { column } from '../../src/db/columns.ts';
import { queryRows } from '../../src/db/query.ts';

/** The names as a listing of everything in reach selects them. */
export async function selectNames(
  ctx: Ctx,
  ids: readonly string[],
  withExif = true,
): Promise<string[]> {
  const rows = await queryRows(
    ctx.db,
    { name: column.text },
    query`select ${bodyName(toViewOptions(ctx.session, withExif))} as name
      from ${visibleAssets(ctx.db, ctx.session, 'any')}
      left join asset_exif exif on exif.asset_id = asset.id
      where asset.id = any(${`{${ids.join()}}`}::uuid[]) order by asset.id`,
  );
  return rows.map(({ name }) => name);
}
export const find = async (ctx: Ctx, names: readonly string[], withExif = true) =>
  findBodies(ctx, names, toViewOptions(ctx.session, withExif));
export const show = async (ctx: Ctx, ids: readonly string[]) =>
  find(ctx, await selectNames(ctx, ids));

/** The same texts, read and written anew. */
export async function render(ctx: Ctx, ids: readonly string[], withExif = true): Promise<string[]> {
  const views = new Map((await findViews(ctx, ids)).map((view) => [view.id, view]));
  const options = toViewOptions(ctx.session, withExif);
  return ids.map((id) => JSON.stringify(toAsset(views.get(id)!, options)));
}

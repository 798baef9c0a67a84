import { sql } from 'drizzle-orm';

/** Condition on a row named "asset": its owner has edited or adjusted the picture. */
export const IS_EDITED = sql.raw(`(
  exists (select from asset_edit where asset_edit.asset_id = asset.id)
  or exists (select from asset_adjustment where asset_adjustment.asset_id = asset.id))`);

import { checkedAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';

export type ItemSelection = {
  readonly ids: readonly string[];
  /** State revision of each id. An item whose revision has changed is skipped. */
  readonly revisions?: readonly number[] | undefined;
};

/**
 * Selects and locks the items whose revision is unchanged, in the order of their ids, so that two moves
 * cannot deadlock.
 */
export const selectUnchanged = (
  { ids, revisions = [] }: ItemSelection,
  condition: SQL,
  lock: SQL,
): SQL => sql`
  select asset.id, asset.live_video_id
  from unnest(${uuids(ids)}, ${`{${revisions.join(',')}}`}::int[]) chosen (id, revision)
  join ${checkedAssets} on asset.id = chosen.id
  where ${condition} and (chosen.revision is null or chosen.revision = asset.state_revision)
  order by asset.id for ${lock} of asset`;

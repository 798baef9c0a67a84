import { unscopedAssets } from '../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';

export type Chosen = {
  readonly ids: readonly string[];
  /** Of each, in their order: one that has another by now is left alone. */
  readonly revisions?: readonly number[] | undefined;
};

/**
 * Rows of the chosen items that are still as they were, locked in the order of their ids, so that two
 * moves never wait for each other.
 */
export const stillAsChosen = (
  { ids, revisions = [] }: Chosen,
  condition: SQL,
  lock: SQL,
): SQL => sql`
  select asset.id, asset.live_video_id
  from unnest(${uuids(ids)}, ${`{${revisions.join(',')}}`}::int[]) chosen (id, revision)
  join ${unscopedAssets} on asset.id = chosen.id
  where ${condition} and (chosen.revision is null or chosen.revision = asset.state_revision)
  order by asset.id for ${lock} of asset`;

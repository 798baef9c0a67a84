import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/** A link that was deleted meanwhile is not counted. */
export async function countOpened(db: Db, linkId: string, now: Date): Promise<void> {
  const at = now.toISOString();
  await queryRows(
    db,
    sql`insert into shared_link_use (link_id, opened_count, last_opened_at)
      select id, 1, ${at} from shared_link where id = ${linkId} for key share
      on conflict (link_id) do update
        set opened_count = shared_link_use.opened_count + 1, last_opened_at = ${at}`,
  );
}

export async function countDownloaded(db: Db, linkId: string): Promise<void> {
  await queryRows(
    db,
    sql`insert into shared_link_use (link_id, downloaded_count)
      select id, 1 from shared_link where id = ${linkId} for key share
      on conflict (link_id) do update
        set downloaded_count = shared_link_use.downloaded_count + 1`,
  );
}

const LINK_USE = {
  linkId: column.uuid,
  openedCount: column.bigint,
  downloadedCount: column.bigint,
  lastOpenedAt: column.timestamptz.orNull,
};
export type LinkUse = InferRow<typeof LINK_USE>;

/** Returns the uses of the owner's links; those of which nobody has made use are left out. */
export const listLinkUses = (db: Db, ownerId: string): Promise<LinkUse[]> =>
  queryRows(
    db,
    LINK_USE,
    sql`select link_id as "linkId", opened_count as "openedCount",
        downloaded_count as "downloadedCount", last_opened_at as "lastOpenedAt"
      from shared_link_use join shared_link on shared_link.id = link_id
      where owner_id = ${ownerId} order by link_id`,
  );

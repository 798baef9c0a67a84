import { type SQL, sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { AssetType } from '../../../db/tables/assets.ts';

const COLUMNS = {
  id: column.uuid,
  type: column.text.as<AssetType>(),
  mustBeRead: column.boolean,
  mustBeRendered: column.boolean,
};

/** Its metadata was given up: each reading that succeeds says where the date is from. */
const IS_UNREAD: SQL = sql`(asset.metadata_read_at is not null and not exists (
  select from asset_exif exif where exif.asset_id = asset.id and exif.date_source is not null))`;

/** Bytes of UTF-8 as letters of Windows-1252: 'KÃ¶ln'. */
const GARBLED = '[\\u00C2-\\u00F4][\\u0080-\\u00BF€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]';

/**
 * Earlier versions read some texts in the wrong encoding, with a question mark for each letter that they did not know,
 * and let a sidecar replace more than it knew.
 */
const IS_MISREAD: SQL = sql`(asset.metadata_read_at is not null and (
  exists (select from asset_file file where file.asset_id = asset.id and file.kind = 'sidecar')
  or exists (select from asset_exif exif where exif.asset_id = asset.id
    and (exif.description ~ ${GARBLED} or strpos(exif.description, '?') > 0))
  or exists (select from tag_asset link join tag on tag.id = link.tag_id
    where link.asset_id = asset.id and tag.value ~ ${GARBLED})))`;

/** Phones that write motion photos whose clip was not found where they do not say its place. */
const MOTION_MAKES = '^(samsung|huawei|honor|xiaomi|redmi|poco|oppo|oneplus|realme|vivo|motorola)';
const IS_PERHAPS_MOTION: SQL = sql`(asset.metadata_read_at is not null and asset.type = 'IMAGE'
  and asset.live_video_id is null and asset.file_name ~* '[.](jpe?g|hei[cf])$'
  and exists (select from asset_exif exif where exif.asset_id = asset.id and exif.make ~* ${MOTION_MAKES}))`;

/** Reasons that say nothing about the file: time, a crash, and a tool that could not be started or open it. */
const MACHINE_REASONS =
  '^(timeout|interrupted|killed):|exit 12[567]\\M|could not be started|cannot open|could not open|no such file|' +
  'permission denied|shared librar|symbol lookup|input/output error';

const MUST_BE_READ: SQL = sql`(${IS_UNREAD} or ${IS_MISREAD} or ${IS_PERHAPS_MOTION})`;

const IS_BROKEN: SQL = sql`coalesce(asset.broken_reason ~* ${MACHINE_REASONS}, false)`;

/** Earlier versions did not measure films without a length in their header. */
const HAS_NO_LENGTH: SQL = sql`(asset.type in ('VIDEO', 'AUDIO') and coalesce(asset.duration_ms, 0) = 0
  and asset.broken_reason is null and asset.metadata_read_at is not null)`;

/** Earlier versions had one decoder for each of these, which left out colours, or made them black. */
const IS_RARE_PICTURE: SQL = sql`(asset.type = 'IMAGE' and asset.metadata_read_at is not null
  and asset.file_name ~* '[.](tiff?|bmp|tga|jp2|jxl|avif|dng)$')`;

const MUST_BE_RENDERED: SQL = sql`(${IS_BROKEN} or ${HAS_NO_LENGTH} or ${IS_RARE_PICTURE})`;

/** Returns the next assets by id that were perhaps given up because of the machine, or were misread. */
export const listMisjudged = (
  db: Db,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<InferRow<typeof COLUMNS>[]> =>
  queryRows(
    db,
    COLUMNS,
    sql`
    select asset.id, asset.type, ${MUST_BE_READ} as "mustBeRead", ${MUST_BE_RENDERED} as "mustBeRendered"
    from ${backgroundAssets}
    where (${MUST_BE_READ} or ${MUST_BE_RENDERED}) ${after === undefined ? sql`` : sql`and asset.id > ${after}::uuid`}
    order by asset.id limit ${limit}::int`,
  );

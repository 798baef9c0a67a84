import { type SQL, sql } from 'drizzle-orm';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, queryPrepared } from '../../db/query.ts';
import { STACK_SIZE } from '../stacks/members/index.ts';
import {
  isOwnFavorite,
  orderDirection,
  type Selection,
  selectItems,
  type TimelineReader,
} from './store.ts';

const formatInstant = (clock: string) =>
  `'"' || to_char(${clock}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`;
/** Hides the place, and the time zone that reveals it, from viewers who may not know it. */
const unlessPlaceHidden = (shown: string, hidden = 'null') =>
  `case when item.shows_place then ${shown} else ${hidden} end`;
const toQuoted = (text: string) => `coalesce('"' || ${text} || '"', 'null')`;
const toJson = (text: string) => `coalesce(to_json(${text})::text, 'null')`;

/**
 * Members of the response that differ by item. PostgreSQL formats them as JSON, which is cheaper than
 * rows.
 */
const COLUMNS = {
  id: `'"' || item.id || '"'`,
  ownerId: `'"' || item.owner_id || '"'`,
  ratio: `case when item.width > 0 and item.height > 0
    then round(item.width::numeric / item.height, 3)::text else '1' end`,
  isFavorite: 'item.is_favorite::text',
  visibility: `case when item.locked_at is null then '"' || item.visibility || '"' else '"locked"' end`,
  isTrashed: '(item.trashed_at is not null)::text',
  isImage: `(item.type = 'IMAGE')::text`,
  isAudio: `(item.type = 'AUDIO')::text`,
  thumbhash: toQuoted(`encode(item.thumbhash, 'base64')`),
  fileCreatedAt: formatInstant(
    unlessPlaceHidden(`item.taken_at at time zone 'utc'`, 'item.local_taken_at'),
  ),
  createdAt: formatInstant(`item.created_at at time zone 'utc'`),
  /** Local time, formatted as UTC. */
  localAt: formatInstant('item.local_taken_at'),
  localOffsetHours: unlessPlaceHidden(
    `(extract(epoch from item.local_taken_at - item.taken_at at time zone 'utc')::float8
      / 3600)::text`,
    `'0'`,
  ),
  duration: `coalesce(item.duration_ms::text, 'null')`,
  projectionType: toJson('item.projection_type'),
  livePhotoVideoId: toQuoted('item.live_video_id::text'),
  city: toJson(unlessPlaceHidden('item.city')),
  country: toJson(unlessPlaceHidden('item.country')),
  latitude: `coalesce(${unlessPlaceHidden('item.latitude')}::text, 'null')`,
  longitude: `coalesce(${unlessPlaceHidden('item.longitude')}::text, 'null')`,
  // A stack with one visible item is not shown as a stack.
  stack: `case when item.stack_size > 1
    then '["' || item.stack_id || '","' || item.stack_size || '"]' else 'null' end`,
} as const;
export type Column = keyof typeof COLUMNS;

/** Each column as the inside of a JSON array; empty without items. */
export type Columns = { readonly count: number; readonly byName: ReadonlyMap<Column, string> };

const LIST = column.text.orNull;

/** The schema of `selectColumns`. */
const toSchema = (columns: readonly Column[]) => ({
  ...(Object.fromEntries(columns.map((name) => [name, LIST])) as {
    readonly [Name in Column]?: typeof LIST;
  }),
  count: column.bigint,
});
type ColumnsRow = InferRow<ReturnType<typeof toSchema>>;

const toColumns = (row: ColumnsRow, columns: readonly Column[]): Columns => ({
  count: Number(row.count),
  byName: new Map(columns.map((name) => [name, row[name] ?? ''])),
});

export async function readBucket(
  reader: TimelineReader,
  selection: Selection,
  month: string,
  columns: readonly Column[],
): Promise<Columns> {
  const rows = await queryPrepared(
    reader.db,
    toSchema(columns),
    selectColumns(reader, selection, month, columns),
  );
  return toColumns(getRow(rows), columns);
}

/** Selects one row: the number of items, and the columns. */
function selectColumns(
  reader: TimelineReader,
  selection: Selection,
  month: string,
  columns: readonly Column[],
): SQL {
  const lists = columns.map((name) => `string_agg(${COLUMNS[name]}, ',') as "${name}"`).join(', ');
  const by = selection.by === 'takenAt' ? sql`asset.local_taken_at` : sql`asset.created_at`;
  const order = orderDirection(selection);
  return sql`select count(*) as count, ${sql.raw(lists)}
    from (
      select asset.id, asset.owner_id, asset.width, asset.height,
        ${isOwnFavorite(reader)} as is_favorite,
        asset.visibility, asset.locked_at, asset.trashed_at, asset.type, asset.thumbhash,
        asset.taken_at, asset.local_taken_at, asset.created_at, asset.duration_ms,
        asset.live_video_id, asset.stack_id, ${STACK_SIZE} as stack_size,
        exif.projection_type, asset.shows_place, exif.city, exif.country, exif.latitude,
        exif.longitude
      ${selectItems(reader, selection, { month })}
      order by ${by} ${order}, asset.id ${order}
    ) item`;
}

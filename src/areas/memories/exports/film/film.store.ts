import { sql } from 'drizzle-orm';
import { ownAssets } from '../../../../access/scope.ts';
import type { UserSession } from '../../../../access/session.ts';
import { uuids } from '../../../../db/arrays.ts';
import type { Db } from '../../../../db/client.ts';
import { column, type InferRow } from '../../../../db/columns.ts';
import { queryRows } from '../../../../db/query.ts';

/** Part of a picture: edges from 0 to 1. */
export type Box = {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
};

const FILM_ASSET_COLUMNS = {
  id: column.uuid,
  type: column.text.as<'IMAGE' | 'VIDEO'>(),
  isFavorite: column.boolean,
  /** Local time as 'YYYY-MM-DD HH:MM:SS'. */
  localTakenAt: column.text,
  place: column.text.orNull,
  durationMs: column.integer.orNull,
  /** Hex. */
  sha256: column.text,
  /** Names in the derived folder; the edited picture goes first. */
  picture: column.text,
  isEdited: column.boolean,
  /** Changes with every rendering. */
  pictureTag: column.text,
  encodedVideo: column.text.orNull,
  faces: column.json<readonly Box[]>(),
  /** Start of the best part of a video in ms. */
  bestMs: column.integer.orNull,
};

/** An asset as a film may show it. */
export type FilmAsset = InferRow<typeof FILM_ASSET_COLUMNS>;

/**
 * Returns those of `ids` that a film may show, by id: the caller's own pictures and videos on the Timeline
 * that have a preview, never Locked ones. The best part of a video is a moment of its owner, or its best
 * scene.
 */
export async function findFilmAssets(
  db: Db,
  session: UserSession,
  ids: readonly string[],
): Promise<Map<string, FilmAsset>> {
  const rows = await queryRows(
    db,
    FILM_ASSET_COLUMNS,
    sql`
    select asset.id, asset.type, asset.is_favorite as "isFavorite",
      asset.local_taken_at::text as "localTakenAt", asset.duration_ms as "durationMs",
      encode(asset.sha256, 'hex') as sha256, coalesce(exif.city, exif.state, exif.country) as place,
      picture.name as picture, picture.kind = 'edited_preview' as "isEdited",
      picture.tag as "pictureTag", encoded.name as "encodedVideo",
      coalesce((
        select jsonb_agg(jsonb_build_object('x1', x1, 'y1', y1, 'x2', x2, 'y2', y2) order by face.id)
        from face where face.asset_id = asset.id and not face.is_hidden), '[]') as faces,
      coalesce(
        (select start_ms from video_moment where asset_id = asset.id and kind = 'manual'
          order by start_ms limit 1),
        (select start_ms from video_frame where asset_id = asset.id order by rank limit 1)
      ) as "bestMs"
    from ${ownAssets(db, { ...session, unlocked: false }, 'timeline')}
    left join asset_exif exif on exif.asset_id = asset.id
    left join asset_file encoded
      on encoded.asset_id = asset.id and encoded.kind = 'encoded_video'
    cross join lateral (
      select name, kind, tag from asset_file
      where asset_id = asset.id and kind in ('edited_preview', 'preview') order by kind limit 1
    ) picture
    where asset.id = any(${uuids(ids)}) and asset.type in ('IMAGE', 'VIDEO')
      and asset.broken_reason is null`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

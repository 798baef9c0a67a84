import { backgroundAssets as assets } from '../../../access/unscoped.ts';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import {
  type AssetFileKind,
  type AssetType,
  assetExif,
  assetFiles,
  assetUnedited,
} from '../../../db/tables/assets.ts';
import { withoutFolders } from '../../../media/errors.ts';

// Jobs read every asset, of any owner and in any state; their results are read through the scope.

export type ProcessedAsset = {
  readonly id: string;
  readonly ownerId: string;
  readonly type: AssetType;
  readonly sha256: Uint8Array;
  readonly fileName: string;
  readonly takenAt: Date;
  readonly liveVideoId: string | null;
};

/** The columns of `ProcessedAsset`. */
export const PROCESSED_ASSET = {
  id: assets.id,
  ownerId: assets.ownerId,
  type: assets.type,
  sha256: assets.sha256,
  fileName: assets.fileName,
  takenAt: assets.takenAt,
  liveVideoId: assets.liveVideoId,
};

export type AssetForRender = ProcessedAsset & {
  readonly colorspace: string | null;
  readonly orientation: string | null;
};

export async function findForRender(db: Db, id: string): Promise<AssetForRender | undefined> {
  const [row] = await db
    .select({
      ...PROCESSED_ASSET,
      colorspace: assetExif.colorspace,
      orientation: assetExif.orientation,
    })
    .from(assets)
    .leftJoin(assetExif, eq(assetExif.assetId, assets.id))
    .where(eq(assets.id, sql.placeholder('id')))
    .prepare('processing.findForRender')
    .execute({ id });
  return row;
}

/** Locks the row until commit. Returns false when the asset was deleted. */
export async function lockAsset(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(eq(assets.id, sql.placeholder('id')))
    .for('no key update')
    .prepare('processing.lockAsset')
    .execute({ id });
  return rows.length > 0;
}

export const saveBroken = async (
  db: Db,
  id: string,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<void> => {
  await db
    .update(assets)
    .set({ brokenReason: withoutFolders(reason), damage: null, updatedAt: now })
    .where(eq(assets.id, id));
};

export type DerivedFile = {
  readonly kind: AssetFileKind;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly tag: string;
};

export type Rendered = {
  /** A recording in a container of films may have been replaced by a film. */
  readonly type: AssetType;
  readonly thumbhash: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** True if only an embedded preview was rendered: the size in the metadata wins. */
  readonly isPreviewSize: boolean;
  readonly durationMs: number | undefined;
  /** Why a part of the file is not shown. */
  readonly damage: string | undefined;
  readonly now: Date;
};

const toDamage = (damage: string | undefined) => damage && withoutFolders(damage);

/** Returns undefined when the asset was deleted; the caller then deletes the files. */
export async function saveRendered(
  db: Db,
  id: string,
  rendered: Rendered,
  files: readonly DerivedFile[],
): Promise<{ readonly isEdited: boolean } | undefined> {
  const { type, thumbhash, width, height, isPreviewSize, durationMs, damage, now } = rendered;
  // The row of an edited asset holds size and thumbhash of the edited picture.
  const isEdited = sql<boolean>`exists (select from asset_unedited where asset_id = ${id})`;
  const unlessEdited = (column: PictureColumn, value: SQL) =>
    sql`case when ${isEdited} then ${column} else ${value} end`;
  const size = (column: PictureColumn, value: number) =>
    isPreviewSize ? sql`coalesce(${column}, ${value})` : sql`${value}::int`;
  const [saved] = await db
    .update(assets)
    .set({
      type,
      thumbhash: unlessEdited(assets.thumbhash, sql`${sql.param(thumbhash, assets.thumbhash)}`),
      width: unlessEdited(assets.width, size(assets.width, width)),
      height: unlessEdited(assets.height, size(assets.height, height)),
      ...(durationMs !== undefined && { durationMs }),
      brokenReason: null,
      damage: toDamage(damage) ?? null,
      updatedAt: now,
    })
    .where(eq(assets.id, id))
    .returning({ isEdited })
    .prepare('processing.saveRendered')
    .execute();
  if (!saved) return undefined;
  await saveFiles(db, id, files);
  if (saved.isEdited) {
    await db.update(assetUnedited).set({ thumbhash }).where(eq(assetUnedited.assetId, id));
  }
  return saved;
}

export type RenderedSound = {
  /** The thumbhash of the cover; null without one. */
  readonly thumbhash: Uint8Array | null;
  readonly durationMs: number | undefined;
  readonly damage: string | undefined;
  readonly now: Date;
};

/**
 * Saves that a file is sound that can be read, and the pictures of its cover. Returns the names of files of a
 * former cover, which nothing refers to any more; undefined when the asset was deleted.
 */
export async function saveSound(
  db: Db,
  id: string,
  { thumbhash, durationMs, damage, now }: RenderedSound,
  files: readonly DerivedFile[],
): Promise<string[] | undefined> {
  const [saved] = await db
    .update(assets)
    .set({
      type: 'AUDIO',
      thumbhash,
      ...(durationMs !== undefined && { durationMs }),
      brokenReason: null,
      damage: toDamage(damage) ?? null,
      updatedAt: now,
    })
    .where(eq(assets.id, id))
    .returning({ id: assets.id });
  if (!saved) return undefined;
  const former = await db
    .delete(assetFiles)
    .where(and(eq(assetFiles.assetId, id), inArray(assetFiles.kind, ['thumbnail', 'preview'])))
    .returning({ name: assetFiles.name });
  if (files.length > 0) await saveFiles(db, id, files);
  const kept = new Set(files.map(({ name }) => name));
  return former.map(({ name }) => name).filter((name) => !kept.has(name));
}

type PictureColumn = typeof assets.thumbhash | typeof assets.width | typeof assets.height;

export async function saveFiles(
  db: Db,
  assetId: string,
  files: readonly DerivedFile[],
): Promise<void> {
  await db
    .insert(assetFiles)
    .values(files.map((file) => ({ assetId, ...file })))
    .onConflictDoUpdate({
      target: [assetFiles.assetId, assetFiles.kind],
      set: {
        name: sql`excluded.name`,
        mimeType: sql`excluded.mime_type`,
        size: sql`excluded.size`,
        tag: sql`excluded.tag`,
        createdAt: sql`now()`,
      },
    })
    .prepare('processing.saveFiles')
    .execute();
}

/** Returns the name of the file of this kind, which nothing refers to any more. */
export async function deleteFile(
  db: Db,
  assetId: string,
  kind: AssetFileKind,
): Promise<string | undefined> {
  const [deleted] = await db
    .delete(assetFiles)
    .where(and(eq(assetFiles.assetId, assetId), eq(assetFiles.kind, kind)))
    .returning({ name: assetFiles.name });
  return deleted?.name;
}

/** Changes `updated_at`, for caches and month versions, when only files have changed. */
export const touchAsset = async (db: Db, id: string, now: Date): Promise<void> => {
  await db.update(assets).set({ updatedAt: now }).where(eq(assets.id, id));
};

import { backgroundAssets as assets } from '../../../access/unscoped.ts';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import {
  type AssetFileKind,
  type AssetType,
  assetExif,
  assetFiles,
  assetSupplements,
} from '../../../db/tables/assets.ts';
import { assetUnedited } from '../../../db/tables/assets.ts';
import { withoutFolders } from '../../../media/errors.ts';
import { users } from '../../../db/tables/identity.ts';

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

const PROCESSED_ASSET = {
  id: assets.id,
  ownerId: assets.ownerId,
  type: assets.type,
  sha256: assets.sha256,
  fileName: assets.fileName,
  takenAt: assets.takenAt,
  liveVideoId: assets.liveVideoId,
};

export type AssetForMetadata = ProcessedAsset & {
  readonly ownerZone: string | null;
  /** Relative to the derived folder. */
  readonly sidecarName: string | null;
  readonly editedFields: readonly string[] | null;
  /** Values for what the file does not tell. */
  readonly supplement: Omit<typeof assetSupplements.$inferSelect, 'assetId'> | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly fileModifiedAt: Date;
  /** The upload. */
  readonly createdAt: Date;
  /** Null before the first extraction of metadata. */
  readonly metadataReadAt: Date | null;
  readonly lockedAt: Date | null;
  /** The external library of the asset. */
  readonly libraryId: string | null;
  readonly folder: string | null;
  /** The shared link through which a guest uploaded the asset. */
  readonly uploadLinkId: string | null;
};

export async function findForMetadata(db: Db, id: string): Promise<AssetForMetadata | undefined> {
  const [row] = await db
    .select({
      ...PROCESSED_ASSET,
      ownerZone: users.timeZone,
      sidecarName: assetFiles.name,
      editedFields: assetExif.editedFields,
      latitude: assetExif.latitude,
      longitude: assetExif.longitude,
      supplement: {
        takenAt: assetSupplements.takenAt,
        description: assetSupplements.description,
        latitude: assetSupplements.latitude,
        longitude: assetSupplements.longitude,
      },
      fileModifiedAt: assets.fileModifiedAt,
      createdAt: assets.createdAt,
      metadataReadAt: assets.metadataReadAt,
      lockedAt: assets.lockedAt,
      libraryId: assets.libraryId,
      folder: assets.folder,
      uploadLinkId: assets.uploadLinkId,
    })
    .from(assets)
    .innerJoin(users, eq(users.id, assets.ownerId))
    .leftJoin(assetExif, eq(assetExif.assetId, assets.id))
    .leftJoin(assetSupplements, eq(assetSupplements.assetId, assets.id))
    .leftJoin(assetFiles, and(eq(assetFiles.assetId, assets.id), eq(assetFiles.kind, 'sidecar')))
    .where(eq(assets.id, sql.placeholder('id')))
    .prepare('processing.findForMetadata')
    .execute({ id });
  return row;
}

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

export type ExifColumns = Omit<typeof assetExif.$inferInsert, 'assetId' | 'editedFields'>;

export type AssetMetadataColumns = {
  readonly takenAt: Date;
  readonly localTakenAt: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly durationMs: number | undefined;
  readonly now: Date;
};

const unlessEdited = (field: keyof ExifColumns & keyof typeof assetExif, by = field) => {
  const column = assetExif[field];
  return sql`case when ${by} = any(${assetExif.editedFields}) then ${column}
    else excluded.${sql.identifier(column.name)} end`;
};

/** Saves metadata read from the file, except fields that the owner has edited. */
export async function saveMetadata(
  db: Db,
  id: string,
  exif: ExifColumns,
  asset: AssetMetadataColumns,
): Promise<void> {
  const [saved] = await db
    .insert(assetExif)
    .values({ assetId: id, ...exif })
    .onConflictDoUpdate({
      target: assetExif.assetId,
      set: {
        ...exif,
        description: unlessEdited('description'),
        rating: unlessEdited('rating'),
        dateTimeOriginal: unlessEdited('dateTimeOriginal'),
        timeZone: unlessEdited('timeZone', 'dateTimeOriginal'),
        latitude: unlessEdited('latitude'),
        longitude: unlessEdited('longitude'),
      },
    })
    .returning({ editedFields: assetExif.editedFields })
    .prepare('processing.saveExif')
    .execute();
  const isDateEdited = saved?.editedFields.includes('dateTimeOriginal') ?? false;
  const { takenAt, localTakenAt, width, height, durationMs, now } = asset;
  // The size in the metadata counts only until the picture has been rendered.
  const size = (column: typeof assets.width | typeof assets.height, value: number | undefined) =>
    sql`case when ${assets.thumbhash} is null then coalesce(${value ?? null}, ${column})
      else coalesce(${column}, ${value ?? null}) end`;
  await db
    .update(assets)
    .set({
      ...(isDateEdited ? {} : { takenAt, localTakenAt }),
      width: size(assets.width, width),
      height: size(assets.height, height),
      ...(durationMs !== undefined && { durationMs }),
      metadataReadAt: now,
      updatedAt: now,
    })
    .where(eq(assets.id, id))
    .prepare('processing.saveMetadata')
    .execute();
}

/** Marks the metadata as read, so that the file is not tried again automatically. */
export const saveUnreadable = async (
  db: Db,
  id: string,
  { reason, now }: { readonly reason: string | undefined; readonly now: Date },
): Promise<void> => {
  await db
    .update(assets)
    .set({
      metadataReadAt: now,
      updatedAt: now,
      ...(reason !== undefined && { brokenReason: withoutFolders(reason) }),
    })
    .where(eq(assets.id, id));
};

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

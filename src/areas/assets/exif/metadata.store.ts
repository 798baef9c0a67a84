import { and, eq, sql } from 'drizzle-orm';
import { backgroundAssets as assets } from '../../../access/unscoped.ts';
import type { Db } from '../../../db/client.ts';
import { assetExif, assetFiles, assetSupplements } from '../../../db/tables/assets.ts';
import { users } from '../../../db/tables/identity.ts';
import { withoutFolders } from '../../../media/errors.ts';
import { PROCESSED_ASSET, type ProcessedAsset } from '../processing/processing.store.ts';

export type AssetForMetadata = ProcessedAsset & {
  readonly ownerZone: string | null;
  /** Relative to the derived folder. */
  readonly sidecarName: string | null;
  readonly editedFields: readonly string[] | null;
  /** Values for what the file does not tell. */
  readonly supplement: typeof assetSupplements.$inferSelect | null;
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
        // First: where the first column is null, drizzle takes it for no row at all.
        assetId: assetSupplements.assetId,
        takenAt: assetSupplements.takenAt,
        description: assetSupplements.description,
        latitude: assetSupplements.latitude,
        longitude: assetSupplements.longitude,
        trustsDate: assetSupplements.trustsDate,
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
    .prepare('exif.findForMetadata')
    .execute({ id });
  return row;
}

export type ExifColumns = Omit<typeof assetExif.$inferInsert, 'assetId' | 'editedFields'>;

export type AssetMetadataColumns = {
  readonly takenAt: Date;
  readonly localTakenAt: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly durationMs: number | undefined;
  readonly contentType: string | null;
  readonly now: Date;
};

const unlessEdited = (field: keyof ExifColumns & keyof typeof assetExif, by = field) => {
  const column = assetExif[field];
  return sql`case when ${by} = any(${assetExif.editedFields}) then ${column}
    else excluded.${sql.identifier(column.name)} end`;
};

export type Position = { readonly [Axis in 'latitude' | 'longitude']?: number | null | undefined };

/** A position that the owner has set since the file was read keeps its place. */
const unlessMoved = (field: 'city' | 'state' | 'country', from: Position) => {
  const { latitude, longitude, editedFields, [field]: column } = assetExif;
  return sql`case when 'latitude' = any(${editedFields})
      and (${latitude}, ${longitude})
        is distinct from (${from.latitude ?? null}::float8, ${from.longitude ?? null}::float8)
    then ${column} else excluded.${sql.identifier(column.name)} end`;
};

/** Saves metadata read from the file and the place of `position`, except what the owner has edited. */
export async function saveMetadata(
  db: Db,
  id: string,
  exif: ExifColumns,
  { position, ...asset }: AssetMetadataColumns & { readonly position: Position },
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
        city: unlessMoved('city', position),
        state: unlessMoved('state', position),
        country: unlessMoved('country', position),
      },
    })
    .returning({ editedFields: assetExif.editedFields })
    .prepare('exif.saveExif')
    .execute();
  const isDateEdited = saved?.editedFields.includes('dateTimeOriginal') ?? false;
  const { takenAt, localTakenAt, width, height, durationMs, contentType, now } = asset;
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
      contentType,
      ...(durationMs !== undefined && { durationMs }),
      metadataReadAt: now,
      updatedAt: now,
    })
    .where(eq(assets.id, id))
    .prepare('exif.saveMetadata')
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

import { checkedAssets as assets, backgroundAssets } from '../../../access/unscoped.ts';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { NEXT_ROW_VERSION } from '../../row-versions/index.ts';
import type { Db } from '../../../db/client.ts';
import {
  type AssetType,
  assetExif,
  assetFiles,
  assetAdjustments,
  assetEdits,
  assetUnedited,
} from '../../../db/tables/assets.ts';
import { isUnadjusted } from '../../../media/adjustments.ts';
import { type Edit, scaleBox } from '../../../media/edits.ts';
import type { PictureEdits } from '../../../media/picture-edits.ts';
import type { Size } from '../../../media/sizes.ts';
import type { DerivedFile } from '../processing/processing.store.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { findAdjustments } from './adjustments.store.ts';

// Callers have checked access and, before writes, locked the asset's row.

export type EditRow = Edit & { readonly id: string };

export async function listEdits(db: Db, assetId: string): Promise<EditRow[]> {
  const rows = await db
    .select({
      id: sql<string>`edit_id(${assetEdits.assetId}, ${assetEdits.position})`,
      action: assetEdits.action,
      parameters: assetEdits.parameters,
    })
    .from(assetEdits)
    .where(eq(assetEdits.assetId, assetId))
    .orderBy(asc(assetEdits.position));
  return rows as unknown as EditRow[];
}

export type EditableAsset = {
  readonly type: AssetType;
  readonly fileName: string;
  readonly liveVideoId: string | null;
  readonly projectionType: string | null;
  /** Size in pixels of the unedited, upright picture. */
  readonly width: number | null;
  readonly height: number | null;
};

export async function findEditable(db: Db, id: string): Promise<EditableAsset | undefined> {
  const [row] = await db
    .select({
      type: assets.type,
      fileName: assets.fileName,
      liveVideoId: assets.liveVideoId,
      projectionType: assetExif.projectionType,
      width: sql<number | null>`coalesce(${assetUnedited.width}, ${assets.width})`,
      height: sql<number | null>`coalesce(${assetUnedited.height}, ${assets.height})`,
    })
    .from(assets)
    .leftJoin(assetExif, eq(assetExif.assetId, assets.id))
    .leftJoin(assetUnedited, eq(assetUnedited.assetId, assets.id))
    .where(eq(assets.id, id));
  return row;
}

/**
 * Saves size, thumbhash and revision of the unedited picture; does nothing when they are saved already. Call it
 * before the first change.
 */
export async function saveUneditedState(db: Db, assetId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into asset_unedited (asset_id, width, height, thumbhash, rendered_revision)
    select id, width, height, thumbhash, picture_revision(id) from ${assets} where id = ${assetId}
    on conflict do nothing`,
  );
}

export async function replaceEdits(
  db: Db,
  assetId: string,
  edits: readonly Edit[],
  now: Date,
): Promise<void> {
  await db.delete(assetEdits).where(eq(assetEdits.assetId, assetId));
  if (edits.length > 0) {
    await db
      .insert(assetEdits)
      .values(edits.map((edit, position) => ({ assetId, position, ...edit })));
  }
  await db
    .update(assets)
    .set({ updatedAt: now, stateRevision: NEXT_ROW_VERSION })
    .where(eq(assets.id, assetId));
}

/** Returns the size in pixels of the unedited picture, or undefined when the asset is not edited. */
export async function findUneditedSize(db: Db, assetId: string): Promise<Size | undefined> {
  const [source] = await db
    .select({ width: assetUnedited.width, height: assetUnedited.height })
    .from(assetUnedited)
    .where(eq(assetUnedited.assetId, assetId));
  return source;
}

/** Crops of a picture that has another size now keep their part of it. */
export async function fitEdits(db: Db, assetId: string, size: Size): Promise<void> {
  const source = await findUneditedSize(db, assetId);
  if (!source || (source.width === size.width && source.height === size.height)) return;
  await db.update(assetUnedited).set(size).where(eq(assetUnedited.assetId, assetId));
  for (const [position, edit] of (await listEdits(db, assetId)).entries()) {
    if (edit.action !== 'crop') continue;
    await db
      .update(assetEdits)
      .set({ parameters: scaleBox(edit.parameters, source, size) })
      .where(and(eq(assetEdits.assetId, assetId), eq(assetEdits.position, position)));
  }
}

const EDITED_KINDS = ['edited_thumbnail', 'edited_preview', 'edited_fullsize'] as const;

/** Restores the unedited state. Returns the names of files that nothing refers to any more. */
export async function deleteEdits(
  db: Db,
  assetId: string,
  now: Date,
): Promise<{ readonly wasEdited: boolean; readonly unusedFiles: string[] }> {
  await db.delete(assetEdits).where(eq(assetEdits.assetId, assetId));
  await db.delete(assetAdjustments).where(eq(assetAdjustments.assetId, assetId));
  const [before] = await db
    .delete(assetUnedited)
    .where(eq(assetUnedited.assetId, assetId))
    .returning();
  if (!before) return { wasEdited: false, unusedFiles: [] };
  const { width, height, thumbhash } = before;
  await db
    .update(assets)
    .set({ width, height, thumbhash, updatedAt: now, stateRevision: NEXT_ROW_VERSION })
    .where(eq(assets.id, assetId));
  const deleted = await db
    .delete(assetFiles)
    .where(and(eq(assetFiles.assetId, assetId), inArray(assetFiles.kind, [...EDITED_KINDS])))
    .returning({ name: assetFiles.name });
  return { wasEdited: true, unusedFiles: deleted.map((file) => file.name) };
}

export async function findPictureEdits(db: Db, assetId: string): Promise<PictureEdits> {
  const rows = await listEdits(db, assetId);
  const edits = rows.map(({ action, parameters }) => ({ action, parameters }) as Edit);
  return { edits, adjustments: await findAdjustments(db, assetId) };
}

/** All that is done to a picture, and the size in pixels that crops refer to. */
export type RequestedEdits = PictureEdits & { readonly source: Size };

/** Returns undefined when the asset is not edited. */
export async function findRequestedEdits(
  db: Db,
  assetId: string,
): Promise<RequestedEdits | undefined> {
  const source = await findUneditedSize(db, assetId);
  const { edits, adjustments } = await findPictureEdits(db, assetId);
  const isEdited = edits.length > 0 || !isUnadjusted(adjustments);
  return source && isEdited ? { edits, adjustments, source } : undefined;
}

export type EditedPicture = Size & {
  readonly thumbhash: Uint8Array;
  readonly now: Date;
};

/** The difference between a rendering and the one before it, or the unedited picture. */
export type RenderingChange = {
  /** It shows another part of the picture, or is turned in another way. */
  readonly isMoved: boolean;
  /** It was rendered from the same edits and adjustments. */
  readonly isSame: boolean;
};

/** Saves which edits have been rendered. */
export async function saveRenderedRevision(db: Db, assetId: string): Promise<RenderingChange> {
  const [row] = await queryRows(
    db,
    { isMoved: column.boolean, hasOtherTones: column.boolean },
    sql`
    update asset_unedited
    set rendered_revision = found.revision, rendered_adjustments = found.adjustments
    from (
      select asset_id, rendered_revision as old_revision, rendered_adjustments as old_adjustments,
        picture_revision(asset_id) as revision, (
          select md5(adjustment::text) from asset_adjustment adjustment
          where adjustment.asset_id = asset_unedited.asset_id) as adjustments
      from asset_unedited where asset_id = ${assetId}) found
    where asset_unedited.asset_id = found.asset_id
    returning found.old_revision is distinct from found.revision as "isMoved",
      found.old_adjustments is distinct from found.adjustments as "hasOtherTones"`,
  );
  const { isMoved = false, hasOtherTones = false } = row ?? {};
  return { isMoved, isSame: !isMoved && !hasOtherTones };
}

/** Saves the edited picture and returns the names of the files it replaces. */
export async function saveEditedPicture(
  db: Db,
  assetId: string,
  { width, height, thumbhash, now, isSame }: EditedPicture & Pick<RenderingChange, 'isSame'>,
  files: readonly DerivedFile[],
): Promise<string[]> {
  const shown = await chooseThumbhash(db, assetId, { thumbhash, isSame });
  await db
    .update(backgroundAssets)
    .set({ width, height, thumbhash: shown, updatedAt: now })
    .where(eq(backgroundAssets.id, assetId));
  const replaced = await db
    .delete(assetFiles)
    .where(and(eq(assetFiles.assetId, assetId), inArray(assetFiles.kind, [...EDITED_KINDS])))
    .returning({ name: assetFiles.name });
  await db.insert(assetFiles).values(files.map((file) => ({ assetId, ...file })));
  return replaced.map((file) => file.name);
}

/**
 * Clients learn by its thumbhash that a picture has changed, and a slight change of light does not change it: the
 * least bits of its finest detail, which nobody sees, then make it another one than that before and the unedited one.
 */
async function chooseThumbhash(
  db: Db,
  assetId: string,
  { thumbhash, isSame }: Pick<EditedPicture, 'thumbhash'> & Pick<RenderingChange, 'isSame'>,
): Promise<Uint8Array> {
  const [row] = await db
    .select({ current: backgroundAssets.thumbhash, unedited: assetUnedited.thumbhash })
    .from(backgroundAssets)
    .leftJoin(assetUnedited, eq(assetUnedited.assetId, backgroundAssets.id))
    .where(eq(backgroundAssets.id, assetId));
  const last = thumbhash.length - 1;
  const candidates = [0, 1, 2].map((bits) =>
    Uint8Array.from(thumbhash, (byte, at) => (at === last ? byte ^ bits : byte)),
  );
  const isEqual = (hash: Uint8Array | null | undefined, candidate: Uint8Array) =>
    Boolean(hash && Buffer.compare(hash, candidate) === 0);
  const kept = isSame && candidates.find((candidate) => isEqual(row?.current, candidate));
  const isFree = (candidate: Uint8Array) =>
    !isEqual(row?.current, candidate) && !isEqual(row?.unedited, candidate);
  return kept || (candidates.find(isFree) ?? thumbhash);
}

import { checkedAssets as assets, backgroundAssets } from '../../../access/unscoped.ts';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { NEXT_ROW_VERSION } from '../../row-versions/index.ts';
import type { Db } from '../../../db/client.ts';
import {
  type AssetType,
  assetExif,
  assetFiles,
  assetEdits,
  assetUnedited,
} from '../../../db/tables/assets.ts';
import type { Edit } from '../../../media/edits.ts';
import type { Size } from '../../../media/sizes.ts';
import type { DerivedFile } from '../processing/processing.store.ts';
import { queryRows } from '../../../db/query.ts';

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

/** Saves size and thumbhash of the unedited picture; does nothing when they are saved already. */
export async function saveUneditedState(db: Db, assetId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into asset_unedited (asset_id, width, height, thumbhash)
    select id, width, height, thumbhash from ${assets} where id = ${assetId}
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
  await db
    .insert(assetEdits)
    .values(edits.map((edit, position) => ({ assetId, position, ...edit })));
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

const EDITED_KINDS = ['edited_thumbnail', 'edited_preview', 'edited_fullsize'] as const;

/** Restores the unedited state. Returns the names of files that nothing refers to any more. */
export async function deleteEdits(db: Db, assetId: string, now: Date): Promise<string[]> {
  await db.delete(assetEdits).where(eq(assetEdits.assetId, assetId));
  const [before] = await db
    .delete(assetUnedited)
    .where(eq(assetUnedited.assetId, assetId))
    .returning();
  if (!before) return [];
  const { width, height, thumbhash } = before;
  await db
    .update(assets)
    .set({ width, height, thumbhash, updatedAt: now, stateRevision: NEXT_ROW_VERSION })
    .where(eq(assets.id, assetId));
  const deleted = await db
    .delete(assetFiles)
    .where(and(eq(assetFiles.assetId, assetId), inArray(assetFiles.kind, [...EDITED_KINDS])))
    .returning({ name: assetFiles.name });
  return deleted.map((file) => file.name);
}

/**
 * Returns the edits and the size in pixels that they apply to, or undefined when the asset is not
 * edited.
 */
export async function findEdits(
  db: Db,
  assetId: string,
): Promise<{ readonly edits: readonly Edit[]; readonly source: Size } | undefined> {
  const source = await findUneditedSize(db, assetId);
  const rows = await listEdits(db, assetId);
  const edits = rows.map(({ action, parameters }) => ({ action, parameters }) as Edit);
  return source && edits.length > 0 ? { edits, source } : undefined;
}

export type EditedPicture = Size & {
  readonly thumbhash: Uint8Array;
  readonly now: Date;
};

/** Saves the edited picture and returns the names of the files it replaces. */
export async function saveEditedPicture(
  db: Db,
  assetId: string,
  { width, height, thumbhash, now }: EditedPicture,
  files: readonly DerivedFile[],
): Promise<string[]> {
  await db
    .update(backgroundAssets)
    .set({ width, height, thumbhash, updatedAt: now })
    .where(eq(backgroundAssets.id, assetId));
  const replaced = await db
    .delete(assetFiles)
    .where(and(eq(assetFiles.assetId, assetId), inArray(assetFiles.kind, [...EDITED_KINDS])))
    .returning({ name: assetFiles.name });
  await db.insert(assetFiles).values(files.map((file) => ({ assetId, ...file })));
  return replaced.map((file) => file.name);
}

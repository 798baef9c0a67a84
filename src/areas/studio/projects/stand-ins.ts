import { requireUser, visibleAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { sha256, toHex } from '../../../core/hash.ts';
import type { StudioDocument } from '../../../db/tables/studio.ts';
import { listAssetIds } from './document.ts';

// A member of a project who may not see one of its items does not learn its id: another id stands for it, which names
// nothing and is the same each time. It goes back into the document when that member stores the next revision.

/** Returns the id that stands for an item. */
function toStandIn(assetId: string): string {
  const hex = toHex(sha256(`item of a studio project ${assetId}`));
  // A UUID of version 4, as clients send for items.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join('-');
}

function replaceIds(
  document: StudioDocument,
  replace: (assetId: string) => string,
): StudioDocument {
  const inPart = <T extends { assetId: string }>(part: T): T => {
    return { ...part, assetId: replace(part.assetId) };
  };
  const { clips, sounds } = document;
  return { ...document, clips: clips.map(inPart), ...(sounds && { sounds: sounds.map(inPart) }) };
}

/** Returns a function that gives the id by which the caller knows an item. */
export async function createItemNames(
  { db, session }: Pick<Ctx, 'db' | 'session'>,
  assetIds: readonly string[],
): Promise<(assetId: string) => string> {
  // An item that the caller has locked is not unknown to the caller.
  const visible = await visibleAmong(db, { ...requireUser(session), unlocked: true }, assetIds);
  return (assetId) => (visible.has(assetId) ? assetId : toStandIn(assetId));
}

/** Returns the rows with their documents as the caller may see them. */
export async function hideItems<Row extends { readonly document: StudioDocument }>(
  ctx: Pick<Ctx, 'db' | 'session'>,
  rows: readonly Row[],
): Promise<Row[]> {
  const ids = rows.flatMap(({ document }) => listAssetIds(document));
  const toName = await createItemNames(ctx, [...new Set(ids)]);
  return rows.map((row) => ({ ...row, document: replaceIds(row.document, toName) }));
}

/** Returns a document that a caller sends with the items of the current one that it has ids for. */
export function restoreItems(document: StudioDocument, current: StudioDocument): StudioDocument {
  const ids = new Map(listAssetIds(current).map((id) => [toStandIn(id), id]));
  return replaceIds(document, (assetId) => ids.get(assetId) ?? assetId);
}

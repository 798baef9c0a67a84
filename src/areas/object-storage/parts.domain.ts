import type { Deps } from '../../core/context.ts';
import { parsePartKey } from '../../storage/stored-file.ts';
import { openObjectStore, UNNAMED_SECONDS } from '../../storage/objects.ts';
import { scheduleDeletion } from '../../storage/index.ts';
import { toPrefix } from '../../storage/removal.ts';
import { filterUnknownParts } from '../../storage/upload-parts.ts';

const BATCH_SIZE = 1000;

/**
 * Has the parts of unfinished uploads in a slice deleted in a day that no row names. They are left when a backup of the
 * database is restored.
 */
export async function compareParts(ctx: Deps, slice: number): Promise<void> {
  const objects = await openObjectStore(ctx);
  const uploads = new Map<string, string>();
  for await (const { key } of objects.list(`uploads/${toPrefix(slice)}/`)) {
    const id = parsePartKey(key);
    if (id !== undefined) uploads.set(key, id);
  }
  const keys = [...uploads.keys()];
  for (let at = 0; at < keys.length; at += BATCH_SIZE) {
    const batch = keys.slice(at, at + BATCH_SIZE);
    const ids = batch.map((key) => uploads.get(key) ?? '');
    const unknown = await filterUnknownParts(ctx.db, batch, ids);
    await scheduleDeletion(ctx.db, unknown, UNNAMED_SECONDS);
    if (unknown.length > 0) {
      ctx.log.warn('parts of unknown uploads will be deleted in a day', { parts: unknown.length });
    }
  }
}

import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { publishLocalFile } from '../../uploads/index.ts';
import { exportNotFound, requireExport } from './domain.ts';
import { getFilePath } from './export-files.ts';
import type { MemoryExport } from './schemas.ts';
import * as store from './store.ts';
import { toMemoryExport } from './view.ts';

/**
 * Saves the film of a completed run as an asset of the caller, once. Throws 404 for a run that is not the
 * caller's, 400 for one of another kind or state.
 */
export async function saveToLibrary(ctx: Ctx, id: string): Promise<MemoryExport> {
  const row = await requireExport(ctx, id);
  if (row.kind !== 'highlight-video' || row.status !== 'completed') {
    throw badRequest('Only a completed film can be saved to the library', {
      code: 'invalid_state',
    });
  }
  if (row.libraryAssetId) return toMemoryExport(row);
  const { userId } = requireUser(ctx.session);
  const file = {
    path: getFilePath(ctx.paths, row),
    fileName: row.fileName ?? 'Memory.mp4',
    type: 'VIDEO' as const,
    createdAt: row.finishedAt ?? ctx.now(),
  };
  await publishLocalFile(ctx, userId, file, async (db, { id: libraryAssetId }) => {
    if (!(await store.changeExport(db, id, ['completed'], { libraryAssetId }))) {
      throw exportNotFound();
    }
  });
  return toMemoryExport(await requireExport(ctx, id));
}

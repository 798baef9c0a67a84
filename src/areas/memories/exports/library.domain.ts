import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { pickLanguage } from '../../../core/languages.ts';
import { changeFileOperation } from '../../../operations/files.store.ts';
import { publishLocalFile } from '../../uploads/index.ts';
import { findOwnMemory } from '../visible.domain.ts';
import { exportNotFound, requireExport } from './domain.ts';
import * as storage from '../../../storage/index.ts';
import { toStoredFile } from './export-files.ts';
import { EXPORT_KINDS, getFormat } from './kind.ts';
import { getFilmDate } from './options.ts';
import type { MemoryExport } from './schemas.ts';
import { toMemoryExport } from './view.ts';

/**
 * Saves the film of a completed run as an asset of the caller, once, at the date of its memory. Throws 404 for a run
 * that is not the caller's, 400 for one of another kind or state.
 */
export async function saveToLibrary(ctx: Ctx, id: string): Promise<MemoryExport> {
  const run = await requireExport(ctx, id);
  if (getFormat(run) !== 'highlight-video' || run.state !== 'completed') {
    throw badRequest('Only a completed film can be saved to the library', {
      code: 'invalid_state',
    });
  }
  if (run.file.assetId) return toMemoryExport(run);
  const { userId } = requireUser(ctx.session);
  const { memoryId, language } = run.payload;
  const memory = await findOwnMemory(ctx, memoryId, pickLanguage(language));
  const file = {
    path: await storage.locate(ctx, toStoredFile(ctx.paths, run)),
    fileName: run.file.name ?? 'Memory.mp4',
    type: 'VIDEO' as const,
    createdAt: memory ? getFilmDate(memory) : (run.finishedAt ?? ctx.now()),
  };
  await publishLocalFile(ctx, userId, file, async (db, { id: assetId }) => {
    const change = { file: { assetId } };
    if (!(await changeFileOperation(db, EXPORT_KINDS, id, ['completed'], change))) {
      throw exportNotFound();
    }
  });
  return toMemoryExport(await requireExport(ctx, id));
}

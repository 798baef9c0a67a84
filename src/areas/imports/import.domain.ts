import { join } from 'node:path';
import type { Ctx } from '../../core/context.ts';
import { type ImportFolderOptions, takeFolder } from './folder.domain.ts';
import type { ImportReport } from './report.ts';
import { type ImportEvents, completeRun, type ImportOptions, openRun } from './run.ts';
import { surveyFolder } from './survey.ts';

/**
 * Takes the photos and videos below `root` into the library of an account, whose session `ctx` has.
 * Everything is found again by its digest: a run after one that was killed does what is missing, and one
 * after a complete one nothing. Throws the reason of the signal once that is aborted.
 */
export async function importFolder(
  ctx: Ctx,
  target: { readonly ownerId: string; readonly root: string },
  options: ImportOptions & Pick<ImportFolderOptions, 'namesAlbums'>,
  events: ImportEvents,
): Promise<ImportReport> {
  const { total, walk, listUnresolved, ...survey } = await surveyFolder(target.root);
  const run = await openRun(ctx, target, options, { ...events, total });
  return completeRun(run, async () => {
    for (const { name, album, isAmbiguous } of listUnresolved()) {
      if (isAmbiguous) run.count({ ambiguousAlbumItems: 1 });
      const reason = isAmbiguous ? 'file_ambiguous' : 'file_missing';
      run.note({ path: join(target.root, name), reasons: [reason], album });
    }
    for await (const folder of walk()) {
      run.signal?.throwIfAborted();
      if (folder.error) run.refuse(folder.path, folder.error);
      else await takeFolder(run, folder, { ...options, ...survey });
    }
    for (const { path, album } of survey.entries.listLeft()) {
      run.note({ path, reasons: ['file_missing'], album });
    }
  });
}

import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../../../core/context.ts';
import { reach } from '../../../core/fault-points.ts';
import { ignoreMissing } from '../../../media/file-placement.ts';
import { type ImportReport, inspectFolder } from '../../imports/index.ts';
import { FolderUnavailable, importInto } from '../folder.domain.ts';
import { type ArchivesMoveIn, type ArchivesProgress, getArchives } from '../kind.ts';
import type { Run } from '../progress.ts';
import { getPartPath, getUnpackedPath, type Left, readLeft, saveLeft } from './files.ts';
import { toFolderNames } from './names.ts';
import { unpackArchive } from './unpack.ts';

/** Nobody waits for the sizes. */
const CHECK_MS = 60 * 60_000;

/**
 * Unpacks what is not unpacked yet, each archive into a folder of its own, and removes it. Returns what the import will
 * find. After a kill it goes on with the archive that it was at.
 */
export async function unpackArchives(
  ctx: Pick<Ctx, 'paths' | 'settings'>,
  operation: ArchivesMoveIn,
  { signal, progress }: Run,
): Promise<Required<ArchivesProgress>> {
  const { id, payload } = operation;
  const folders = toFolderNames(payload.archives);
  let archives = getArchives(operation);
  const set = (change: Partial<ArchivesProgress>) => {
    archives = { ...archives, ...change };
    progress.set({ archives });
  };
  for (const [index, { name, size }] of payload.archives.entries()) {
    signal.throwIfAborted();
    const path = getPartPath(ctx.paths, id, index);
    const part = archives.parts[index];
    if (!part?.isUnpacked) {
      await requireThere(path);
      const left = await unpackArchive(path, {
        size,
        name,
        folder: join(getUnpackedPath(ctx.paths, id), folders[index] ?? ''),
        reserveBytes: ctx.settings.reserveBytes,
        signal,
        onProgress: (share) => set({ share }),
      });
      await saveLeft(ctx.paths, id, index, left);
      reach('archive.unpacked');
      const unpacked = { received: size, isUnpacked: true };
      set({ parts: archives.parts.with(index, unpacked), share: 0 });
      list(progress, left);
      await progress.flush();
      signal.throwIfAborted();
      reach('archive.saved');
    } else {
      list(progress, await readLeft(ctx.paths, id, index));
    }
    await unlink(path).catch(ignoreMissing);
  }
  const { program, ...counts } = await inspectFolder(getRoot(ctx, operation), {
    namesAlbums: payload.namesAlbums,
    ms: CHECK_MS,
  });
  return { ...archives, phase: 'import', program, found: { ...counts, tags: 0, people: null } };
}

const requireThere = (path: string): Promise<unknown> =>
  stat(path).catch((error: unknown) => {
    ignoreMissing(error);
    throw new FolderUnavailable('archives_missing', 'The archives are gone');
  });

function list(progress: Run['progress'], { failures, notes }: Left): void {
  for (const failure of failures) progress.addFailure(failure);
  for (const note of notes) progress.addNote(note);
}

/** Programs are recognized by the folders in which their own are. */
function getRoot({ paths }: Pick<Ctx, 'paths'>, { id, payload }: ArchivesMoveIn): string {
  const root = getUnpackedPath(paths, id);
  const [only, ...others] = toFolderNames(payload.archives);
  return only !== undefined && others.length === 0 ? join(root, only) : root;
}

/** Takes in what was unpacked. Throws FolderUnavailable where that is gone. */
export async function takeInArchives(
  ctx: Ctx,
  operation: ArchivesMoveIn,
  run: Run,
): Promise<ImportReport> {
  const { id, payload, accountId } = operation;
  const root = getRoot(ctx, operation);
  await requireThere(root);
  for (const index of payload.archives.keys())
    list(run.progress, await readLeft(ctx.paths, id, index));
  return importInto(ctx, { ...payload, ownerId: accountId, path: root }, run);
}

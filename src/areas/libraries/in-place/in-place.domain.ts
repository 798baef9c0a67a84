import { basename } from 'node:path';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { requireValue } from '../../../core/required.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { createReport, type ImportEvents, type ImportReport } from '../../imports/index.ts';
import { createLibrary } from '../domain.ts';
import { findPathFault, isInside } from '../import-path.ts';
import { takeIn } from '../intake/intake.domain.ts';
import { settleLibrary } from '../jobs.ts';
import { PRESET_EXCLUSIONS } from '../scan/exclusions.ts';
import { isSidecarFile } from '../scan/known-files.ts';
import {
  createFindings,
  explainFault,
  findRootFault,
  listFoundUnread,
  recordFolder,
} from '../scan/record.domain.ts';
import { walkFolder } from '../scan/walk.ts';
import { findLibrary, listLibraries } from '../store.ts';
import * as store from './in-place.store.ts';

type Target = { readonly ownerId: string; readonly root: string };

const WALK_BATCH = 1_000;

/**
 * Shows the photos and videos of a folder where they are: in the external library of the account that holds
 * the folder, or in a new one. A run after one that was interrupted goes on.
 */
export async function importInPlace(
  ctx: Ctx,
  target: Target,
  { isDryRun }: { readonly isDryRun: boolean },
  { onProgress, onRefused }: ImportEvents,
): Promise<ImportReport> {
  const known = await findHolder(ctx, target);
  const pathFault = known ? undefined : await findFault(ctx, target.root);
  if (pathFault) throw badRequest(`Invalid import path: ${pathFault}`);
  if (isDryRun) return planImport(ctx, known, target.root);
  const library = known ?? (await addLibrary(ctx, target));
  const report = createReport();
  // A command ends with its process: nothing aborts its work.
  const work = { ...ctx, signal: new AbortController().signal, restartTimeLimit: () => {} };
  const findings = createFindings();
  const folder = { path: target.root, isDeep: true };
  const fault = await findRootFault(work, target.root);
  if (!fault) await recordFolder(work, library, folder, findings);
  const faults = fault ? [fault] : findings.report.faults.map(explainFault);
  if (faults.length > 0) report.stopped = faults.join('\n');
  const parts = (await Array.fromAsync(listFoundUnread(work, library.id, findings))).flat();
  const ids = parts.flat();
  let done = 0;
  for (const part of parts) {
    await takeIn(work, library.id, part, work.signal);
    onProgress((done += part.length), ids.length, report);
  }
  for (const refused of await store.listRefused(ctx.db, ids)) {
    report.refused += 1;
    onRefused(refused);
  }
  const { taken, takenBytes } = await store.sumTaken(ctx.db, ids);
  const present = await store.countItems(ctx.db, library.id, target.root);
  await enqueue(ctx.db, settleLibrary, { libraryId: library.id });
  return { ...report, taken, takenBytes, duplicates: present - taken };
}

async function findHolder({ db }: Ctx, { ownerId, root }: Target): Promise<LibraryRow | undefined> {
  const libraries = await listLibraries(db);
  return libraries.find(
    ({ library }) =>
      library.ownerId === ownerId && library.importPaths.some((path) => isInside(path, root)),
  )?.library;
}

async function addLibrary(ctx: Ctx, { ownerId, root }: Target): Promise<LibraryRow> {
  const { id } = await createLibrary(ctx, {
    ownerId,
    name: basename(root) || root,
    importPaths: [root],
  });
  return requireValue(await findLibrary(ctx.db, id), 'new library').library;
}

/** A folder that is shown already is hardly meant to be shown twice: a second library of it needs the API. */
async function findFault({ db, paths }: Ctx, root: string): Promise<string | undefined> {
  const taken = (await listLibraries(db)).flatMap(({ library }) => library.importPaths);
  const other = taken.find((one) => isInside(one, root) || isInside(root, one));
  return other ? `Overlaps with ${other}, which is in another library` : findPathFault(paths, root);
}

async function planImport(
  { db }: Ctx,
  library: LibraryRow | undefined,
  root: string,
): Promise<ImportReport> {
  const report = createReport();
  const { signal } = new AbortController();
  const exclusionPatterns = library?.exclusionPatterns ?? PRESET_EXCLUSIONS;
  for await (const files of walkFolder(root, WALK_BATCH, { exclusionPatterns, signal })) {
    const media = files.filter(({ path }) => !isSidecarFile(path));
    const known = library ? await store.filterKnown(db, library.id, media) : new Set<string>();
    for (const { path, size } of media) {
      if (known.has(path)) report.duplicates += 1;
      else {
        report.taken += 1;
        report.takenBytes += size;
      }
    }
  }
  return report;
}

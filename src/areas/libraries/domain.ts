import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField } from '../../core/errors.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { LibraryRow } from '../../db/tables/libraries.ts';
import { enqueue } from '../../jobs/queue.ts';
import { enqueueRun } from '../../jobs/runs.ts';
import { findPathFault, normalizeFolder } from './import-path.ts';
import { removeLibrary, scanLibrary } from './jobs.ts';
import { findPatternFault, PRESET_EXCLUSIONS } from './scan/exclusions.ts';
import { applyMissing } from './scan/settle.domain.ts';
import type {
  CreateLibrary,
  Library,
  LibraryState,
  UpdateLibrary,
  ValidateLibrary,
} from './schemas.ts';
import { readUnwritten, retryFailed } from './sidecars/sidecars.store.ts';
import * as store from './store.ts';

export const listLibraries = async ({ db }: Ctx): Promise<Library[]> =>
  (await store.listLibraries(db)).map(toLibrary);

export const getLibrary = async (ctx: Ctx, id: string): Promise<Library> =>
  toLibrary(await requireLibrary(ctx, id));

/** Folders of backups, recycle bins and previews of NAS systems are left out unless patterns are given. */
export async function createLibrary(ctx: Ctx, input: CreateLibrary): Promise<Library> {
  const { ownerId, name = 'New External Library', exclusionPatterns } = input;
  if (!(await store.hasAccount(ctx.db, ownerId))) throw invalidField('ownerId', 'Unknown account');
  const importPaths = toImportPaths(input.importPaths ?? []);
  requireValidPatterns(exclusionPatterns ?? []);
  const values = {
    ownerId,
    name,
    importPaths,
    exclusionPatterns: exclusionPatterns ?? PRESET_EXCLUSIONS,
  };
  const library = await keepLimit(ctx, 'library', { ownerId }, ({ db }) =>
    store.insertLibrary(db, values),
  );
  return toLibrary({ library, assets: 0 });
}

/** Scans the library at once if other files are left out: their items are hidden, or come back. */
export async function updateLibrary(ctx: Ctx, id: string, change: UpdateLibrary): Promise<Library> {
  await requireLibrary(ctx, id);
  const importPaths = change.importPaths && toImportPaths(change.importPaths);
  requireValidPatterns(change.exclusionPatterns ?? []);
  await inTransaction(ctx, async ({ db, now }) => {
    await store.updateLibrary(db, id, {
      ...(change.name !== undefined && { name: change.name }),
      ...(importPaths && { importPaths }),
      ...(change.exclusionPatterns && { exclusionPatterns: change.exclusionPatterns }),
      updatedAt: now(),
    });
    if (importPaths ?? change.exclusionPatterns) await enqueue(db, scanLibrary, { libraryId: id });
  });
  return getLibrary(ctx, id);
}

/** Removes a library and its items for good; the files stay where they are. */
export async function deleteLibrary(ctx: Ctx, id: string): Promise<void> {
  await requireLibrary(ctx, id);
  await inTransaction(ctx, async ({ db, now }) => {
    // Files that are being taken in are among those that the job deletes.
    await store.lockLibrary(db, id);
    await store.updateLibrary(db, id, { deletedAt: now() });
    await enqueue(db, removeLibrary, { libraryId: id });
  });
}

export async function startScan(ctx: Ctx, id: string): Promise<void> {
  await requireLibrary(ctx, id);
  const requestedBy = requireUser(ctx.session).userId;
  const run = { name: 'library-scan', queue: 'library', trigger: 'manual', requestedBy } as const;
  await inTransaction(ctx, async ({ db }) => {
    await enqueueRun(db, run, scanLibrary, { libraryId: id });
    await retryFailed(db, id);
  });
}

export async function validateLibrary(ctx: Ctx, id: string, { importPaths }: ValidateLibrary) {
  await requireLibrary(ctx, id);
  const results = (importPaths ?? []).map(async (importPath) => {
    const message = await findPathFault(ctx.paths, importPath);
    return { importPath, isValid: message === undefined, ...(message && { message }) };
  });
  return { importPaths: await Promise.all(results) };
}

export async function getStatistics(ctx: Ctx, id: string) {
  await requireLibrary(ctx, id);
  const { photos, videos, usage } = await store.readStatistics(ctx.db, id);
  return { photos, videos, total: photos + videos, usage };
}

export async function getState(ctx: Ctx, id: string): Promise<LibraryState> {
  const { library } = await requireLibrary(ctx, id);
  const files = await store.countFiles(ctx.db, id);
  const sidecars = await readUnwritten(ctx.db, id);
  return {
    id,
    scanError: library.scanError,
    scanNote: library.scanNote,
    unconfirmedFiles: library.unconfirmedFiles,
    missingFiles: files.missing,
    unreadFiles: files.unread,
    refusedFiles: files.refused,
    watchMode: library.watchMode,
    watchReason: library.watchReason,
    unwrittenSidecars: sidecars.unwritten,
    sidecarError: sidecars.error,
  };
}

/** Confirms that the files that the last scan did not find are gone: their items go offline. */
export async function confirmMissing(ctx: Ctx, id: string): Promise<LibraryState> {
  await requireLibrary(ctx, id);
  await inTransaction(ctx, ({ db, now }) => applyMissing(db, id, now()));
  return getState(ctx, id);
}

async function requireLibrary({ db }: Ctx, id: string): Promise<store.CountedLibrary> {
  const found = await store.findLibrary(db, id);
  if (!found) throw badRequest('Library not found');
  return found;
}

/** A folder that is not there yet is one for `validate` and for the scan. */
function toImportPaths(given: readonly string[]): string[] {
  requireNoEmpty('importPaths', given);
  return [...new Set(given.map(normalizeFolder))];
}

function requireNoEmpty(
  name: 'importPaths' | 'exclusionPatterns',
  values: readonly string[],
): void {
  if (values.includes('')) throw invalidField(name, 'Array items must not be empty');
}

function requireValidPatterns(patterns: readonly string[]): void {
  requireNoEmpty('exclusionPatterns', patterns);
  for (const [index, pattern] of patterns.entries()) {
    const fault = findPatternFault(pattern);
    if (fault) throw invalidField(`exclusionPatterns.${index}`, fault);
  }
}

const toLibrary = ({ library, assets }: { library: LibraryRow; assets: number }): Library => ({
  id: library.id,
  ownerId: library.ownerId,
  name: library.name,
  createdAt: library.createdAt.toISOString(),
  updatedAt: library.updatedAt.toISOString(),
  refreshedAt: library.refreshedAt?.toISOString() ?? null,
  assetCount: assets,
  importPaths: library.importPaths,
  exclusionPatterns: library.exclusionPatterns,
});

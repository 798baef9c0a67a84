import { dirname } from 'node:path';
import { toHex } from '../../../core/hash.ts';
import { guardPath, statFile } from '../../../core/guarded-path.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { MediaError } from '../../../media/errors.ts';
import { readConfig } from '../../system-config/index.ts';
import { publishSidecar, storeSidecar } from '../../uploads/index.ts';
import { isInside } from '../import-path.ts';
import { copySidecar } from '../intake/companions.ts';
import { type planSidecars, writeSidecars } from '../jobs.ts';
import { findLibrary, lockLibrary } from '../store.ts';
import { mergeSidecar } from './merge.ts';
import {
  createFolderReader,
  findPlace,
  type FolderNames,
  SidecarChangedError,
  SidecarRefusedError,
  writeSidecar,
} from './place.ts';
import * as store from './sidecars.store.ts';

const PAGE_SIZE = 50;
const MINUTE_MS = 60_000;
/** Until a sidecar that could not be written is tried again; a scan by hand tries it at once. */
const RETRY_MS = 60 * MINUTE_MS;

/** Enqueues a job for each library with changes. Where nobody wants sidecars, changes are forgotten. */
export const handlePlanSidecars: JobHandler<typeof planSidecars> = async ({ db, now }) => {
  const { libraries } = await readConfig(db, 'libraries');
  if (!libraries.writeSidecars) return (tx) => store.deleteChanges(tx);
  const ids = await store.listDueLibraries(db, now());
  return (tx) =>
    enqueueMany(
      tx,
      writeSidecars,
      ids.map((libraryId) => ({ libraryId })),
    );
};

/** Writes what is due, one item after the other: each is recorded at once, and a job that is repeated goes on. */
export const handleWriteSidecars: JobHandler<typeof writeSidecars> = async (ctx, { libraryId }) => {
  const { libraries } = await readConfig(ctx.db, 'libraries');
  if (!libraries.writeSidecars) return;
  await runThrottled(ctx, async () => {
    const library = (await findLibrary(ctx.db, libraryId))?.library;
    if (!library) return false;
    const due = await store.listDue(ctx.db, libraryId, { now: ctx.now(), limit: PAGE_SIZE });
    const readNames = createFolderReader();
    for (const change of due) {
      ctx.signal.throwIfAborted();
      await tryChange(ctx, library, change, readNames);
    }
    return due.length === PAGE_SIZE;
  });
};

/** Faults of the machine, such as a full disk, are thrown: the job waits for their end. */
async function tryChange(
  ctx: JobCtx,
  library: LibraryRow,
  change: store.DueChange,
  readNames: FolderNames,
): Promise<void> {
  try {
    await applyChange(ctx, library, change, readNames);
  } catch (error) {
    const reason = explainRefusal(error, dirname(change.path));
    if (reason === undefined) throw error;
    ctx.log.warn('sidecar not written', { assetId: change.assetId, reason });
    const waitMs = error instanceof SidecarChangedError ? MINUTE_MS : RETRY_MS;
    const at = new Date(ctx.now().getTime() + waitMs);
    await store.setRetry(ctx.db, change, { error: reason, at });
  }
}

/** Folders that are read-only for good are of one library: others go on. */
const FOLDER_FAULTS: Readonly<Record<string, string>> = {
  EROFS: 'is on a read-only file system',
  EACCES: 'may not be written to by the server',
  EPERM: 'may not be written to by the server',
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  ELOOP: 'is behind a symbolic link',
  EINVAL: 'has something else than a plain file',
  ENAMETOOLONG: 'cannot have a longer name',
};

/** Returns why a sidecar cannot be written before somebody changes its file or folder; undefined for other errors. */
function explainRefusal(error: unknown, folder: string): string | undefined {
  if (error instanceof SidecarRefusedError) return error.message;
  if (error instanceof MediaError && error.kind !== 'killed') {
    return `The XMP file cannot be changed: ${error.message}`;
  }
  const fault = FOLDER_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
  return fault && `${folder} ${fault}`;
}

async function applyChange(
  ctx: JobCtx,
  library: LibraryRow,
  change: store.DueChange,
  readNames: FolderNames,
): Promise<void> {
  const { assetId, path } = change;
  if (!library.importPaths.some((root) => isInside(root, path))) {
    throw new SidecarRefusedError(`${path} is in no folder of the library`);
  }
  const values = await store.findValues(ctx.db, assetId);
  if (!values) return;
  const photo = await statFile(guardPath(path));
  const place = await findPlace(path, readNames);
  const bytes = await mergeSidecar(ctx, place.base, values, change);
  if (!bytes || (place.replaced && Buffer.from(bytes).equals(place.replaced.bytes))) {
    return store.deleteChange(ctx.db, change);
  }
  const mode = Number(place.replaced?.stats.mode ?? photo.mode) & 0o666;
  const stats = await writeSidecar(place, bytes, mode | 0o600);
  const sidecar = await copySidecar(ctx, place.path);
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest();
  try {
    if (!sidecar || toHex(sidecar.digests.sha256) !== toHex(sha256)) {
      throw new SidecarChangedError(`${place.path} was changed meanwhile`);
    }
    const stored = await storeSidecar(ctx, assetId, sidecar);
    await inTransaction(ctx, async (tx) => {
      if (!(await lockLibrary(tx.db, library.id))) return;
      await store.saveWritten(tx.db, library.id, {
        path: place.path,
        sha256,
        size: bytes.length,
        modifiedUs: Number(stats.mtimeNs / 1000n),
        inode: String(stats.ino),
      });
      await store.deleteChange(tx.db, change);
      await publishSidecar(tx, assetId, { sidecar: stored });
    });
  } finally {
    await sidecar?.file.discard();
  }
}

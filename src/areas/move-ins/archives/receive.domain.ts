import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { AppError, conflict, notFound } from '../../../core/errors.ts';
import { reach } from '../../../core/fault-points.ts';
import { releaseBytes } from '../../../core/release-bytes.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { Transfer } from '../../../http/transfer.ts';
import { getErrorCode, syncPath } from '../../../media/file-placement.ts';
import * as operations from '../../../operations/store.ts';
import { requireSpace, toSpaceError } from '../../../staging/errors.ts';
import { acquireUploadLock, continueFile } from '../../../staging/staging.ts';
import { type ArchivesMoveIn, getArchives, isFromArchives, moveInKind } from '../kind.ts';
import { ARCHIVES_LIFETIME_MS } from '../prepare.domain.ts';
import { getPartPath, requireHere } from './files.ts';

/** Bytes that are made durable at a time. */
const COMMIT_BYTES = 64 * 1024 ** 2;
/** A connection that sends nothing for so long is given up. */
const IDLE_MS = 60_000;

type Part = { readonly id: string; readonly index: number };

/**
 * Appends the content of a request to an archive. Returns the bytes that are there now, which are durable. Throws 404 for
 * foreign moves and other parts, 409 with the right offset for a wrong one, 503 while there is no space.
 */
export async function receiveArchive(
  ctx: Ctx,
  part: Part,
  { offset, transfer }: { readonly offset: number; readonly transfer: Transfer },
): Promise<number> {
  const { payload } = await findMove(ctx, part);
  await requireHere(ctx, payload);
  return acquireUploadLock(
    `${part.id}/${part.index}`,
    () => transfer.drop(),
    async (turn) => {
      if (turn.isInterrupted) throw conflict('Another request has come for this archive');
      const move = await findMove(ctx, part);
      requireUploading(move);
      const received = getArchives(move).parts[part.index]?.received ?? 0;
      if (offset !== received) throw offsetMismatch(received);
      const size = getSize(move, part);
      await requireSpace(ctx, size - received);
      return receive(ctx, part, { received, size, transfer });
    },
  );
}

async function findMove({ db, session }: Ctx, { id, index }: Part): Promise<ArchivesMoveIn> {
  const { userId: accountId } = requireUser(session);
  const operation = await operations.findOperation(db, moveInKind, { accountId, id });
  if (!operation || !isFromArchives(operation) || !operation.payload.archives[index])
    throw notFound('Archive');
  return operation;
}

const getSize = ({ payload }: ArchivesMoveIn, { index }: Part): number =>
  payload.archives[index]?.size ?? 0;

/** Bytes come until the server begins to unpack. */
function requireUploading(move: ArchivesMoveIn): void {
  if (move.state === 'prepared' && getArchives(move).phase === 'upload') return;
  throw conflict('The archives are not uploaded any more', { code: 'invalid_state' });
}

const offsetMismatch = (expected: number) =>
  new AppError('conflict', `The upload continues at byte ${expected}`, {
    code: 'upload_offset_mismatch',
    headers: { 'upload-offset': String(expected) },
    detail: { code: 'upload_offset_mismatch', expectedOffset: expected },
  });

type Receiving = {
  readonly received: number;
  readonly size: number;
  readonly transfer: Transfer;
};

async function receive(
  ctx: Ctx,
  part: Part,
  { received, size, transfer }: Receiving,
): Promise<number> {
  const file = continueFile(await openPart(ctx, part, received), received);
  let saved = received;
  const save = async (end: number) => {
    reach('archive.written');
    await saveReceived(ctx, part, saved, end);
    saved = end;
  };
  const take = (chunk: Uint8Array): Promise<unknown> | undefined => {
    if (file.size + chunk.length > size)
      throw new AppError('badRequest', 'The archive is longer than announced');
    const written = file.write(chunk);
    releaseBytes(chunk);
    return file.size - saved < COMMIT_BYTES ? written : file.commit().then(save);
  };
  const outcome = await transfer.receive(take, IDLE_MS).catch((error: unknown) => ({ error }));
  const closed = await file.close();
  if (closed.end > saved) await save(closed.end);
  const fault = closed.error ?? (typeof outcome === 'object' ? outcome.error : undefined);
  if (fault !== undefined) throw toSpaceError(fault);
  if (outcome === 'cut') throw conflict('The connection was cut');
  return saved;
}

/** Opens an archive behind the bytes that count. If they are gone, it begins anew: throws 409 with the offset. */
async function openPart(ctx: Ctx, part: Part, received: number): Promise<FileHandle> {
  const path = getPartPath(ctx.paths, part.id, part.index);
  try {
    const file = await open(path, 'r+');
    if ((await file.stat()).size >= received) {
      // The others were not durable when they came.
      await file.truncate(received);
      return file;
    }
    await file.close();
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  }
  if (received > 0) {
    await saveReceived(ctx, part, received, 0);
    throw offsetMismatch(0);
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'w', 0o600);
  await syncPath(dirname(path));
  return file;
}

/** Counts durable bytes. Throws 409 when another request has counted some, or the move is over. */
const saveReceived = (ctx: Ctx, { id, index }: Part, before: number, after: number) =>
  inTransaction(ctx, async ({ db, now }) => {
    const move = await operations.lockOperation(db, moveInKind, id);
    if (!move || !isFromArchives(move)) throw notFound('Archive');
    requireUploading(move);
    const archives = getArchives(move);
    const known = archives.parts[index];
    if (!known || known.received !== before) throw offsetMismatch(known?.received ?? 0);
    const parts = archives.parts.with(index, { ...known, received: after });
    await operations.updateOperation(db, moveInKind, move, {
      progress: { ...move.progress, archives: { ...archives, parts } },
      expiresAt: new Date(now().getTime() + ARCHIVES_LIFETIME_MS),
    });
  });

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, conflict, unauthorized } from '../../../core/errors.ts';
import { reach } from '../../../core/fault-points.ts';
import { openFile } from '../../../core/guarded-path.ts';
import { toHex } from '../../../core/hash.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type MediaType, toSafeFileName } from '../../../media/formats.ts';
import { type Digests, type Incoming, openIncoming } from '../../../storage/index.ts';
import type { UploadFields } from '../form/fields.ts';
import type { UploadOutcome } from '../schemas.ts';
import {
  type Candidate,
  insertAssets,
  publishFiles,
  storeFiles,
  toLivePhotoItems,
} from './new-asset.domain.ts';
import { type OutcomeWriter, publishAsset } from './publish.domain.ts';
import * as store from './publish.store.ts';
import { requireSpace, toSpaceError } from '../../../staging/errors.ts';

const CHUNK_BYTES = 1024 ** 2;

/** A file of this machine that becomes an asset of an account. It is only read. */
export type LocalFile = {
  /** Guarded (core/guarded-path.ts) unless the file is ours. */
  readonly path: string;
  readonly fileName: string;
  readonly type: MediaType;
  readonly createdAt: Date;
  readonly modifiedAt?: Date;
  /** Path of an XMP file, also guarded. */
  readonly sidecarPath?: string | undefined;
  /** SHA-1 in hex that the file had before: throws 409 if it has another. */
  readonly sha1?: string;
} & Partial<Pick<UploadFields, 'isFavorite' | 'visibility'>>;

/** Publishes a copy of the file as an asset of the account, as if it had been uploaded. */
export async function publishLocalFile(
  ctx: Ctx,
  ownerId: string,
  file: LocalFile,
  writeOutcome: OutcomeWriter,
): Promise<UploadOutcome> {
  const account = await getAccount(ctx, ownerId);
  return withCopies(ctx, async (copy) =>
    publishAsset(ctx, ownerId, account, await copy(file), writeOutcome),
  );
}

/**
 * Publishes copies of both halves of a live photo, or none; `writeOutcome` gets the photo. Throws 409 if
 * the account has one of them.
 */
export async function publishLocalLivePhoto(
  ctx: Ctx,
  ownerId: string,
  halves: { readonly photo: LocalFile; readonly video: LocalFile },
  writeOutcome: OutcomeWriter,
): Promise<UploadOutcome> {
  const account = await getAccount(ctx, ownerId);
  return withCopies(ctx, async (copy) => {
    const photo = await storeFiles(ctx, await copy(halves.photo));
    const video = await storeFiles(ctx, await copy(halves.video));
    const items = toLivePhotoItems(ctx, ownerId, account, { photo, video });
    const created = { id: items.photo.asset.id, status: 'created' } as const;
    await inTransaction(ctx, async (ctx) => {
      const both = [items.video, items.photo];
      const locked = await insertAssets(ctx, account, both);
      if (!locked) throw conflict('A half of the live photo is in the library by now');
      await writeOutcome(ctx.db, created);
      await publishFiles(ctx, both, locked);
    });
    reach('asset.committed');
    return created;
  });
}

async function getAccount({ db }: Ctx, ownerId: string): Promise<store.UploadAccount> {
  const account = await store.findAccount(db, ownerId);
  if (!account) throw unauthorized();
  return account;
}

/** Calls `use` with a function that copies a file, and deletes the copies that it has not published. */
async function withCopies<T>(
  ctx: Ctx,
  use: (copy: (local: LocalFile) => Promise<Candidate>) => Promise<T>,
): Promise<T> {
  const copies: Incoming[] = [];
  const copyPath = async (path: string) => {
    const copied = await copyLocalFile(ctx, path);
    copies.push(copied.file);
    return copied;
  };
  const copy = async (local: LocalFile): Promise<Candidate> => {
    const { file, digests } = await copyPath(local.path);
    if (local.sha1 && toHex(digests.sha1) !== local.sha1) throw changed();
    const sidecar = local.sidecarPath ? await copyPath(local.sidecarPath) : undefined;
    const fileName = toSafeFileName(local.fileName);
    return { file, digests, sidecar, fields: toFields(local), fileName, type: local.type };
  };
  try {
    return await use(copy);
  } catch (error) {
    throw toSpaceError(error);
  } finally {
    for (const file of copies) await file.discard();
  }
}

const toFields = ({ createdAt, modifiedAt, fileName, ...local }: LocalFile): UploadFields => ({
  fileCreatedAt: createdAt,
  fileModifiedAt: modifiedAt ?? createdAt,
  fileName,
  isFavorite: local.isFavorite ?? false,
  visibility: local.visibility ?? 'timeline',
  liveVideoId: undefined,
  metadata: [],
  durationMs: undefined,
});

export type LocalCopy = { readonly file: Incoming; readonly digests: Digests };

/** Copies a file to the incoming ones. Throws as readUnchanged, and for a full disk. */
export async function copyLocalFile(
  ctx: Parameters<typeof requireSpace>[0],
  path: string,
): Promise<LocalCopy> {
  const file = await openIncoming(ctx.paths);
  try {
    await readUnchanged(
      path,
      (chunk) => file.write(chunk),
      (size) => requireSpace(ctx, size),
    );
    return { file, digests: await file.finish() };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

export type LocalFileDigest = {
  /** Hex. */
  readonly sha1: string;
  readonly size: number;
  readonly modifiedAt: Date;
};

/** Reads a file once. Throws as readUnchanged. */
export async function computeLocalDigest(path: string): Promise<LocalFileDigest> {
  const sha1 = new Bun.CryptoHasher('sha1');
  const { size, modifiedAt } = await readUnchanged(path, (chunk) => void sha1.update(chunk));
  return { sha1: sha1.digest('hex'), size, modifiedAt };
}

/**
 * Reads a file once, and does not follow a symbolic link. `begin` gets its size before it is read; the buffer
 * of `write` is its own. Throws 409 if it changes meanwhile, 400 if it is empty or no regular file, and as
 * openFile.
 */
export async function readUnchanged(
  path: string,
  write: (chunk: Uint8Array) => Promise<void> | void | undefined,
  begin?: (size: number) => Promise<void>,
): Promise<{ readonly size: number; readonly modifiedAt: Date }> {
  // Without O_NONBLOCK a named pipe would wait for its writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const source = await openFile(path, flags);
  try {
    const before = await source.stat({ bigint: true });
    if (!before.isFile()) throw badRequest('It is no regular file');
    if (before.size === 0n) throw badRequest('The file is empty');
    await begin?.(Number(before.size));
    const size = await readAll(source, Number(before.size), write);
    const after = await source.stat({ bigint: true });
    const isSame = after.size === before.size && after.mtimeNs === before.mtimeNs;
    if (!isSame || BigInt(size) !== before.size) throw changed();
    return { size, modifiedAt: before.mtime };
  } finally {
    await source.close();
  }
}

const changed = () => conflict('The file changed while it was read');

/** Stops after the byte that is one too many: a file that grows as it is read would have no end. */
async function readAll(
  source: FileHandle,
  expected: number,
  write: (chunk: Uint8Array) => Promise<void> | void | undefined,
): Promise<number> {
  let size = 0;
  while (size <= expected) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, expected - size + 1));
    const { bytesRead } = await source.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return size;
    size += bytesRead;
    await write(buffer.subarray(0, bytesRead));
  }
  return size;
}

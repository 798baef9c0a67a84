import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict } from '../../../core/errors.ts';
import { reach } from '../../../core/fault-points.ts';
import { toHex } from '../../../core/hash.ts';
import type { Db } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueueAll } from '../../../jobs/queue.ts';
import { hasOriginal, type Received, storeReceived } from '../../../storage/index.ts';
import { restoreAfterUpload } from '../../trash/index.ts';
import type { UploadOutcome } from '../schemas.ts';
import * as store from './publish.store.ts';
import {
  type Candidate,
  insertAssets,
  lockOriginals,
  publishFiles,
  publishOriginals,
  storeFiles,
  toNewAsset,
  toProcessingJobs,
} from './new-asset.domain.ts';

// Publishes a received file as an asset: a new one, or the duplicate that the owner has.

/** Writes data that depends on the outcome, in the same transaction. */
export type OutcomeWriter = (db: Db, uploaded: UploadOutcome) => Promise<void>;

const writeNothing: OutcomeWriter = async () => {};

/** Rolls back what was written for an asset that the owner has by now, such as the video hidden behind it. */
class UploadedMeanwhile extends Error {}

/**
 * Creates the asset for its owner, who uploads it, or returns the duplicate that the owner already has. Returns when the asset
 * survives a power failure; throws without changing the library.
 */
export async function publishAsset(
  ctx: Ctx,
  ownerId: string,
  account: store.UploadAccount,
  candidate: Candidate,
  writeOutcome: OutcomeWriter = writeNothing,
): Promise<UploadOutcome> {
  // A guest must not learn what the owner has.
  requireUser(ctx.session);
  const sha1 = toHex(candidate.digests.sha1);
  const existing = await findDuplicate(ctx, ownerId, sha1);
  if (existing) return mergeIntoExisting(ctx, existing, candidate, writeOutcome);

  const stored = await storeFiles(ctx, candidate);
  const asset = toNewAsset(ctx, ownerId, account, stored);
  const created = { id: asset.id, status: 'created' } as const;
  const insert = inTransaction(ctx, async (ctx) => {
    const items = [{ asset, candidate: stored }];
    const locked = await insertAssets(ctx, account, items);
    if (!locked) throw new UploadedMeanwhile();
    await writeOutcome(ctx.db, created);
    await publishFiles(ctx, items, locked);
    return true;
  });
  const isNew = await insert.catch((error: unknown) => {
    if (error instanceof UploadedMeanwhile) return false;
    throw error;
  });
  if (isNew) {
    reach('asset.committed');
    return created;
  }
  const winner = await findDuplicate(ctx, ownerId, sha1);
  // The asset was created and deleted meanwhile: the client retries.
  if (!winner) throw conflict('The same file was uploaded and deleted at this moment');
  return mergeIntoExisting(ctx, winner, candidate, writeOutcome);
}

/** Returns the owner's asset with this SHA-1 (hex), also when it is locked or trashed. */
export async function findDuplicate(
  ctx: Ctx,
  ownerId: string,
  sha1: string,
): Promise<store.ExistingAsset | undefined> {
  const [known] = await store.findBySha1(ctx.db, ownerId, [sha1]);
  return known;
}

/**
 * Returns whether the original is on disk. Only then is a file called a duplicate: clients may delete
 * their own copy after that.
 */
export const isStored = async (
  ctx: Ctx,
  original: Pick<store.ExistingAsset, 'isUnverified' | 'sha256' | 'size' | 'objectKey'>,
): Promise<boolean> => !original.isUnverified && (await hasOriginal(ctx, original));

async function mergeIntoExisting(
  ctx: Ctx,
  existing: store.ExistingAsset,
  candidate: Candidate,
  writeOutcome: OutcomeWriter,
): Promise<UploadOutcome> {
  // SHA-1 collisions can be constructed: treating the files as equal would lose one of them.
  if (toHex(existing.sha256) !== toHex(candidate.digests.sha256)) {
    throw conflict('Another file with the same SHA-1 is in the library');
  }
  await restoreOriginalIfLost(ctx, existing, candidate);
  if (writeOutcome === writeNothing) return resolveDuplicate(ctx, existing);
  return inTransaction(ctx, async (ctx) => {
    const found = await resolveDuplicate(ctx, existing);
    await writeOutcome(ctx.db, found);
    return found;
  });
}

/** Returns the existing asset and restores it if it is in the trash. */
export async function resolveDuplicate(
  ctx: Ctx,
  existing: store.ExistingAsset,
): Promise<UploadOutcome> {
  const isRestored = existing.isTrashed && (await restoreAfterUpload(ctx, existing.id));
  return { id: existing.id, status: 'duplicate', ...(isRestored && { isTrashed: true }) };
}

/** Replaces a lost or damaged original with the uploaded bytes and enqueues its processing. */
export async function restoreOriginalIfLost(
  ctx: Ctx,
  existing: store.ExistingAsset,
  received: Received,
): Promise<void> {
  if (await isStored(ctx, existing)) return;
  const stored = await storeReceived(ctx, received);
  const { digests } = stored;
  await inTransaction(ctx, async (ctx) => {
    const locked = await lockOriginals(ctx.db, [digests]);
    await publishOriginals(ctx, [stored], locked);
    // Processing of the damaged file may have failed.
    for (const asset of await store.listAssetsOfOriginal(ctx.db, digests.sha256)) {
      await enqueueAll(ctx.db, toProcessingJobs(asset));
    }
  });
  ctx.log.warn('replaced a lost or damaged original with an upload', {
    sha256: toHex(digests.sha256),
  });
}

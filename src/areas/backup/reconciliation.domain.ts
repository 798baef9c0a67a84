import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { invalidField } from '../../core/errors.ts';
import { sha256, toHex } from '../../core/hash.ts';
import type { ReconciliationRow } from '../../db/tables/backup.ts';
import { findDevice } from './devices.store.ts';
import * as inventory from './inventory.store.ts';
import * as store from './reconciliation.store.ts';
import {
  createBucketMismatchError,
  createDeviceNotFoundError,
  createInventoryChangedError,
  requireUnfiltered,
  createRunOverError,
  createRunNotFoundError,
  createSnapshotConflictError,
} from './errors.ts';
import type { ReconciliationBucket, ReconciliationResult, ReconciliationStart } from './schemas.ts';

/**
 * Starts comparing the hashes of the device with the account's. A bucket holds hashes with the same first
 * byte and is compared by digest; the device then sends differing buckets to checkBucket.
 */
export async function startReconciliation(
  ctx: Ctx,
  deviceId: string,
  { buckets }: ReconciliationStart,
): Promise<ReconciliationResult> {
  await requireUnfiltered(ctx);
  const { userId } = requireUser(ctx.session);
  const given = toOrderedBuckets(buckets);
  const { result, kept } = await inSnapshot(ctx, async (ctx) => {
    await requireDevice(ctx, deviceId);
    const fingerprint = await inventory.computeFingerprint(ctx.db, userId);
    const known = await inventory.findDigests(ctx.db, userId, fingerprint);
    const digests = known ?? (await inventory.computeDigests(ctx.db, ctx.session));
    const compared = given.map((bucket, n) => ({
      ...bucket,
      isDiffering: !isEqual(bucket.digest, digests.subarray(n * 32, n * 32 + 32)),
    }));
    await store.endEarlierRuns(ctx.db, deviceId);
    const run = await store.insertRun(
      ctx.db,
      newRun(ctx, deviceId, fingerprint, compared),
      compared,
    );
    return {
      result: toResult(run, compared.map(toUncheckedBucket), []),
      kept: known ? undefined : { fingerprint, digests },
    };
  });
  // After the run: two concurrent starts must not collide over the same digests.
  if (kept) await inventory.saveDigests(ctx.db, userId, kept.fingerprint, kept.digests);
  return result;
}

/**
 * Takes the complete list of a bucket and returns the hashes that the account lacks. Idempotent: a repeated
 * bucket returns the same and is counted once.
 */
export async function checkBucket(
  ctx: Ctx,
  { deviceId, runId }: { deviceId: string; runId: string },
  { index, hashes }: ReconciliationBucket,
): Promise<ReconciliationResult> {
  await requireUnfiltered(ctx);
  const { userId } = requireUser(ctx.session);
  const sorted = sortedHashes(index, hashes);
  const result = await inSnapshot(ctx, async (ctx) => {
    await requireDevice(ctx, deviceId);
    const run = await store.lockRun(ctx.db, { userId, deviceId, runId });
    if (!run) throw createRunNotFoundError();
    const buckets = await store.listBuckets(ctx.db, runId);
    const bucket = buckets[index];
    if (run.status === 'invalidated' || !bucket) throw createRunOverError();
    requireMatchingBucket(bucket, sorted);
    if (run.status === 'completed') return toResult(run, buckets, toHashes(bucket.missing));
    if (run.fingerprint !== (await inventory.computeFingerprint(ctx.db, userId))) {
      await store.updateRun(ctx.db, runId, { status: 'invalidated' });
      return undefined;
    }
    if (!isPending(bucket)) return toResult(run, buckets, toHashes(bucket.missing));
    return validate(ctx, run, buckets, bucket, sorted);
  });
  // After the commit, so that the run stays invalidated.
  if (!result) throw createInventoryChangedError();
  return result;
}

async function validate(
  ctx: Ctx,
  run: ReconciliationRow,
  buckets: readonly store.Bucket[],
  bucket: store.Bucket,
  hashes: readonly string[],
): Promise<ReconciliationResult> {
  const lacked = await inventory.filterMissing(ctx.db, requireUser(ctx.session), hashes);
  const missing = Buffer.from(lacked.join(''), 'hex');
  await store.saveMissing(ctx.db, run.id, bucket.bucket, missing);
  const after = buckets.map((other) => (other === bucket ? { ...bucket, missing } : other));
  const isComplete = !after.some(isPending);
  const saved = await store.updateRun(ctx.db, run.id, {
    validatedBuckets: run.validatedBuckets + 1,
    matchedCount: run.matchedCount + hashes.length - lacked.length,
    missingCount: run.missingCount + lacked.length,
    ...(isComplete && { status: 'completed' as const, completedAt: ctx.now() }),
  });
  return toResult(saved, after, lacked);
}

/** Runs `work` on one snapshot. Throws 409 when another request works on the run. */
async function inSnapshot<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  try {
    return await ctx.db.transaction((tx) => work({ ...ctx, db: tx }), {
      isolationLevel: 'repeatable read',
    });
  } catch (error) {
    if (store.isCollision(error)) throw createSnapshotConflictError();
    throw error;
  }
}

async function requireDevice(ctx: Ctx, id: string): Promise<void> {
  const device = await findDevice(ctx.db, requireUser(ctx.session).userId, id);
  if (!device || device.removedAt) throw createDeviceNotFoundError();
}

type GivenBucket = {
  readonly bucket: number;
  readonly hashCount: number;
  readonly digest: Uint8Array;
};

/** Returns the 256 buckets in order. Throws 400 unless each is given once. */
function toOrderedBuckets(buckets: ReconciliationStart['buckets']): GivenBucket[] {
  const ordered: GivenBucket[] = [];
  for (const [place, { index, count, digest }] of buckets.entries()) {
    if (ordered[index]) throw invalidField(`buckets.${place}.index`, 'Given twice');
    const bytes = Buffer.from(toLowerHex(digest), 'hex');
    if (count === 0 && !isEqual(bytes, EMPTY_DIGEST)) {
      throw invalidField(`buckets.${place}.digest`, 'Not the digest of an empty bucket');
    }
    ordered[index] = { bucket: index, hashCount: count, digest: bytes };
  }
  return ordered;
}

const EMPTY_DIGEST = sha256('');

function newRun(
  ctx: Ctx,
  deviceId: string,
  fingerprint: string,
  buckets: readonly store.NewBucket[],
) {
  const now = ctx.now();
  const differing = buckets.filter((bucket) => bucket.isDiffering);
  const sum = (some: readonly store.NewBucket[]) =>
    some.reduce((total, bucket) => total + bucket.hashCount, 0);
  return {
    id: Bun.randomUUIDv7(),
    deviceId,
    userId: requireUser(ctx.session).userId,
    fingerprint,
    deviceCount: sum(buckets),
    differingBuckets: differing.length,
    matchedCount: sum(buckets) - sum(differing),
    checkedAt: now,
    startedAt: now,
    ...(differing.length === 0
      ? { status: 'completed' as const, completedAt: now }
      : { status: 'started' as const }),
  };
}

/** Returns the hashes in lower-case hex, sorted. Throws 400 for one of another bucket. */
function sortedHashes(index: number, given: readonly string[]): string[] {
  const hashes = given.map(toLowerHex).sort();
  if (new Set(hashes).size < hashes.length)
    throw createBucketMismatchError('A hash is given twice');
  const prefix = index.toString(16).padStart(2, '0');
  if (hashes.some((hash) => !hash.startsWith(prefix))) {
    throw createBucketMismatchError('A hash belongs to another bucket');
  }
  return hashes;
}

function requireMatchingBucket(bucket: store.Bucket, sorted: readonly string[]): void {
  if (sorted.length !== bucket.hashCount) {
    throw createBucketMismatchError('The number of hashes is not the one at the start');
  }
  if (!isEqual(sha256(Buffer.from(sorted.join(''), 'hex')), bucket.digest)) {
    throw createBucketMismatchError('The hashes are not those of the start');
  }
}

const isPending = (bucket: Pick<store.Bucket, 'isDiffering' | 'missing'>) =>
  bucket.isDiffering && bucket.missing === null;

const toUncheckedBucket = (bucket: store.NewBucket) => ({ ...bucket, missing: null });

function toResult(
  run: ReconciliationRow,
  buckets: readonly Omit<store.Bucket, 'runId'>[],
  missingHashes: string[],
): ReconciliationResult {
  return {
    runId: run.id,
    deviceId: run.deviceId,
    status: run.status,
    checkedAt: run.checkedAt.toISOString(),
    deviceCount: run.deviceCount,
    differingBuckets: buckets.filter((bucket) => bucket.isDiffering).map(({ bucket }) => bucket),
    pendingBuckets: buckets.filter(isPending).map(({ bucket }) => bucket),
    matchedCount: run.matchedCount,
    missingCount: run.missingCount,
    missingHashes,
    completedAt: run.completedAt?.toISOString() ?? null,
  };
}

const toHashes = (bytes: Uint8Array | null): string[] =>
  toHex(bytes ?? NO_BYTES).match(/.{64}/g) ?? [];
const NO_BYTES = new Uint8Array();

const toLowerHex = (hash: string): string =>
  hash.length === 64 ? hash : Buffer.from(hash, 'base64').toString('hex');

const isEqual = (left: Uint8Array, right: Uint8Array) => Buffer.compare(left, right) === 0;

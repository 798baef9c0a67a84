import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { asUser } from '../../../access/scope.ts';
import { incrementRowVersions } from '../row-versions/row-versions.store.ts';
import { lockStackMembers } from '../../stacks/members/index.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, noAccess } from '../../../core/errors.ts';
import { derivedName } from '../../../core/paths.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { AssetCopy } from '../bulk/bulk.schemas.ts';
import * as store from './copy.store.ts';
import { readMetadata } from '../jobs.ts';
import { publishDerived, removeDerived, scratchFile } from '../processing/tools.ts';

/** Gives one asset what the owner did with another: for a better file of the same picture. */
export async function copyAsset(ctx: Ctx, wish: AssetCopy): Promise<void> {
  const { userId } = asUser(ctx.session);
  const { albums = true, favorite = true, sharedLinks = true, stack = true, sidecar = true } = wish;
  const [sourceId, targetId] = [wish.sourceId.toLowerCase(), wish.targetId.toLowerCase()];
  if (sourceId === targetId) throw badRequest('Source and target must be two assets');
  const pair = { sourceId, targetId, userId };
  await requireBoth(ctx, pair);
  // Before the transaction, which then is short; under a name that nothing has yet.
  const file = sidecar ? await copySidecar(ctx, pair) : undefined;
  try {
    const replaced = await inTransaction(ctx, async ({ db, session, now }) => {
      await lockStackMembers(db, [sourceId, targetId]);
      const [source, target] = await store.findPair(db, session, pair);
      if (!source || !target) throw noAccess('asset.copy');
      if (albums) await store.copyAlbums(db, pair, now());
      // A locked asset is given to nobody, now or when it is unlocked.
      if (sharedLinks && !target.isLocked) await store.copyLinks(db, pair);
      if (favorite) await store.copyFavorite(db, pair, now());
      if (stack && isStackable(source, target)) await store.joinStack(db, pair, source, now());
      if (!sidecar) return undefined;
      await store.copyByHand(db, pair, now());
      await incrementRowVersions(db, [targetId]);
      await enqueue(db, readMetadata, { assetId: targetId });
      return file && store.replaceSidecar(db, targetId, file);
    });
    if (replaced && replaced !== file?.name) await removeDerived(ctx.paths, [replaced]);
  } catch (error) {
    if (file) await removeDerived(ctx.paths, [file.name]);
    throw error;
  }
}

async function requireBoth({ db, session }: Ctx, pair: store.Pair): Promise<void> {
  const [source, target] = await store.findPair(db, session, pair);
  if (!source || !target) throw noAccess('asset.copy');
}

/** As for stacks made by hand: what is locked stays among itself, what is not listed stays out. */
const isStackable = (source: store.Member, target: store.Member): boolean =>
  source.stackId !== null &&
  source.stackId !== target.stackId &&
  source.isLocked === target.isLocked &&
  !target.isTrashed &&
  !target.isHidden;

async function copySidecar(
  ctx: Ctx,
  { sourceId, targetId }: store.Pair,
): Promise<store.Sidecar | undefined> {
  const found = await store.findSidecar(ctx.db, ctx.session, sourceId);
  if (!found) return undefined;
  const name = derivedName(targetId, `sidecar-${crypto.randomUUID()}`, 'xmp');
  const from = await scratchFile(ctx.paths, 'xmp');
  try {
    await copyFile(join(ctx.paths.derived, found.name), from);
  } catch (error) {
    // The row outlives a lost file: there is nothing to copy.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { size } = await stat(from);
  await publishDerived(ctx.paths, from, name);
  return { name, mimeType: found.mimeType, size, tag: found.tag };
}

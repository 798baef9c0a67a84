import { readFile, rm } from 'node:fs/promises';
import { requirePermissions } from '../../../access/permissions.ts';
import { requireUser } from '../../../access/scope.ts';
import { incrementRowVersions } from '../../row-versions/index.ts';
import { lockStackMembers } from '../../stack-members/index.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, noAccess } from '../../../core/errors.ts';
import { keepLimits } from '../../../db/limits/keep-limit.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { AssetCopy } from '../update/bulk.schemas.ts';
import { recordEvents } from '../../workflow-events/index.ts';
import * as store from './copy.store.ts';
import { readMetadata } from '../jobs.ts';
import { createScratchPath } from '../processing/derived-files.ts';
import * as storage from '../../../storage/index.ts';

/**
 * Copies the owner's data of one asset to another, which is a better file of the same picture. Throws
 * 400 unless both are the caller's own, 403 when guests may then download what the caller's key may not.
 */
export async function copyAsset(ctx: Ctx, request: AssetCopy): Promise<void> {
  const user = requireUser(ctx.session);
  const { userId } = user;
  const {
    albums = true,
    favorite = true,
    sharedLinks = true,
    stack = true,
    sidecar = true,
  } = request;
  const [sourceId, targetId] = [request.sourceId.toLowerCase(), request.targetId.toLowerCase()];
  if (sourceId === targetId) throw badRequest('Source and target must be two assets');
  const pair = { sourceId, targetId, userId };
  await requirePair(ctx, pair);
  // Read before the transaction, to keep that short, and written to a unique name.
  const file = sidecar ? await readSidecar(ctx, pair) : undefined;
  try {
    const scope = { ownerId: userId, rows: store.MANY_LINKS };
    const replaced = await keepLimits(
      ctx,
      store.LINK_LIMITS,
      scope,
      async ({ db, session, now }) => {
        await lockStackMembers(db, [sourceId, targetId]);
        const [source, target] = await store.findPair(db, session, pair);
        if (!source || !target) throw noAccess('asset.copy');
        if (albums) await store.copyAlbums(db, pair, now());
        // A locked asset is never added to links.
        if (sharedLinks && !target.isLocked && (await store.copyLinks(db, pair))) {
          requirePermissions(user, ['asset.download']);
        }
        if (favorite) await store.copyFavorite(db, pair, now());
        if (stack && isStackable(source, target)) {
          await store.joinStack(db, pair, source, now());
        }
        if (!sidecar) return undefined;
        const isTagged = await store.copyManualEdits(db, pair, now());
        if (isTagged) await recordEvents(db, 'AssetTagged', [targetId]);
        await incrementRowVersions(db, [targetId]);
        await enqueue(db, readMetadata, { assetId: targetId });
        if (!file) return undefined;
        // Under the lock of the target: no file is in its place without its row.
        await storage.place(ctx, file.path, storage.derivedFile(ctx.paths, file.row.name));
        return store.replaceSidecar(db, targetId, file.row);
      },
    );
    if (replaced && replaced !== file?.row.name)
      await storage.remove(storage.derivedFiles(ctx.paths, [replaced]));
  } catch (error) {
    if (file) await storage.remove(storage.derivedFiles(ctx.paths, [file.row.name]));
    throw error;
  } finally {
    if (file) await rm(file.path, { force: true });
  }
}

async function requirePair({ db, session }: Ctx, pair: store.CopyPair): Promise<void> {
  const [source, target] = await store.findPair(db, session, pair);
  if (!source || !target) throw noAccess('asset.copy');
}

/** Like stacks made by hand: locked with locked assets only, no trashed or hidden ones. */
const isStackable = (source: store.CopyAsset, target: store.CopyAsset): boolean =>
  source.stackId !== null &&
  source.stackId !== target.stackId &&
  source.isLocked === target.isLocked &&
  !target.isTrashed &&
  !target.isHidden;

async function readSidecar(
  ctx: Ctx,
  { sourceId, targetId }: store.CopyPair,
): Promise<{ readonly row: store.Sidecar; readonly path: string } | undefined> {
  const found = await store.findSidecar(ctx.db, ctx.session, sourceId);
  if (!found) return undefined;
  try {
    const bytes = await readFile(
      await storage.locate(ctx, storage.derivedFile(ctx.paths, found.name)),
    );
    const path = await createScratchPath(ctx.paths, 'xmp');
    await Bun.write(path, bytes);
    const owner = { id: targetId, kind: `sidecar-${crypto.randomUUID()}`, extension: 'xmp' };
    const name = await storage.putDerived(ctx, path, owner);
    return { row: { name, mimeType: found.mimeType, size: bytes.length, tag: found.tag }, path };
  } catch (error) {
    // The row may outlive its file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import { randomBytes } from 'node:crypto';
import { requireForOthersItems } from '../../access/others-items.ts';
import { hasPermission, requirePermissions } from '../../access/permissions.ts';
import { requireUser, shareableAmong } from '../../access/scope.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import type {
  AssetIdResult,
  LinkCreate,
  LinkEdit,
  LinkFilter,
  SharedLink,
  SharedLinkStatistics,
} from './schemas.ts';
import * as store from './store.ts';
import { PASSWORD_MASK, toLinks } from './view.ts';
import { listLinkUses } from '../link-uses/index.ts';

export async function listLinks(ctx: Ctx, filter: LinkFilter): Promise<SharedLink[]> {
  const { userId } = requireUser(ctx.session);
  return toLinks(ctx, await store.listLinks(ctx.db, userId, filter));
}

export async function getLink(ctx: Ctx, id: string): Promise<SharedLink> {
  const [link] = await listLinks(ctx, { id });
  if (!link) throw createNotFoundError();
  return link;
}

const KEY_BYTES = 50;

export async function createLink(ctx: Ctx, input: LinkCreate): Promise<SharedLink> {
  const session = requireUser(ctx.session);
  if (input.password === PASSWORD_MASK) throw createMaskError();
  const columns = await toColumns(input);
  const ownerId = session.userId;
  const id = await keepLimit(ctx, 'sharedLink', { ownerId }, async (ctx) => {
    const target = await findTarget(ctx, input);
    const row = await store.insertLink(ctx.db, {
      showMetadata: true,
      // As Immich, unless the caller's key may not.
      allowUpload: hasPermission(session.permissions, 'asset.upload'),
      ...columns,
      allowDownload:
        columns.allowDownload !== false && hasPermission(session.permissions, 'asset.download'),
      ownerId,
      type: input.type,
      albumId: target.albumId,
      key: randomBytes(KEY_BYTES),
      createdAt: ctx.now(),
    });
    if (!row) throw createSlugTakenError();
    if (input.hidesPlaces) await store.setHidesPlaces(ctx.db, row.id, true);
    await addWithinLimit(ctx, row.id, target.assetIds);
    await requireGrantPermissions(ctx, row);
    return row.id;
  });
  return getLink(ctx, id);
}

/** Throws 403 when the link, with its items, would allow more than the caller's API key. */
async function requireGrantPermissions({ db, session }: Ctx, link: Grant): Promise<void> {
  const user = requireUser(session);
  requirePermissions(user, [
    ...(link.allowDownload ? (['asset.download'] as const) : []),
    ...(link.allowUpload ? (['asset.upload'] as const) : []),
  ]);
  const opened = link.albumId === null ? { linkId: link.id } : { albumId: link.albumId };
  await requireForOthersItems(db, user, ['asset.read', 'asset.view'], opened);
}

type Grant = Pick<store.LinkRow, 'id' | 'albumId' | 'allowDownload' | 'allowUpload'>;

type Target = { readonly albumId: string | null; readonly assetIds: readonly string[] };

/** Returns the target of a new link. Throws 400 if the caller may not share one of the ids. */
async function findTarget({ db, session }: Ctx, input: LinkCreate): Promise<Target> {
  const user = requireUser(session);
  if (input.type === 'ALBUM') {
    const albumId = input.albumId?.toLowerCase();
    if (albumId === undefined) throw badRequest('Invalid albumId');
    if (!(await store.ownsAlbum(db, user.userId, albumId))) throw noAccess('album.share');
    return { albumId, assetIds: [] };
  }
  const assetIds = [...new Set((input.assetIds ?? []).map((id) => id.toLowerCase()))];
  if (assetIds.length === 0) throw badRequest('Invalid assetIds');
  const sharable = await shareableAmong(db, user, assetIds);
  if (sharable.size < assetIds.length) throw noAccess('asset.share');
  return { albumId: null, assetIds };
}

/** Returns the changed columns. Hiding metadata also forbids downloads, because originals contain it. */
async function toColumns(input: LinkEdit): Promise<Partial<store.NewLink>> {
  const { allowUpload, showMetadata, description, expiresAt, slug, password } = input;
  const allowDownload = showMetadata === false ? false : input.allowDownload;
  return {
    ...(allowDownload !== undefined && { allowDownload }),
    ...(allowUpload !== undefined && { allowUpload }),
    ...(showMetadata !== undefined && { showMetadata }),
    ...(description !== undefined && { description: description || null }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
    ...(slug !== undefined && { slug: slug?.normalize('NFC') || null }),
    ...(password !== undefined &&
      password !== PASSWORD_MASK && { passwordHash: password ? await hashSecret(password) : null }),
  };
}

/** Updates the link. A new password invalidates unlock tokens of the old one. */
export async function updateLink(ctx: Ctx, id: string, change: LinkEdit): Promise<SharedLink> {
  const { userId } = requireUser(ctx.session);
  const columns = await toColumns(change);
  try {
    await inTransaction(ctx, async ({ db }) => {
      const row = await store.lockLink(db, userId, id);
      if (!row) throw createNotFoundError();
      await requireGrantPermissions(
        { ...ctx, db },
        {
          ...row,
          allowDownload: columns.allowDownload ?? row.allowDownload,
          allowUpload: columns.allowUpload ?? row.allowUpload,
        },
      );
      const showsMetadata = columns.showMetadata ?? row.showMetadata;
      if (!showsMetadata && columns.allowDownload) {
        throw badRequest('Originals cannot be downloaded while their metadata are hidden');
      }
      if (change.password === PASSWORD_MASK && !row.passwordHash) throw createMaskError();
      await store.updateLink(db, row.id, columns);
      if (change.hidesPlaces !== undefined) {
        await store.setHidesPlaces(db, row.id, change.hidesPlaces);
      }
    });
  } catch (error) {
    throw isDatabaseError(error, 'uniqueViolation') ? createSlugTakenError() : error;
  }
  return getLink(ctx, id);
}

/** Deletes the link, which ends all access through it. */
export async function deleteLink(ctx: Ctx, id: string): Promise<void> {
  if (!(await store.deleteLink(ctx.db, requireUser(ctx.session).userId, id)))
    throw createNotFoundError();
}

export async function addLinkAssets(
  ctx: Ctx,
  id: string,
  assetIds: readonly string[],
): Promise<AssetIdResult[]> {
  const ids = assetIds.map((assetId) => assetId.toLowerCase());
  return inTransaction(ctx, async (ctx) => {
    const link = await lockIndividual(ctx, id);
    const sharable = await shareableAmong(ctx.db, requireUser(ctx.session), ids);
    const added = await addWithinLimit(ctx, link.id, [...sharable]);
    await requireGrantPermissions(ctx, link);
    return toResults(ids, 'duplicate', (assetId) => {
      if (!sharable.has(assetId)) return 'no_permission';
      return added.has(assetId) ? undefined : 'duplicate';
    });
  });
}

const addWithinLimit = (ctx: Ctx, linkId: string, assetIds: readonly string[]) =>
  keepLimit(
    ctx,
    'sharedLinkItem',
    { ownerId: requireUser(ctx.session).userId, rows: assetIds.length },
    ({ db }) => store.addAssets(db, linkId, assetIds),
  );

export async function removeLinkAssets(
  ctx: Ctx,
  id: string,
  assetIds: readonly string[],
): Promise<AssetIdResult[]> {
  const ids = assetIds.map((assetId) => assetId.toLowerCase());
  return inTransaction(ctx, async (ctx) => {
    const link = await lockIndividual(ctx, id);
    const removed = await store.removeAssets(ctx.db, link.id, ids);
    return toResults(ids, 'not_found', (assetId) =>
      removed.has(assetId) ? undefined : 'not_found',
    );
  });
}

async function lockIndividual({ db, session }: Ctx, id: string): Promise<store.LinkRow> {
  const link = await store.lockLink(db, requireUser(session).userId, id);
  if (!link) throw createNotFoundError();
  if (link.type !== 'INDIVIDUAL') throw badRequest('Invalid shared link type');
  return link;
}

type Refusal = NonNullable<AssetIdResult['error']>;

/** Returns the result of each id, in order; `repeatedError` for a repeated id. */
function toResults(
  ids: readonly string[],
  repeatedError: Refusal,
  getError: (id: string) => Refusal | undefined,
): AssetIdResult[] {
  const seen = new Set<string>();
  return ids.map((assetId) => {
    const error = seen.has(assetId) ? repeatedError : getError(assetId);
    seen.add(assetId);
    return error ? { assetId, success: false, error } : { assetId, success: true };
  });
}

/** For an unknown link and for one of another account. */
const createNotFoundError = () => badRequest('Shared link not found');
/** For a slug of another link: Immich does not say which links exist. */
const createSlugTakenError = () => badRequest('Failed to save shared link');
const createMaskError = () => invalidField('password', 'Stands for a password and cannot be one');

/** Returns how often guests used the caller's links; links that nobody has used are left out. */
export async function listLinkStatistics({ db, session }: Ctx): Promise<SharedLinkStatistics[]> {
  const uses = await listLinkUses(db, requireUser(session).userId);
  return uses.map(({ linkId, openedCount, downloadedCount, lastOpenedAt }) => ({
    linkId,
    openedCount: Number(openedCount),
    downloadedCount: Number(downloadedCount),
    lastOpenedAt: lastOpenedAt && new Date(lastOpenedAt).toISOString(),
  }));
}

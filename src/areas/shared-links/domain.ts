import { randomBytes } from 'node:crypto';
import { hasPermission, requirePermissions } from '../../access/permissions.ts';
import { requireUser } from '../../access/scope.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { AssetIdResult, LinkCreate, LinkEdit, LinkFilter, SharedLink } from './schemas.ts';
import * as store from './store.ts';
import { PASSWORD_MASK, toLinks } from './view.ts';

export async function listLinks(ctx: Ctx, filter: LinkFilter): Promise<SharedLink[]> {
  const { userId } = requireUser(ctx.session);
  return toLinks(ctx, await store.listLinks(ctx.db, userId, filter));
}

export async function getLink(ctx: Ctx, id: string): Promise<SharedLink> {
  const [link] = await listLinks(ctx, { id });
  if (!link) throw unknownLink();
  return link;
}

const KEY_BYTES = 50;

export async function createLink(ctx: Ctx, input: LinkCreate): Promise<SharedLink> {
  const session = requireUser(ctx.session);
  if (input.password === PASSWORD_MASK) throw maskAsPassword();
  const columns = await columnsOf(input);
  const id = await inTransaction(ctx, async (ctx) => {
    const target = await targetOf(ctx, input);
    const row = await store.insertLink(ctx.db, {
      showMetadata: true,
      // Guests of an album add to it, where the caller may; a link to photos is for looking at them.
      allowUpload: input.type === 'ALBUM' && hasPermission(session.permissions, 'asset.upload'),
      allowDownload: columns.showMetadata !== false,
      ...columns,
      ownerId: session.userId,
      type: input.type,
      albumId: target.albumId,
      key: randomBytes(KEY_BYTES),
      createdAt: ctx.now(),
    });
    if (!row) throw slugTaken();
    checkGrant(ctx, row);
    await store.addAssets(ctx.db, row.id, target.assetIds);
    return row.id;
  });
  return getLink(ctx, id);
}

/** A link opens for whoever knows it, so a key makes none that may do more than the key itself. */
function checkGrant({ session }: Ctx, link: Grant): void {
  requirePermissions(requireUser(session), [
    'asset.read',
    'asset.view',
    ...(link.allowDownload ? (['asset.download'] as const) : []),
    ...(link.allowUpload ? (['asset.upload'] as const) : []),
  ]);
}

type Grant = Pick<store.NewLink, 'allowDownload' | 'allowUpload'>;

type Target = { readonly albumId: string | null; readonly assetIds: readonly string[] };

/** One id that the caller may not give away fails all. */
async function targetOf({ db, session }: Ctx, input: LinkCreate): Promise<Target> {
  const user = requireUser(session);
  if (input.type === 'ALBUM') {
    const albumId = input.albumId?.toLowerCase();
    if (albumId === undefined) throw badRequest('Invalid albumId');
    if (!(await store.ownsAlbum(db, user.userId, albumId))) throw noAccess('album.share');
    return { albumId, assetIds: [] };
  }
  const assetIds = [...new Set((input.assetIds ?? []).map((id) => id.toLowerCase()))];
  if (assetIds.length === 0) throw badRequest('Invalid assetIds');
  const sharable = await store.sharableAmong(db, user, assetIds);
  if (sharable.size < assetIds.length) throw noAccess('asset.share');
  return { albumId: null, assetIds };
}

/** What is left out stays; what was hidden is not told by the originals either. */
async function columnsOf(input: LinkEdit): Promise<Partial<store.NewLink>> {
  const { allowUpload, showMetadata, description, expiresAt, slug, password } = input;
  const allowDownload = showMetadata === false ? false : input.allowDownload;
  return {
    ...(allowDownload !== undefined && { allowDownload }),
    ...(allowUpload !== undefined && { allowUpload }),
    ...(showMetadata !== undefined && { showMetadata }),
    ...(description !== undefined && { description: description || null }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
    ...(slug !== undefined && { slug: slug || null }),
    ...(password !== undefined &&
      password !== PASSWORD_MASK && { passwordHash: password ? await hashSecret(password) : null }),
  };
}

/** A new password closes the link for everyone who had entered the old one. */
export async function updateLink(ctx: Ctx, id: string, change: LinkEdit): Promise<SharedLink> {
  const { userId } = requireUser(ctx.session);
  const columns = await columnsOf(change);
  try {
    await inTransaction(ctx, async ({ db }) => {
      const row = await store.lockLink(db, userId, id);
      if (!row) throw unknownLink();
      checkGrant(ctx, { ...row, ...columns });
      const showsMetadata = columns.showMetadata ?? row.showMetadata;
      if (!showsMetadata && columns.allowDownload) {
        throw badRequest('Originals cannot be downloaded while their metadata are hidden');
      }
      if (change.password === PASSWORD_MASK && !row.passwordHash) throw maskAsPassword();
      await store.updateLink(db, row.id, columns);
    });
  } catch (error) {
    throw isDatabaseError(error, 'uniqueViolation') ? slugTaken() : error;
  }
  return getLink(ctx, id);
}

/** Every request is let in by the row: with it go all ways that the link opened. */
export async function deleteLink(ctx: Ctx, id: string): Promise<void> {
  if (!(await store.deleteLink(ctx.db, requireUser(ctx.session).userId, id))) throw unknownLink();
}

export async function addLinkAssets(
  ctx: Ctx,
  id: string,
  assetIds: readonly string[],
): Promise<AssetIdResult[]> {
  const ids = assetIds.map((assetId) => assetId.toLowerCase());
  return inTransaction(ctx, async (ctx) => {
    const link = await lockIndividual(ctx, id);
    checkGrant(ctx, link);
    const sharable = await store.sharableAmong(ctx.db, requireUser(ctx.session), ids);
    const added = await store.addAssets(ctx.db, link.id, [...sharable]);
    return eachOnce(ids, 'duplicate', (assetId) => {
      if (!sharable.has(assetId)) return 'no_permission';
      return added.has(assetId) ? undefined : 'duplicate';
    });
  });
}

export async function removeLinkAssets(
  ctx: Ctx,
  id: string,
  assetIds: readonly string[],
): Promise<AssetIdResult[]> {
  const ids = assetIds.map((assetId) => assetId.toLowerCase());
  return inTransaction(ctx, async (ctx) => {
    const link = await lockIndividual(ctx, id);
    const removed = await store.removeAssets(ctx.db, link.id, ids);
    return eachOnce(ids, 'not_found', (assetId) =>
      removed.has(assetId) ? undefined : 'not_found',
    );
  });
}

async function lockIndividual({ db, session }: Ctx, id: string): Promise<store.LinkRow> {
  const link = await store.lockLink(db, requireUser(session).userId, id);
  if (!link) throw unknownLink();
  if (link.type !== 'INDIVIDUAL') throw badRequest('Invalid shared link type');
  return link;
}

type Refusal = NonNullable<AssetIdResult['error']>;

/** The verdict of each id, in order; when one is named again, `again`. */
function eachOnce(
  ids: readonly string[],
  again: Refusal,
  verdict: (id: string) => Refusal | undefined,
): AssetIdResult[] {
  const seen = new Set<string>();
  return ids.map((assetId) => {
    const error = seen.has(assetId) ? again : verdict(assetId);
    seen.add(assetId);
    return error ? { assetId, success: false, error } : { assetId, success: true };
  });
}

/** For a link that is not there and for one of somebody else. */
const unknownLink = () => badRequest('Shared link not found');
const slugTaken = () => badRequest('Shared link with this slug already exists');
const maskAsPassword = () => invalidField('password', 'Stands for a password and cannot be one');

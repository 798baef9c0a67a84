import type { Ctx } from '../../core/context.ts';
import { getAlbumsById } from '../albums/index.ts';
import { findAssetsById } from '../assets/index.ts';
import type { SharedLink } from './schemas.ts';
import { type LinkRow, listLinkAssets } from './store.ts';

/** Replaces passwords in responses. Clients send it back unchanged, which changes nothing. */
export const PASSWORD_MASK = '********';

/** Returns the links as the session sees them. `ctx` must not be inside a transaction. */
export async function toLinks(ctx: Ctx, rows: readonly LinkRow[]): Promise<SharedLink[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const albumIds = rows.flatMap((row) => row.albumId ?? []);
  const albums = await getAlbumsById(ctx, [...new Set(albumIds)]);
  const members = await listLinkAssets(ctx.db, ctx.session, ids);
  const assets = await findAssetsById(ctx, [...new Set([...members.values()].flat())]);
  return rows.map((row) => {
    const album = row.albumId === null ? undefined : albums.get(row.albumId);
    const shown = (members.get(row.id) ?? []).flatMap((id) => assets.get(id) ?? []);
    return { ...toLink(ctx, row), ...(album && { album }), assets: shown };
  });
}

function toLink({ session }: Ctx, row: LinkRow): Omit<SharedLink, 'assets'> {
  const isOwner = session.kind === 'user';
  return {
    id: row.id,
    userId: row.ownerId,
    type: row.type,
    key: Buffer.from(row.key).toString('base64url'),
    slug: row.slug,
    description: row.description,
    password: isOwner && row.passwordHash ? PASSWORD_MASK : null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    allowDownload: row.allowDownload && row.showMetadata,
    allowUpload: row.allowUpload,
    showMetadata: row.showMetadata,
    ...(row.hidesPlaces && { hidesPlaces: true }),
    createdAt: row.createdAt.toISOString(),
  };
}

import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import type { AlbumRow } from '../../db/tables/albums.ts';
import { toUser } from '../users/index.ts';
import { type AlbumSummary, countByContributor, summarize } from './counts.store.ts';
import type { Album } from './schemas.ts';
import * as store from './store.ts';

/** Returns the albums by id. The caller has checked access. */
export async function getAlbumsById(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Album>> {
  if (ids.length === 0) return new Map();
  const albums = await toAlbums(ctx, await store.findAlbums(ctx.db, ids));
  return new Map(albums.map((album) => [album.id, album]));
}

/** Returns the album as the session sees it. Throws 400 when it is gone. */
export async function getAlbumById(ctx: Ctx, id: string): Promise<Album> {
  const row = await store.findAlbum(ctx.db, id);
  if (!row) throw noAccess('album.read');
  const [album] = await toAlbums(ctx, [row]);
  if (!album) throw noAccess('album.read');
  // Not for guests.
  return album.shared && ctx.session.kind === 'user'
    ? { ...album, contributorCounts: await countByContributor(ctx.db, ctx.session, id) }
    : album;
}

export async function toAlbums(ctx: Ctx, rows: readonly AlbumRow[]): Promise<Album[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const summaries = await summarize(ctx.db, ctx.session, ids);
  const linked = await store.filterLinked(ctx.db, ids);
  const owners = await store.findOwners(ctx.db, rows);
  const members = Map.groupBy(await store.listMembers(ctx.db, ids), (member) => member.albumId);
  // Guests do not see names and e-mail addresses.
  const isGuest = ctx.session.kind === 'sharedLink';
  return rows.map((row) => {
    const others = members.get(row.id) ?? [];
    const owner = owners.get(row.ownerId);
    return {
      ...formatSummary(summaries.get(row.id)),
      id: row.id,
      albumName: row.name,
      description: row.description,
      albumThumbnailAssetId: summaries.get(row.id)?.coverId ?? null,
      albumUsers: isGuest
        ? []
        : [
            ...(owner ? [{ role: 'owner' as const, user: toUser(owner) }] : []),
            ...others.map(({ role, user }) => ({ role, user: toUser(user) })),
          ],
      shared: others.length > 0 || linked.has(row.id),
      hasSharedLink: linked.has(row.id),
      isActivityEnabled: row.isActivityEnabled,
      order: row.sortOrder,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  });
}

function formatSummary(summary: AlbumSummary | undefined) {
  if (!summary) return { assetCount: 0 };
  const { assetCount, start, end, modified } = summary;
  return {
    assetCount,
    ...(start && { startDate: toInstant(start) }),
    ...(end && { endDate: toInstant(end) }),
    ...(modified && { lastModifiedAssetTimestamp: new Date(modified).toISOString() }),
  };
}

/** Returns local time as if it were UTC, as clients expect. */
const toInstant = (wallClock: string) => new Date(`${wallClock.replace(' ', 'T')}Z`).toISOString();

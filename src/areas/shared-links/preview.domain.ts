import type { Authenticate } from '../../access/authenticate.ts';
import type { Ctx, Deps } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { getAlbumsById } from '../albums/index.ts';
import * as store from './store.ts';

/** Key or slug from the URL of the link's page. */
export type LinkName = { readonly key: string } | { readonly slug: string };

/** Open Graph data of a link. */
export type LinkPreview = {
  readonly title: string;
  readonly description: string;
  /** Path below /api, with the key or slug; undefined without an image. */
  readonly imagePath: string | undefined;
};

/**
 * Returns the preview of a link: null if it has a password, undefined if it is unknown or expired. Counts
 * only items that the link shows.
 */
export async function getLinkPreview(
  deps: Deps,
  authenticate: Authenticate,
  name: LinkName,
  address: string | undefined,
): Promise<LinkPreview | null | undefined> {
  const query = new URLSearchParams(name);
  // Without the caller's cookies: an entered password makes no difference.
  const request = new Request(`http://localhost/?${query}`);
  const session = await authenticate(request, deps.now(), { address }).catch((error: unknown) => {
    if (error instanceof AppError && error.status === 401) return undefined;
    throw error;
  });
  if (session?.kind !== 'sharedLink') return undefined;
  if (session.needsPassword) return null;
  const ctx = { ...deps, session };
  const link = await store.findLink(ctx.db, session.linkId);
  if (!link) return undefined;
  const { title, count, coverId } = await getContents(ctx, link);
  return {
    title,
    description: link.description || `${count} shared photos & videos`,
    imagePath: coverId ? `/api/assets/${coverId}/thumbnail?${query}` : undefined,
  };
}

async function getContents(ctx: Ctx, { id, albumId }: store.LinkRow) {
  if (albumId !== null) {
    const album = (await getAlbumsById(ctx, [albumId])).get(albumId);
    return {
      title: album?.albumName || UNTITLED,
      count: album?.assetCount ?? 0,
      coverId: album?.albumThumbnailAssetId,
    };
  }
  const members = (await store.listLinkAssets(ctx.db, ctx.session, [id])).get(id) ?? [];
  return { title: UNTITLED, count: members.length, coverId: members[0] };
}

const UNTITLED = 'Public Share';

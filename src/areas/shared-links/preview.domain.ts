import type { Authenticate } from '../../access/authenticate.ts';
import type { Ctx, Deps } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { getAlbumsById } from '../albums/index.ts';
import * as store from './store.ts';

/** As the address of the link's page names it. */
export type LinkName = { readonly key: string } | { readonly slug: string };

/** What a messenger shows of a link that somebody sends. */
export type LinkPreview = {
  readonly title: string;
  readonly description: string;
  /** Below /api, with the name of the link; undefined when there is nothing to show. */
  readonly imagePath: string | undefined;
};

/**
 * Returns what anybody who has the address may learn of the link: null while it asks for a password,
 * undefined for a link that is unknown or has expired. What the link does not show is not counted.
 */
export async function getLinkPreview(
  deps: Deps,
  authenticate: Authenticate,
  name: LinkName,
  address: string | undefined,
): Promise<LinkPreview | null | undefined> {
  const query = new URLSearchParams(name);
  // Without the caller's cookies: whoever entered the password sees no more here.
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
  const members = (await store.membersOf(ctx.db, ctx.session, [id])).get(id) ?? [];
  return { title: UNTITLED, count: members.length, coverId: members[0] };
}

const UNTITLED = 'Public Share';

import { batchedByScope } from '../../access/batch.ts';
import type { Session } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { toTag } from '../tags/index.ts';
import type { Asset } from './schemas.ts';
import { type FullView, type OwnerView, viewFinder } from './store.ts';
import { toAsset, toInstant, type ViewOptions } from './view.ts';

const findView = batchedByScope(viewFinder);

export async function getAsset(ctx: Ctx, id: string): Promise<Asset> {
  const row = await findView(ctx, id.toLowerCase());
  if (!row) throw noAccess('asset.read');
  return withRelations(row, viewOptions(ctx.session, true));
}

/** Those of `ids` that the session may see, in full. `ctx` must not be inside a transaction. */
export async function assetsById(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Asset>> {
  if (ids.length === 0) return new Map();
  const options = viewOptions(ctx.session, true);
  const rows = await viewFinder(ctx)(ids);
  return new Map([...rows].map(([id, row]) => [id, withRelations(row, options)]));
}

function withRelations(row: FullView, options: ViewOptions): Asset {
  const asset = toAsset(row, options);
  if (!options.showMetadata) return asset;
  return {
    ...asset,
    people: [],
    tags: (row.tags ?? []).map(toTag),
    stack: row.stack && row.stack.assetCount > 1 ? row.stack : null,
    ...(options.viewerId && { owner: toOwner(row.ownerId, row) }),
  };
}

export const viewOptions = (session: Session, withExif: boolean): ViewOptions =>
  session.kind === 'user'
    ? { viewerId: session.userId, withExif, showMetadata: true }
    : { viewerId: undefined, withExif, showMetadata: session.showMetadata };

const toOwner = (id: string, row: OwnerView): NonNullable<Asset['owner']> => ({
  id,
  name: row.ownerName,
  email: row.ownerEmail,
  avatarColor: row.ownerColor as NonNullable<Asset['owner']>['avatarColor'],
  profileImagePath: row.ownerImage ?? '',
  profileChangedAt: toInstant(row.ownerChangedAt),
});

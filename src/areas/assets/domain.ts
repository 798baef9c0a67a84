import { batchedByScope } from '../../access/batch.ts';
import type { Session } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { toTag } from '../tags/index.ts';
import type { Asset } from './schemas.ts';
import { viewFinder, type OwnerView } from './store.ts';
import { toAsset, toInstant, type ViewOptions } from './view.ts';

const findView = batchedByScope(viewFinder);

export async function getAsset(ctx: Ctx, id: string): Promise<Asset> {
  const row = await findView(ctx, id.toLowerCase());
  if (!row) throw noAccess('asset.read');
  const options = viewOptions(ctx.session, true);
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

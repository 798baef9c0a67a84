import { ownAssets, requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { findSidecarValues } from '../../assets/index.ts';
import { type Archive, openArchive } from '../domain.ts';
import type { ArchiveWish } from '../schemas.ts';
import { formatXmp, type SidecarValues } from '../../../media/xmp.ts';

/** Items that one statement reads ahead. */
const BATCH_SIZE = 200;

/**
 * Returns a ZIP archive as openArchive does, with a file `name.ext.xmp` behind each item of the caller: date,
 * place, rating, description, tags and people as the owner has changed them. Items of others have none.
 */
export function openSidecarArchive(ctx: Ctx, request: ArchiveWish): Promise<Archive> {
  const { db, session } = ctx;
  requireUser(session);
  const ids = [...new Set(request.assetIds.map((id) => id.toLowerCase()))];
  let known: ReadonlyMap<string, SidecarValues> = new Map();
  let end = 0;
  const toSidecar = async (id: string): Promise<string | undefined> => {
    const at = ids.indexOf(id, Math.max(0, end - BATCH_SIZE));
    if (at >= end) {
      const batch = ids.slice(at, at + BATCH_SIZE);
      known = await findSidecarValues(db, ownAssets(db, session, 'any'), batch);
      end = at + batch.length;
    }
    const values = known.get(id);
    return values && formatXmp(values);
  };
  return openArchive(ctx, request, toSidecar);
}

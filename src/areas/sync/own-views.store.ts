import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { toArrayLiteral, readShownPage } from './page.store.ts';
import { getEntities } from './entities.store.ts';

export type SyncView = {
  readonly asset: { readonly id: string };
  readonly exif: object;
  readonly edits: readonly object[];
};

type Line = { readonly data: { id: string; assetId: string } };

/** Returns own assets as a copy without elevation gets them; Locked ones are absent. */
export async function readOwnViews(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<SyncView[]> {
  // No session, so nothing can be elevated.
  const owner = { userId, unlocked: false, sessionId: userId, now: new Date(0), watermark: 0n };
  const entities = getEntities(owner);
  const source = {
    isLog: false,
    rows: sql`select ${userId}::uuid as scope_id, 'shown' as kind, id as subject_id,
      null::uuid as other_id, null::text as key, '' as ack, (row_number() over ())::int as ord
      from unnest(${toArrayLiteral(ids)}::uuid[]) id`,
  };
  const read = async (
    type: 'AssetV2' | 'AssetExifV1' | 'AssetEditV1',
    name: keyof typeof entities,
  ) => {
    const entity = entities[name];
    const page = await readShownPage(db, { type, source, entity, ackPrefix: '', ackBefore: '' });
    return page.lines
      .split('\n')
      .flatMap((line) => (line ? [(JSON.parse(line) as Line).data] : []));
  };
  const assets = await read('AssetV2', 'asset');
  const exifs = new Map((await read('AssetExifV1', 'exif')).map((exif) => [exif.assetId, exif]));
  const edits = await read('AssetEditV1', 'edit');
  return assets.flatMap((asset) => {
    const exif = exifs.get(asset.id);
    return exif ? [{ asset, exif, edits: edits.filter((edit) => edit.assetId === asset.id) }] : [];
  });
}

import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { measureStorage } from '../jobs.ts';
import { KINDS, PARTS, type StorageMeasurement, type StorageUses } from './schemas.ts';
import * as store from './store.ts';
import { countFilePlaces, sumPlaces } from '../../../storage/files.store.ts';
import { findObjectStore } from '../../../storage/objects.ts';
import type { StoragePlaces } from './places.schemas.ts';

/** Returns what files take, as it was measured last: a few rows, however many items there are. */
export async function getStorageUses(ctx: Ctx): Promise<StorageUses> {
  const { userId } = requireUser(ctx.session);
  const rows = await store.listUses(ctx.db);
  const accounts = Map.groupBy(
    rows.filter((row) => row.userId !== null),
    (row) => row.userId ?? '',
  );
  return {
    measuredAt: rows[0] ? new Date(rows[0].measuredAt).toISOString() : null,
    server: selectKinds(
      rows.filter((row) => row.userId === null),
      KINDS,
    ),
    accounts: [...accounts].map(([id, uses]) => ({
      userId: id,
      userName: uses[0]?.userName ?? '',
      uses: selectKinds(uses, KINDS),
    })),
    own: selectKinds(accounts.get(userId) ?? [], PARTS),
  };
}

type Row = { readonly kind: string; readonly files: string; readonly bytes: string };

const selectKinds = <Kind extends string>(rows: readonly Row[], kinds: readonly Kind[]) =>
  kinds.flatMap((kind) =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ files, bytes }) => ({ kind, files: Number(files), bytes: Number(bytes) })),
  );

/** Has it measured again; two who ask at once get one run. */
export async function measureAgain({ db, now }: Ctx): Promise<StorageMeasurement> {
  const requestedAt = now().toISOString();
  await enqueue(db, measureStorage, {});
  return { requestedAt };
}

/** Returns what is in the data folder and in the object store, and whether files are moved from one to the other. */
export async function getStoragePlaces({ db, settings }: Ctx): Promise<StoragePlaces> {
  const url = findObjectStore(settings)?.url;
  if (url === undefined) return { store: null };
  const sums = await sumPlaces(db);
  const others = await countFilePlaces(db);
  return {
    store: {
      url,
      movingTo: (await store.findMove(db)) ?? null,
      files: { originals: sums.files, bytes: sums.fileBytes, others: others.files },
      objects: { originals: sums.objects, bytes: sums.objectBytes, others: others.objects },
    },
  };
}

import type { Sql } from 'postgres';
import { getFirst } from '../../core/required.ts';
import { EPOCH_TEXT } from '../../db/epoch.ts';
import type { Pause } from './centroids.ts';
import { openIndex } from './model-index.ts';
import type { InvertedFile } from './inverted-file.ts';
import type { Kernel } from './kernel.ts';
import { readBootId, openSidecar, type Sidecar, type SidecarState } from './sidecar.ts';

/** The files of one model, kept in sync with the database. */
export type SyncedVectors = {
  readonly dimension: number;
  readonly sidecar: Sidecar;
  /**
   * False: the model and its vectors are gone, though another of its name may have come; or another server has become
   * the primary, where ids of transactions are used again.
   */
  sync(): Promise<boolean>;
  /** Returns the inverted file that is in service. */
  findIndex(): InvertedFile | undefined;
  /** Builds an inverted file, which the next `sync` puts into service; false when another process does. */
  buildIndex(pause: Pause): Promise<boolean>;
};

const BATCH_SIZE = 5000;
/** Interval at which rows are counted, to detect deletions and manual changes. */
const RECOUNT_MS = 30 * 60_000;
/** Slots of deleted vectors are emptied when there are more of them than this share. */
const DELETED_SHARE = 0.01;
/** Slots that are read at once. */
const SLOT_BATCH_SIZE = 50_000;

/** Opens the file of a model; undefined when the model has no vectors. */
export async function openSyncedVectors(
  sql: Sql,
  modelId: string,
  folder: string,
  kernel: Kernel,
  recountMs = RECOUNT_MS,
): Promise<SyncedVectors | undefined> {
  const [model] = await sql<{ id: number; dimension: number; stamp: string; epoch: string }[]>`
    select id, dimension, stamp, ${sql.unsafe(EPOCH_TEXT)} as epoch
    from embedding_model where model_id = ${modelId}`;
  if (!model) return undefined;
  const { id, dimension, stamp, epoch } = model;
  const sidecar = openSidecar(`${folder}/${stamp}`, {
    dimension,
    kernel,
    identity: `${epoch} ${readBootId()}`,
  });
  const index = openIndex(`${folder}/${stamp}`, sidecar, kernel);
  const recount = createRecount({ sql, id, sidecar, index, recountMs });

  async function isThere(): Promise<boolean> {
    const rows = await sql`
      select 1 from embedding_model where id = ${id} and ${sql.unsafe(EPOCH_TEXT)} = ${epoch}`;
    return rows.length > 0;
  }

  async function sync(): Promise<void> {
    let isIncomplete = false;
    await sidecar.update(async (state) => {
      // Queried first: a transaction that ends later is read again the next time.
      const now = await sql<{ oldest: string; slots: number }[]>`
        select pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
          (select slots from embedding_model where id = ${id}) as slots`;
      const { oldest, slots } = getFirst(now);
      if (state.watermark === undefined) state.grow(slots);
      await eachBatch(readAfter(state.watermark), (rows) => {
        // Rows committed meanwhile may lie beyond the count.
        state.grow(Math.max(slots, (rows.at(-1)?.slot ?? 0) + 1));
        state.write(rows);
        index.put(state, rows);
      });
      const watermark = BigInt(oldest);
      isIncomplete = await recount(state, watermark);
      const since = index.findUnpublished(state);
      if (since !== undefined) {
        await eachBatch(readAfter(since), (rows) => index.putUnpublished(rows));
        index.publish(state);
      }
      index.synced = { watermark, resets: state.resets };
      return watermark;
    });
    if (!isIncomplete) return;
    sidecar.forget();
    await sync();
  }

  const readAfter =
    (watermark: bigint | undefined) =>
    (slot: number): Promise<readonly Row[]> =>
      watermark === undefined ? readAll(sql, id, slot) : readChanged(sql, id, watermark, slot);

  return {
    dimension,
    sidecar,
    findIndex: () => index.find(),
    buildIndex: (pause) => index.build(pause),
    async sync() {
      if (!(await isThere())) return false;
      await sync();
      return true;
    },
  };
}

type RecountOptions = {
  readonly sql: Sql;
  /** Id of the model in the database. */
  readonly id: number;
  readonly sidecar: Sidecar;
  readonly index: ReturnType<typeof openIndex>;
  readonly recountMs: number;
};

/**
 * Returns a function that now and then empties slots whose vectors are deleted. It returns whether vectors before the
 * watermark are missing.
 */
function createRecount({ sql, id, sidecar, index, recountMs }: RecountOptions) {
  let countedAt = performance.now();
  return async (state: SidecarState, watermark: bigint): Promise<boolean> => {
    if (performance.now() - countedAt < recountMs) return false;
    countedAt = performance.now();
    const stored = await sql<{ rows: number }[]>`
      select count(*)::int as rows from embedding
      where model = ${id} and xid < ${watermark.toString()}::text::xid8`;
    const { rows } = getFirst(stored);
    const { scales } = sidecar.rows();
    let present = 0;
    for (let slot = 0; slot < sidecar.count(); slot++) if (scales[slot] !== 0) present += 1;
    if (present > rows * (1 + DELETED_SHARE)) {
      const deleted = await findDeleted(sql, id, sidecar);
      state.clear(deleted);
      index.put(state, deleted);
    }
    return present < rows;
  };
}

/** Returns the slots that have a vector here, but not in the database. Call while nobody else may write. */
async function findDeleted(sql: Sql, id: number, sidecar: Sidecar): Promise<Slot[]> {
  const { scales } = sidecar.rows();
  const deleted: Slot[] = [];
  let next = 0;
  const skipTo = (end: number) => {
    for (; next < end; next++) if (scales[next] !== 0) deleted.push({ slot: next });
  };
  await eachBatch(
    (after) => readSlots(sql, id, after),
    (rows) => {
      for (const { slot } of rows) {
        skipTo(slot);
        next = slot + 1;
      }
    },
    SLOT_BATCH_SIZE,
  );
  skipTo(sidecar.count());
  return deleted;
}

/** Passes all rows by slot. The server fetches the next batch while this one is written. */
async function eachBatch<T extends Slot>(
  readAfter: (slot: number) => Promise<readonly T[]>,
  write: (rows: readonly T[]) => void,
  size = BATCH_SIZE,
): Promise<void> {
  let reading = readAfter(-1);
  for (;;) {
    const rows = await reading;
    const last = rows.length < size ? undefined : rows.at(-1);
    if (last) reading = readAfter(last.slot);
    if (rows.length > 0) write(rows);
    if (!last) return;
  }
}

type Slot = { readonly slot: number };
type Row = Slot & { readonly vector: Uint8Array };

const readSlots = (sql: Sql, model: number, after: number) => sql<Slot[]>`
  select slot from embedding where model = ${model} and slot > ${after}
  order by slot limit ${SLOT_BATCH_SIZE}`;

const readAll = (sql: Sql, model: number, after: number) => sql<Row[]>`
  select slot, vector from embedding where model = ${model} and slot > ${after}
  order by slot limit ${BATCH_SIZE}`;

const readChanged = (sql: Sql, model: number, watermark: bigint, after: number) => sql<Row[]>`
  select slot, vector from embedding
  where model = ${model} and xid >= ${watermark.toString()}::text::xid8 and slot > ${after}
  order by slot limit ${BATCH_SIZE}`;

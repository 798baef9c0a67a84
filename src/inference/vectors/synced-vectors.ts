import type { Sql } from 'postgres';
import { getFirst } from '../../core/required.ts';
import { EPOCH_TEXT } from '../../db/epoch.ts';
import type { Pause } from './centroids.ts';
import { openIndex } from './model-index.ts';
import type { InvertedFile } from './inverted-file.ts';
import type { Kernel } from './kernel.ts';
import { readBootId, openSidecar, type Sidecar } from './sidecar.ts';

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
/** Interval at which rows are counted, to detect a restore or manual changes. */
const RECOUNT_MS = 30 * 60_000;

/** Opens the file of a model; undefined when the model has no vectors. */
export async function openSyncedVectors(
  sql: Sql,
  modelId: string,
  folder: string,
  kernel: Kernel,
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
  let countedAt = performance.now();

  async function isThere(): Promise<boolean> {
    const rows = await sql`
      select 1 from embedding_model where id = ${id} and ${sql.unsafe(EPOCH_TEXT)} = ${epoch}`;
    return rows.length > 0;
  }

  async function sync(): Promise<void> {
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
      const since = index.findUnpublished(state);
      if (since !== undefined) {
        await eachBatch(readAfter(since), (rows) => index.putUnpublished(rows));
        index.publish(state);
      }
      index.synced = { watermark, resets: state.resets };
      return watermark;
    });
  }

  const readAfter =
    (watermark: bigint | undefined) =>
    (slot: number): Promise<readonly Row[]> =>
      watermark === undefined ? readAll(sql, id, slot) : readChanged(sql, id, watermark, slot);

  async function recount(): Promise<void> {
    if (performance.now() - countedAt < RECOUNT_MS) return;
    countedAt = performance.now();
    const stored = await sql<{ rows: number }[]>`
      select count(*)::int as rows from embedding where model = ${id}`;
    const { scales } = sidecar.rows();
    let present = 0;
    for (let slot = 0; slot < sidecar.count(); slot++) if (scales[slot] !== 0) present += 1;
    if (present < getFirst(stored).rows) sidecar.forget();
  }

  return {
    dimension,
    sidecar,
    findIndex: () => index.find(),
    buildIndex: (pause) => index.build(pause),
    async sync() {
      if (!(await isThere())) return false;
      await recount();
      await sync();
      return true;
    },
  };
}

/** Passes all rows by slot. The server fetches the next batch while this one is written. */
async function eachBatch(
  readAfter: (slot: number) => Promise<readonly Row[]>,
  write: (rows: readonly Row[]) => void,
): Promise<void> {
  let reading = readAfter(-1);
  for (;;) {
    const rows = await reading;
    const last = rows.length < BATCH_SIZE ? undefined : rows.at(-1);
    if (last) reading = readAfter(last.slot);
    if (rows.length > 0) write(rows);
    if (!last) return;
  }
}

type Row = { readonly slot: number; readonly vector: Uint8Array };

const readAll = (sql: Sql, model: number, after: number) => sql<Row[]>`
  select slot, vector from embedding where model = ${model} and slot > ${after}
  order by slot limit ${BATCH_SIZE}`;

const readChanged = (sql: Sql, model: number, watermark: bigint, after: number) => sql<Row[]>`
  select slot, vector from embedding
  where model = ${model} and xid >= ${watermark.toString()}::text::xid8 and slot > ${after}
  order by slot limit ${BATCH_SIZE}`;

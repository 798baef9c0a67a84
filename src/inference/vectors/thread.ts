import type { Sql } from 'postgres';
import { reconnect } from '../../db/address.ts';
import { follow, type Followed } from './follow.ts';
import { type Kernel, openKernel } from './kernel.ts';
import type { FromVectors, RankCall, ToVectors, VectorCall } from './messages.ts';
import type { Hit } from './types.ts';

type Model = { readonly followed: Followed; syncing: Promise<void> | undefined; syncedAt: number };
type Start = Extract<ToVectors, { type: 'start' }>;

/** Body of the thread that ranks vectors: so does no page wait for a million of them. */
export function serveVectors(scope: Pick<Worker, 'onmessage' | 'postMessage'>): void {
  const starting = Promise.withResolvers<ReturnType<typeof openRanker>>();
  const tell = (message: FromVectors) => scope.postMessage(message);

  async function answer(id: number, call: VectorCall): Promise<void> {
    try {
      const ranker = await starting.promise;
      const hits =
        call.kind === 'rank' ? await ranker.rank(call) : await ranker.refresh(call.modelId);
      tell({ type: 'answer', id, hits });
    } catch (error) {
      tell({ type: 'failure', id, message: (error as Error).message });
    }
  }

  scope.onmessage = ({ data }: MessageEvent<ToVectors>) => {
    if (data.type === 'call') return void answer(data.id, data.call);
    openKernel().then((kernel) => starting.resolve(openRanker(data, kernel)), starting.reject);
  };
}

function openRanker({ connection, folder, freshMs }: Start, kernel: Kernel) {
  const sql: Sql = reconnect(connection, 1);
  const models = new Map<string, Promise<Model | undefined>>();

  async function modelOf(modelId: string): Promise<Model | undefined> {
    let opening = models.get(modelId);
    if (!opening) {
      opening = follow(sql, modelId, folder, kernel).then(
        (followed) => followed && { followed, syncing: undefined, syncedAt: -freshMs - 1 },
      );
      models.set(modelId, opening);
    }
    const model = await opening.catch((error: unknown) => {
      models.delete(modelId);
      throw error;
    });
    // There may be vectors of it the next time.
    if (!model) models.delete(modelId);
    return model;
  }

  /** One at a time: the lock on the file would wait for itself. */
  async function sync(model: Model): Promise<void> {
    model.syncing ??= model.followed
      .sync()
      .then(() => void (model.syncedAt = performance.now()))
      .finally(() => void (model.syncing = undefined));
    await model.syncing;
  }

  return {
    async rank({ modelId, queries, slots, k }: RankCall): Promise<Hit[][]> {
      const model = await modelOf(modelId);
      if (!model) return queries.map(() => []);
      if (performance.now() - model.syncedAt > freshMs) await sync(model);
      const { dimension, sidecar } = model.followed;
      if (queries.some(({ length }) => length !== dimension)) {
        throw new Error(`Vectors of ${modelId} have ${dimension} dimensions`);
      }
      const count = sidecar.count();
      const among = slots && unpacked(slots, count);
      return kernel.rank(sidecar.rows(), {
        queries,
        slots: among,
        total: among?.length ?? count,
        k,
      });
    },
    async refresh(modelId: string): Promise<Hit[][]> {
      const model = await modelOf(modelId);
      // One that began before the caller's commit does not count.
      await model?.syncing;
      if (model) await sync(model);
      return [];
    },
  };
}

/** Those that the file knows: what is newer than it is not found yet. */
function unpacked(packed: Uint8Array, count: number): Uint32Array {
  const bytes = Buffer.alloc(packed.length);
  bytes.set(packed);
  bytes.swap32();
  const slots = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return slots.every((slot) => slot < count) ? slots : slots.filter((slot) => slot < count);
}

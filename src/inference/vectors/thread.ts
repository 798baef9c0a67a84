import type { Sql } from 'postgres';
import { connect } from '../../db/address.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { openSyncedVectors, type SyncedVectors } from './synced-vectors.ts';
import { type Kernel, openKernel } from './kernel.ts';
import type { FromVectors, RankCall, ToVectors, VectorCall } from './messages.ts';
import type { Hit } from './types.ts';

type Model = {
  readonly followed: SyncedVectors;
  syncing: Promise<boolean> | undefined;
  syncedAt: number;
};
type Start = Extract<ToVectors, { type: 'start' }>;

/** Body of the thread that ranks vectors, so that no request waits for a million of them. */
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
      tell({
        type: 'failure',
        id,
        message: (error as Error).message,
        isConnectionFailure: isDatabaseError(error, 'connectionFailure'),
      });
    }
  }

  scope.onmessage = ({ data }: MessageEvent<ToVectors>) => {
    if (data.type === 'call') return void answer(data.id, data.call);
    openKernel().then((kernel) => starting.resolve(openRanker(data, kernel)), starting.reject);
  };
}

function openRanker({ address, folder, freshMs }: Start, kernel: Kernel) {
  const sql: Sql = connect(address, { max: 1, idle_timeout: 20, onnotice: () => {} });
  const models = new Map<string, Promise<Model | undefined>>();

  async function openModel(modelId: string): Promise<Model | undefined> {
    let opening = models.get(modelId);
    if (!opening) {
      opening = openSyncedVectors(sql, modelId, folder, kernel).then(
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

  /** Runs one sync at a time: the file lock would deadlock. False: the model is gone. */
  async function sync(model: Model): Promise<boolean> {
    model.syncing ??= model.followed
      .sync()
      .then((isThere) => {
        model.syncedAt = performance.now();
        return isThere;
      })
      .finally(() => void (model.syncing = undefined));
    return model.syncing;
  }

  /**
   * Returns the model in sync; undefined without vectors. A removed model may have been installed
   * again.
   */
  async function syncedModel(modelId: string, isFresh: (model: Model) => boolean) {
    for (;;) {
      const model = await openModel(modelId);
      if (!model || isFresh(model) || (await sync(model))) return model;
      models.delete(modelId);
    }
  }

  return {
    async rank({ modelId, queries, slots, k }: RankCall): Promise<Hit[][]> {
      const isFresh = ({ syncedAt }: Model) => performance.now() - syncedAt <= freshMs;
      const model = await syncedModel(modelId, isFresh);
      if (!model) return queries.map(() => []);
      const { dimension, sidecar } = model.followed;
      if (queries.some(({ length }) => length !== dimension)) {
        throw new Error(`Query vectors of ${modelId} must have ${dimension} dimensions`);
      }
      const count = sidecar.count();
      const candidates = slots && unpackSlots(slots, count);
      return kernel.rank(sidecar.rows(), {
        queries,
        slots: candidates,
        total: candidates?.length ?? count,
        k,
      });
    },
    async refresh(modelId: string): Promise<Hit[][]> {
      // A refresh that began before the caller's commit does not count.
      await (
        await openModel(modelId)
      )?.syncing;
      await syncedModel(modelId, () => false);
      return [];
    },
  };
}

/** Returns the slots below `count`: the file does not have the vectors of newer ones yet. */
function unpackSlots(packed: Uint8Array, count: number): Uint32Array {
  const bytes = Buffer.alloc(packed.length);
  bytes.set(packed);
  bytes.swap32();
  const slots = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return slots.every((slot) => slot < count) ? slots : slots.filter((slot) => slot < count);
}

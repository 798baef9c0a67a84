import type { Sql } from 'postgres';
import { connect } from '../../db/address.ts';
import { isServerFault } from '../../db/errors.ts';
import { openSyncedVectors, type SyncedVectors } from './synced-vectors.ts';
import type { Pause } from './centroids.ts';
import { type Kernel, openKernel } from './kernel.ts';
import type { FromVectors, RankCall, ToVectors, VectorCall } from './messages.ts';
import { rankVectors } from './ranking.ts';
import type { Hit } from './types.ts';

/** A full disk stays full for a while. */
const RETRY_MS = 10 * 60_000;
/** Work between two pauses, and the pause as a share of it. */
const STEP_MS = 5;
const PAUSE_SHARE = 0.25;

type Model = {
  readonly followed: SyncedVectors;
  syncing: Promise<boolean> | undefined;
  syncedAt: number;
  building: Promise<void> | undefined;
  /** When an index that could not be built may be tried again. */
  retryAt: number;
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
        isServerFault: isServerFault(error),
      });
    }
  }

  scope.onmessage = ({ data }: MessageEvent<ToVectors>) => {
    if (data.type === 'call') return void answer(data.id, data.call);
    if (data.type === 'stop') {
      const stopped = starting.promise.then((ranker) => ranker.stop());
      return void stopped.catch(() => {}).then(() => tell({ type: 'stopped' }));
    }
    openKernel().then(
      (kernel) => starting.resolve(openRanker(data, kernel, tell)),
      starting.reject,
    );
  };
}

function openRanker(
  { address, folder, freshMs, limits }: Start,
  kernel: Kernel,
  tell: (message: FromVectors) => void,
) {
  const sql: Sql = connect(address, { max: 1, idle_timeout: 20, onnotice: () => {} });
  const models = new Map<string, Promise<Model | undefined>>();
  const stopping = new AbortController();
  const sync = createSync({ kernel, limits, tell, signal: stopping.signal });

  async function openModel(modelId: string): Promise<Model | undefined> {
    let opening = models.get(modelId);
    if (!opening) {
      opening = openSyncedVectors(sql, modelId, folder, kernel).then(
        (followed) =>
          followed && {
            followed,
            syncing: undefined,
            syncedAt: -freshMs - 1,
            building: undefined,
            retryAt: 0,
          },
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
      const { dimension } = model.followed;
      if (queries.some(({ length }) => length !== dimension)) {
        throw new Error(`Query vectors of ${modelId} must have ${dimension} dimensions`);
      }
      return rankVectors(kernel, limits, model.followed, { queries, slots, k });
    },
    async refresh(modelId: string): Promise<Hit[][]> {
      // A refresh that began before the caller's commit does not count.
      await (
        await openModel(modelId)
      )?.syncing;
      await syncedModel(modelId, () => false);
      return [];
    },
    /** Resolves when no file is locked. */
    async stop(): Promise<void> {
      stopping.abort();
      const endWork = async (opening: Promise<Model | undefined>) => {
        const model = await opening;
        await Promise.allSettled([model?.syncing ?? true, model?.building ?? true]);
      };
      await Promise.allSettled([...models.values()].map(endWork));
    },
  };
}

type SyncOptions = {
  readonly kernel: Kernel;
  readonly limits: Start['limits'];
  readonly tell: (message: FromVectors) => void;
  /** Aborts the building of an index. */
  readonly signal: AbortSignal;
};

/**
 * Returns a function that syncs a model, and then builds its index in the background where one is due. It runs one sync
 * of a model at a time: the file lock would deadlock. False: the model is gone.
 */
function createSync({ kernel, limits, tell, signal }: SyncOptions) {
  async function sync(model: Model): Promise<boolean> {
    model.syncing ??= model.followed
      .sync()
      .then((isThere) => {
        model.syncedAt = performance.now();
        if (isThere && isIndexDue(model))
          model.building = buildIndex(model).finally(() => void (model.building = undefined));
        return isThere;
      })
      .finally(() => void (model.syncing = undefined));
    return model.syncing;
  }

  function isIndexDue({ followed, building, retryAt }: Model): boolean {
    if (building || signal.aborted || performance.now() < retryAt) return false;
    if (!kernel.lists || followed.sidecar.count() <= limits.exactUpTo) return false;
    return followed.findIndex()?.isOutgrown() ?? true;
  }

  /** Builds an inverted file while the one before it, or none, is in service. */
  async function buildIndex(model: Model): Promise<void> {
    const from = performance.now();
    try {
      if (!(await model.followed.buildIndex(createPause(signal)))) return;
      // A sync that has begun does not know of it.
      await model.syncing;
      await sync(model);
      const vectors = model.followed.sidecar.count();
      tell({ type: 'built', vectors, ms: Math.round(performance.now() - from) });
    } catch (error) {
      if (signal.aborted) return;
      tell({ type: 'buildFailure', message: (error as Error).message });
      model.retryAt = performance.now() + RETRY_MS;
    }
  }

  return sync;
}

/** Returns a function that lets others have their turn after some milliseconds of work; it throws when stopped. */
function createPause(signal: AbortSignal): Pause {
  let from = performance.now();
  return async () => {
    signal.throwIfAborted();
    const worked = performance.now() - from;
    if (worked < STEP_MS) return;
    await Bun.sleep(worked * PAUSE_SHARE);
    from = performance.now();
  };
}

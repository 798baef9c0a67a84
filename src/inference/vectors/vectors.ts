import { join } from 'node:path';
import { hostname } from 'node:os';
import type { Deps } from '../../core/context.ts';
import { databaseUnavailable } from '../../core/errors.ts';
import { getAddress } from '../../db/address.ts';
import type { FromVectors, ToVectors, VectorCall } from './messages.ts';
import { RANK_LIMITS, type RankLimits } from './ranking.ts';
import type { Hit, SubjectHit, VectorIndex } from './types.ts';

type VectorDeps = Pick<Deps, 'sql' | 'paths' | 'log'>;

export type VectorIndexOptions = {
  /** Largest lag behind the database, in ms. */
  readonly freshMs?: number;
  readonly limits?: Partial<RankLimits>;
};

const FRESH_MS = 1000;
/** A thread that does not stop by itself is terminated after that. */
const STOP_MS = 5000;
const opened = new WeakMap<Deps['sql'], VectorIndex>();

/** Returns the vector index of this thread's database. */
export function getVectorIndex(where: VectorDeps): VectorIndex {
  let vectors = opened.get(where.sql);
  if (!vectors) {
    vectors = openVectorIndex(where);
    opened.set(where.sql, vectors);
  }
  return vectors;
}

/** The types of browsers leave out what keeps a process alive. */
type Thread = Worker & { ref(): void; unref(): void };

/** Stops the thread of this pool's index, if any. */
export const closeVectorIndexes = async (sql: Deps['sql']): Promise<void> =>
  opened.get(sql)?.close();

type Waiting = {
  readonly resolve: (hits: readonly (readonly Hit[])[]) => void;
  readonly reject: (error: Error) => void;
};

/** Opens a separate index, which the caller closes. */
export function openVectorIndex(
  { sql, paths, log }: VectorDeps,
  { freshMs = FRESH_MS, limits = {} }: VectorIndexOptions = {},
): VectorIndex {
  const waiting = new Map<number, Waiting>();
  const stopped = Promise.withResolvers<void>();
  let thread: Thread | undefined;
  let nextId = 1;

  function startThread(): Thread {
    const mine = new Worker(THREAD_SCRIPT, { smol: true }) as Thread;
    mine.addEventListener('message', ({ data }: MessageEvent<FromVectors>) => receive(data));
    mine.addEventListener('error', ({ message }) => fail(mine, message));
    mine.addEventListener('close', () => fail(mine, 'the thread ended'));
    const folder = join(paths.vectors, hostname());
    const address = getAddress(sql);
    tell(mine, { type: 'start', address, folder, freshMs, limits: { ...RANK_LIMITS, ...limits } });
    return mine;
  }

  function receive(message: FromVectors): void {
    if (message.type === 'stopped') return stopped.resolve();
    if (message.type === 'built') {
      const { vectors, ms } = message;
      return log.info('built the index of vectors', { vectors, ms });
    }
    if (message.type === 'buildFailure')
      return log.error('the index of vectors cannot be built', { reason: message.message });
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (waiting.size === 0) thread?.unref();
    if (message.type === 'answer') call?.resolve(message.hits);
    else if (message.isServerFault) call?.reject(databaseUnavailable());
    else call?.reject(new Error(message.message));
  }

  /** The next call starts another. */
  function fail(mine: Thread, reason: string): void {
    if (thread !== mine) return;
    thread = undefined;
    mine.terminate();
    if (waiting.size > 0) log.error('vector thread died', { reason });
    for (const { reject } of waiting.values()) reject(new Error(`Ranking failed: ${reason}`));
    waiting.clear();
  }

  const callThread = (call: VectorCall): Promise<readonly (readonly Hit[])[]> =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, { resolve, reject });
      thread ??= startThread();
      thread.ref();
      tell(thread, { type: 'call', id, call });
    });

  const rank: VectorIndex['nearestMany'] = (modelId, queries, { candidates = 'all', k }) =>
    queries.length === 0
      ? Promise.resolve([])
      : callThread({
          kind: 'rank',
          modelId,
          queries,
          slots: candidates === 'all' ? undefined : candidates,
          k,
        });

  const nearest: VectorIndex['nearest'] = async (modelId, query, { atLeast, ...options }) => {
    const [hits = []] = await rank(modelId, [query], options);
    return atLeast === undefined ? hits : hits.filter(({ score }) => score >= atLeast);
  };

  return {
    nearestMany: rank,
    nearest,
    nearestAllowed: (modelId, query, { k, atLeast, keep }) =>
      rankAllowed(k, keep, (most) => nearest(modelId, query, { k: most, atLeast })),
    async refresh(modelId) {
      await callThread({ kind: 'refresh', modelId });
    },
    async close() {
      const mine = thread;
      opened.delete(sql);
      if (!mine) return;
      // The lock of a file stays with the process, even if the thread has ended.
      mine.ref();
      tell(mine, { type: 'stop' });
      await Promise.race([stopped.promise, Bun.sleep(STOP_MS)]);
      thread = undefined;
      mine.terminate();
    },
  };
}

const FIRST_LIMIT = 1000;
const LIMIT_GROWTH = 8;

/** Ranks the best thousand, then eight times as many, until enough are allowed. */
async function rankAllowed(
  k: number,
  keep: (slots: readonly number[]) => Promise<ReadonlyMap<number, string>>,
  rank: (most: number) => Promise<readonly Hit[]>,
): Promise<SubjectHit[]> {
  const found: SubjectHit[] = [];
  let seen = 0;
  for (let most = Math.max(FIRST_LIMIT, k * 2); ; most *= LIMIT_GROWTH) {
    const hits = await rank(most);
    const fresh = hits.slice(seen);
    const kept = await keep(fresh.map(({ slot }) => slot));
    for (const { slot, score } of fresh) {
      const subjectId = kept.get(slot);
      if (subjectId !== undefined) found.push({ subjectId, score });
    }
    if (found.length >= k || hits.length < most) return found.slice(0, k);
    seen = hits.length;
  }
}

const tell = (thread: Worker, message: ToVectors) => thread.postMessage(message);

/** Resolved like the job threads: by its place in the binary, elsewhere by its own path. */
const THREAD_SCRIPT = Bun.isStandaloneExecutable
  ? './workers/vectors.ts'
  : join(import.meta.dir, '../../../workers/vectors.ts');

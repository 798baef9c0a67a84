import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import {
  toCapabilities,
  selectSemanticModels,
  listModelFolders,
  getInstalledModels,
} from './capabilities.ts';
import { type Caller, openCaller } from './child-calls.ts';
import type { Deps } from '../core/context.ts';
import { dataPaths } from '../core/paths.ts';
import { ModelMissing } from './errors.ts';
import { createPreparer } from './prepared-calls.ts';
import type { Capabilities, Inference, TaskName } from './types.ts';

type InferenceDeps = Pick<Deps, 'settings' | 'log'>;

/** Memory below which model families take turns. */
const ALL_MODELS_BYTES = 700 * 1024 ** 2;
const MAX_THREADS = 8;
/**
 * Models that run at once in the background. Threads that share one run wait for each other at each of its hundreds of
 * operations: two runs with half of the threads each take an eighth less of the processor.
 */
const BACKGROUND_CONCURRENCY = 2;
/** Idle time of the background child: jobs come in bursts. */
const IDLE_MS = 60_000;
/** Idle time of the main thread's child: a search must not wait for a process to start. */
const INTERACTIVE_IDLE_MS = 5 * 60_000;
/** Cached query vectors: a search is corrected and paged through. */
const MAX_CACHED_QUERIES = 200;

const opened = new Map<string, Inference>();

/** Returns the inference of this thread: one child process shared by all callers. */
export function getInference(where: InferenceDeps): Inference {
  const { settings } = where;
  const key = [...listModelFolders(settings), settings.inferenceMemoryBytes].join('\n');
  let inference = opened.get(key);
  if (!inference) {
    inference = openInference(where);
    opened.set(key, inference);
  }
  return inference;
}

/** Closes every child of this thread. */
export async function closeInference(): Promise<void> {
  const all = [...opened.values()];
  opened.clear();
  await Promise.all(all.map((inference) => inference.close()));
}

/** Opens a separate child, which the caller closes. */
export function openInference({ settings, log }: InferenceDeps): Inference {
  const { inferenceMemoryBytes: memoryBytes } = settings;
  const modelFolders = listModelFolders(settings);
  const preparer = createPreparer(modelFolders, log);
  const caller = openCaller({
    log,
    memoryBytes,
    idleMs: isMainThread ? INTERACTIVE_IDLE_MS : IDLE_MS,
    configure: () => {
      const threads = countThreads(availableParallelism());
      const isExclusive = memoryBytes < ALL_MODELS_BYTES;
      return {
        // A running child sees no folder that was made after its start: it is replaced.
        folders: [...modelFolders, dataPaths(settings.dataDir).derived].filter(existsSync),
        models: getInstalledModels(settings),
        published: preparer.published(),
        threads,
        concurrency: isMainThread || isExclusive ? 1 : Math.min(threads, BACKGROUND_CONCURRENCY),
        isExclusive,
      };
    },
  });
  const call: Caller['call'] = (request, signal) =>
    preparer.call(() => caller.call(request, signal));
  const installed = () => toCapabilities(getInstalledModels(settings));
  const queries = new LRUCache<string, Promise<Float32Array>>({ max: MAX_CACHED_QUERIES });

  return {
    async analyze(image, tasks, { signal } = {}) {
      const possible = tasks.filter((task) => installed()[task]);
      if (possible.length === 0) throw missing(...tasks);
      return call({ kind: 'analyze', image, tasks: possible }, signal);
    },
    async detectFaces(image, { signal } = {}) {
      require(installed(), 'faces');
      return call({ kind: 'detectFaces', image }, signal);
    },
    async embedFaces(image, faces, { signal } = {}) {
      require(installed(), 'faces');
      return call({ kind: 'embedFaces', image, faces }, signal);
    },
    embedImage: (image, options) => one('embedding', image, options),
    detectObjects: (image, options) => one('objects', image, options),
    labelImage: (image, options) => one('labels', image, options),
    imageFeature: (image, options) => one('feature', image, options),
    readText: (image, options) => one('text', image, options),
    async embedQuery(text, { signal, modelId: wanted } = {}) {
      const best = require(installed(), 'embedding');
      const known = selectSemanticModels(getInstalledModels(settings)).some(
        ({ modelId }) => modelId === wanted,
      );
      const modelId = wanted !== undefined && known ? wanted : best.modelId;
      const key = `${modelId}\n${text}`;
      const vector = queries.get(key) ?? call({ kind: 'embedQuery', text, modelId }, signal);
      queries.set(key, vector);
      vector.catch(() => queries.delete(key));
      return vector;
    },
    async embedSentences(texts, { signal } = {}) {
      require(installed(), 'sentences');
      return texts.length === 0 ? [] : call({ kind: 'embedSentences', texts }, signal);
    },
    async transcribe(samples, { language, signal } = {}) {
      require(installed(), 'speech');
      return call({ kind: 'transcribe', samples, language }, signal);
    },
    probe: () => call({ kind: 'probe' }),
    memory: () => caller.memory(),
    close: () => caller.close(),
  };

  async function one<T extends TaskName>(
    task: T,
    image: Parameters<Inference['analyze']>[0],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ) {
    require(installed(), task);
    const { results } = await call({ kind: 'analyze', image, tasks: [task] }, signal);
    const result = results[task];
    if (result === undefined) throw new Error(`The models gave no ${task}`);
    return result;
  }
}

function require(capabilities: Capabilities, name: keyof Capabilities) {
  const found = capabilities[name];
  if (!found) throw missing(name);
  return found;
}

const missing = (...names: readonly string[]) =>
  new ModelMissing(`No models for ${names.join(', ')}: see 'safelight models'`);

/** Leaves one core to requests where there are several. */
const countThreads = (cores: number) => Math.min(MAX_THREADS, cores > 2 ? cores - 1 : cores);

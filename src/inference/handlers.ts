import { type AnalysisSubject, findAnalysisSubject } from './subject.store.ts';
import type { Db } from '../db/client.ts';
import type { AfterCommit, Effect, JobHandler, JobCtx } from '../jobs/define.ts';
import {
  type AnalysisRow,
  lockUnchangedPreview,
  noteAwayModels,
  listPausedQueues,
  saveAnalyses,
} from './analysis.store.ts';
import { getCapabilities } from './capabilities.ts';
import { getInference } from './client.ts';
import { PictureUnreadable } from './errors.ts';
import type { analyzeAsset, detectFaces, computeFeature, readText, embedAsset } from './jobs.ts';
import {
  type AnySink,
  type AnalyzedAsset,
  DEFAULT_THRESHOLDS,
  type RecognitionConfig,
  STORED_TASKS,
  TASK_QUEUES,
  type Sink,
  listQueueTasks,
  type Thresholds,
} from './tasks.ts';
import type { Analysis, Capabilities, TaskName } from './types.ts';
import * as storage from '../storage/index.ts';

export type AnalysisHandlers = {
  readonly 'inference.analyze': JobHandler<typeof analyzeAsset>;
  readonly 'inference.embedAsset': JobHandler<typeof embedAsset>;
  readonly 'inference.detectFaces': JobHandler<typeof detectFaces>;
  readonly 'inference.readText': JobHandler<typeof readText>;
  readonly 'inference.computeFeature': JobHandler<typeof computeFeature>;
};

export type ReadRecognition = (db: Db) => Promise<RecognitionConfig>;
const readDefaults: ReadRecognition = async () => ({
  disabled: new Set(),
  thresholds: DEFAULT_THRESHOLDS,
});

/** Called in the transaction that saves the results of these assets. */
export type OnAnalyzed = (db: Db, assetIds: readonly string[]) => Promise<void>;

/** The parts that areas register with the handlers. */
type Registered = {
  readonly sinks: readonly AnySink[];
  readonly readRecognition: ReadRecognition;
  readonly onAnalyzed: OnAnalyzed;
};

/** Returns the handlers of the lane, which pass results to the sinks. */
export function analysisHandlers(
  sinks: readonly AnySink[],
  {
    readRecognition = readDefaults,
    onAnalyzed = async () => {},
  }: Partial<Omit<Registered, 'sinks'>> = {},
): AnalysisHandlers {
  const run = (ctx: JobCtx, tasks: readonly TaskName[], payload: Payload) =>
    analyze(ctx, { sinks, readRecognition, onAnalyzed }, tasks, payload);
  const kept = new Set(sinks.map(({ task }) => task));
  if (kept.size !== STORED_TASKS.length || !STORED_TASKS.every((task) => kept.has(task))) {
    throw new Error(
      `STORED_TASKS says ${STORED_TASKS.join(', ')}, sinks are for ${[...kept].join(', ')}`,
    );
  }
  return {
    'inference.analyze': (ctx, payload) => run(ctx, STORED_TASKS, payload),
    'inference.embedAsset': (ctx, payload) => run(ctx, listQueueTasks('smartSearch'), payload),
    'inference.detectFaces': (ctx, payload) => run(ctx, listQueueTasks('faceDetection'), payload),
    'inference.readText': (ctx, payload) => run(ctx, listQueueTasks('ocr'), payload),
    'inference.computeFeature': (ctx, payload) =>
      run(ctx, listQueueTasks('duplicateDetection'), payload),
  };
}

type Payload = { readonly assetId: string; readonly force?: boolean };

/**
 * Runs the tasks that have a model and are due; the others are queued again once models are
 * installed.
 */
async function analyze(
  ctx: JobCtx,
  { sinks, readRecognition, onAnalyzed }: Registered,
  candidates: readonly TaskName[],
  { assetId, force = false }: Payload,
): Promise<Effect | undefined> {
  const capabilities = getCapabilities(ctx.settings);
  const installed = STORED_TASKS.filter((task) => capabilities[task] !== undefined);
  const isAway = candidates.some((task) => STORED_TASKS.includes(task) && !capabilities[task]);
  const noteAway = isAway ? (tx: Db) => noteAwayModels(tx, installed) : undefined;
  if (!candidates.some((task) => installed.includes(task))) return noteAway;
  const asset = await findAnalysisSubject(ctx.db, assetId);
  if (!asset) return undefined;
  const { disabled, thresholds } = await readRecognition(ctx.db);
  const resting = (await listPausedQueues(ctx.db)).union(disabled);
  const rows = candidates.flatMap((task) => {
    const modelId = capabilities[task]?.modelId;
    const isPossible = STORED_TASKS.includes(task) && !resting.has(TASK_QUEUES[task]);
    if (!isPossible || modelId === undefined) return [];
    return force || asset.done[task] !== modelId ? [{ task, modelId }] : [];
  });
  if (rows.length === 0) return noteAway;
  const tasks = rows.map(({ task }) => task);
  try {
    const analysis = await analyzePreview(ctx, asset, tasks);
    return async (tx) => {
      await noteAway?.(tx);
      return saveResults(
        tx,
        {
          assetId,
          ownerId: asset.ownerId,
          type: asset.type,
          picture: analysis.picture,
          colours: analysis.colours,
          layout: analysis.layout,
          objects: analysis.results.objects,
          text: analysis.results.text,
        },
        analysis,
        {
          sinks,
          onAnalyzed,
          rows,
          capabilities,
          thresholds,
          revision: asset.revision,
        },
      );
    };
  } catch (error) {
    if (!(error instanceof PictureUnreadable)) throw error;
    ctx.log.warn('cannot decode a preview', { assetId, reason: error.message });
    return async (tx) => {
      if (!(await lockUnchangedPreview(tx, assetId, asset.revision))) return;
      await saveAnalyses(tx, assetId, rows, error.message);
      await onAnalyzed(tx, [assetId]);
    };
  }
}

async function analyzePreview(
  ctx: JobCtx,
  { preview }: AnalysisSubject,
  tasks: readonly TaskName[],
) {
  const path = await storage.requireFile(ctx, storage.derivedFile(ctx.paths, preview));
  return getInference(ctx).analyze({ path }, tasks, { signal: ctx.signal });
}

type ResultContext = Pick<Registered, 'sinks' | 'onAnalyzed'> & {
  readonly rows: readonly AnalysisRow[];
  readonly capabilities: Capabilities;
  readonly thresholds: Thresholds;
  /** Revision of the analyzed picture. */
  readonly revision: string;
};

/** Saves results in a fixed order of tasks, to avoid deadlocks. */
async function saveResults(
  tx: Db,
  asset: AnalyzedAsset,
  { results }: Analysis,
  { sinks, onAnalyzed, rows, capabilities, thresholds, revision }: ResultContext,
): Promise<AfterCommit | void> {
  if (!(await lockUnchangedPreview(tx, asset.assetId, revision))) return undefined;
  const tidying: AfterCommit[] = [];
  for (const { task } of rows) {
    const model = capabilities[task];
    const result = results[task];
    if (!model || result === undefined) continue;
    for (const sink of sinks.filter((one) => one.task === task)) {
      // Safe: the result is that of the sink's own task.
      const tidy = await (sink as unknown as Sink).store(tx, asset, result, model, thresholds);
      if (tidy) tidying.push(tidy);
    }
  }
  await saveAnalyses(tx, asset.assetId, rows, undefined);
  await onAnalyzed(tx, [asset.assetId]);
  return async () => {
    for (const tidy of tidying) await tidy();
  };
}

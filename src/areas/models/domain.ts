import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { conflict, invalidField, notFound } from '../../core/errors.ts';
import { requireExportSpace } from '../../core/export-space.ts';
import { inTransaction } from '../../db/transaction.ts';
import { getSearchChoice, listModelFolders } from '../../inference/capabilities.ts';
import { watchModels } from '../../inference/jobs.ts';
import { CATALOGUE, isInstalled, SETS } from '../../inference/models/catalogue.ts';
import type { CatalogueModel, SetName } from '../../inference/models/catalogue-entry.ts';
import { toChoiceName, toModelId } from '../../inference/models/search-choice.ts';
import {
  chooseSearchModel,
  confirmSearchModel,
  getOwnFolder,
  listSearchModels,
} from '../../inference/search-models.ts';
import { enqueue } from '../../jobs/queue.ts';
import { changeOperation, insertOperation } from '../../operations/store.ts';
import { pullKind, type PullOperation } from './kind.ts';
import type { ModelOverview, ModelPull } from './schemas.ts';
import { countVectors, findPull, lockPulls } from './store.ts';

// The models of a server, for its administrators: what can be downloaded, and which one the search uses.

export async function getOverview(ctx: Ctx): Promise<ModelOverview> {
  const folders = listModelFolders(ctx.settings);
  const [pull, vectors] = await Promise.all([findPull(ctx.db), countVectors(ctx.db)]);
  const names = listSearchModels(folders);
  const { model, confirmed } = getSearchChoice(ctx.settings);
  const choice = model === undefined ? null : toChoiceName(model);
  const chosen = choice !== null && names.includes(choice) ? choice : names[0];
  return {
    sets: SETS.map((name) => ({
      name,
      models: CATALOGUE.filter(({ set }) => set === name).map((entry) =>
        describeModel(entry, folders),
      ),
    })),
    pull: pull ? toPull(pull) : null,
    searchModels: names.map((name) => ({
      name,
      isChosen: name === chosen,
      isConfirmed: name === chosen && toModelId(name) === confirmed,
      photos: vectors.get(toModelId(name)) ?? 0,
    })),
    choice,
  };
}

function describeModel(entry: CatalogueModel, folders: readonly string[]) {
  const { id, use, licence, origin, files, fallback } = entry;
  return {
    id,
    use,
    licence,
    origin,
    bytes: sumBytes(files),
    isDigestKnown: files.every(({ sha256 }) => sha256 !== undefined),
    isInstalled: [entry, fallback].some((model) => model && isInstalled(model, folders)),
  };
}

const sumBytes = (files: CatalogueModel['files']): number | null =>
  files.reduce<number | null>(
    (sum, { bytes }) => (sum === null || bytes === undefined ? null : sum + bytes),
    0,
  );

const toPull = ({ id, payload, progress, ...operation }: PullOperation): ModelPull => ({
  id,
  set: payload.set,
  // Only these are ever saved.
  state: operation.state as ModelPull['state'],
  error: operation.error,
  ...progress,
  createdAt: operation.createdAt.toISOString(),
  finishedAt: operation.finishedAt?.toISOString() ?? null,
});

/**
 * Starts to download a set, or returns the download that is not over. Files that are there stay, and what was
 * interrupted goes on. Throws 507 when the disk has no space for what is known of it.
 */
export async function startPull(ctx: Ctx, set: SetName): Promise<ModelPull> {
  const { userId } = requireUser(ctx.session);
  const files = CATALOGUE.filter((model) => model.set === set).flatMap((model) => model.files);
  requireExportSpace(
    ctx,
    files.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
  );
  return inTransaction(ctx, async ({ db, now }) => {
    await lockPulls(db);
    const active = await findPull(db, set);
    if (active) return toPull(active);
    const pull = await insertOperation(db, pullKind, {
      accountId: userId,
      payload: { set },
      createdAt: now(),
    });
    await enqueue(db, pullKind.job, { operationId: pull.id });
    return toPull(pull);
  });
}

/** Cancels a download; what it has is kept for the next one. Throws 404 for one that is over. */
export async function cancelPull(ctx: Ctx, id: string): Promise<void> {
  const change = { state: 'cancelled', finishedAt: ctx.now() } as const;
  const from = ['queued', 'running'] as const;
  if (!(await changeOperation(ctx.db, [pullKind], id, from, change)))
    throw notFound('Download of models');
}

/** Chooses the model of the search. Its photos are looked at by jobs; until then the one before it stays in service. */
export async function chooseModel(ctx: Ctx, name: string | null): Promise<ModelOverview> {
  const names = listSearchModels(listModelFolders(ctx.settings));
  if (name !== null && !names.includes(name))
    throw invalidField('name', `Must be one of ${names.join(', ')}, or null`);
  chooseSearchModel(getOwnFolder(ctx.settings), name);
  await enqueue(ctx.db, watchModels, {});
  return getOverview(ctx);
}

/** Deletes within the hour what other models have found for the search. Throws 409 while none is installed. */
export async function confirmModel(ctx: Ctx): Promise<ModelOverview> {
  const confirmed = confirmSearchModel(getOwnFolder(ctx.settings), ctx.settings);
  if (confirmed === undefined)
    throw conflict('No model for the search is installed', { code: 'invalid_state' });
  return getOverview(ctx);
}

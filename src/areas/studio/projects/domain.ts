import { requireUser, visibleAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict, forbidden, invalidField, notFound } from '../../../core/errors.ts';
import { getFirst } from '../../../core/required.ts';
import type { StudioDocument, StudioRevisionRow } from '../../../db/tables/studio.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { endRenders } from '../previews/end.domain.ts';
import { listAssetIds, requireConsistent } from './document.ts';
import type { ProjectCreate, ProjectWrite, StudioProject } from './schemas.ts';
import { hideItems, restoreItems } from './stand-ins.ts';
import * as store from './store.ts';

const projectNotFound = () => notFound('Studio project');

export async function listProjects(ctx: Ctx): Promise<StudioProject[]> {
  const { userId } = requireUser(ctx.session);
  const rows = await store.listProjects(ctx.db, userId);
  return (await hideItems(ctx, rows)).map(toProject);
}

export async function getProject(ctx: Ctx, id: string): Promise<StudioProject> {
  const row = await requireProject(ctx, id);
  return toProject(getFirst(await hideItems(ctx, [row])));
}

/** Throws 404 for a project that the caller may not see, as for one that there is not. */
export async function requireProject(
  ctx: Pick<Ctx, 'db' | 'session'>,
  id: string,
): Promise<store.ProjectRow> {
  const { userId } = requireUser(ctx.session);
  const row = await store.findProject(ctx.db, userId, id);
  if (!row) throw projectNotFound();
  return row;
}

/** Stores the first revision. Throws 400 with the path of what is wrong in the document. */
export async function createProject(ctx: Ctx, input: ProjectCreate): Promise<StudioProject> {
  const { userId } = requireUser(ctx.session);
  const { name, albumId = null, document } = input;
  if (input.expectedRevision) throw staleRevision(0);
  await requireUsable(ctx, document, []);
  return keepLimit(ctx, 'project', { ownerId: userId }, async (ctx) => {
    await requireShareable(ctx, albumId);
    const now = ctx.now();
    const times = { createdAt: now, updatedAt: now };
    const { id } = await store.insertProject(ctx.db, { ownerId: userId, albumId, name, ...times });
    const revision = { projectId: id, revision: 1, document, createdAt: now, createdBy: userId };
    await insertRevision(ctx, userId, revision);
    return getProject(ctx, id);
  });
}

/**
 * Stores the next revision and ends what is rendered of the one before. The same document again is no
 * revision. Throws 409 unless `expectedRevision` is the current one.
 */
export async function storeProject(
  ctx: Ctx,
  id: string,
  input: ProjectWrite,
): Promise<StudioProject> {
  const { userId } = requireUser(ctx.session);
  const { expectedRevision } = input;
  return inTransaction(ctx, async (ctx) => {
    const row = await store.lockProject(ctx.db, userId, id);
    if (!row) throw projectNotFound();
    if (!row.canEdit)
      throw forbidden('Only the owner and editors of the album may store revisions');
    if (row.headRevision !== expectedRevision) throw staleRevision(row.headRevision);
    const document = restoreItems(input.document, row.document);
    await requireUsable(ctx, document, listAssetIds(row.document));
    const { name = row.name, albumId = row.albumId } = input;
    if (albumId !== row.albumId) {
      if (row.ownerId !== userId) throw forbidden('Only the owner may share a project');
      await requireShareable(ctx, albumId);
    }
    const now = ctx.now();
    const isChanged = !Bun.deepEquals(document, row.document);
    const headRevision = row.headRevision + (isChanged ? 1 : 0);
    await store.updateProject(ctx.db, id, { name, albumId, headRevision, updatedAt: now });
    if (isChanged) {
      const values = { projectId: id, revision: headRevision, createdAt: now, createdBy: userId };
      await insertRevision(ctx, row.ownerId, { ...values, document });
      await endRenders(ctx, id, headRevision);
    }
    return getProject(ctx, id);
  });
}

const insertRevision = (ctx: Ctx, ownerId: string, revision: StudioRevisionRow) =>
  keepLimit(ctx, 'revision', { ownerId }, ({ db }) => store.insertRevision(db, revision));

/** Deletes a project of the caller with all revisions; what is rendered of it ends. */
export async function deleteProject(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  await inTransaction(ctx, async (ctx) => {
    const row = await store.lockProject(ctx.db, userId, id);
    if (!row) throw projectNotFound();
    if (row.ownerId !== userId) throw forbidden('Only the owner may delete a project');
    await endRenders(ctx, id, Infinity);
    await store.deleteProject(ctx.db, id);
  });
}

export async function listRevisions(
  ctx: Ctx,
  id: string,
  page: { before?: number | undefined; limit: number },
) {
  await requireProject(ctx, id);
  const rows = await store.listRevisions(ctx.db, id, page);
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}

export async function getRevision(ctx: Ctx, id: string, revision: number) {
  await requireProject(ctx, id);
  const row = await store.findRevision(ctx.db, id, revision);
  if (!row) throw notFound('Studio revision');
  const { document, createdBy, createdAt } = getFirst(await hideItems(ctx, [row]));
  return { revision, document, createdBy, createdAt: createdAt.toISOString() };
}

const staleRevision = (currentRevision: number) =>
  conflict('The project has been changed meanwhile', { code: 'stale_revision', currentRevision });

/**
 * Throws 400 for a document that contradicts itself, or that adds an asset that the caller may not see.
 * One that was there before stays: somebody else may have put it there.
 */
async function requireUsable(
  ctx: Ctx,
  document: StudioDocument,
  known: readonly string[],
): Promise<void> {
  requireConsistent(document);
  const added = listAssetIds(document).filter((id) => !known.includes(id));
  const session = { ...requireUser(ctx.session), unlocked: false };
  const visible = await visibleAmong(ctx.db, session, added);
  for (const name of ['clips', 'sounds'] as const)
    for (const [index, { assetId }] of (document[name] ?? []).entries())
      if (added.includes(assetId) && !visible.has(assetId))
        throw invalidField(`document.${name}.${index}.assetId`, 'Not found or no access');
}

async function requireShareable(ctx: Ctx, albumId: string | null): Promise<void> {
  const { userId } = requireUser(ctx.session);
  if (albumId !== null && !(await store.canShareWith(ctx.db, userId, albumId)))
    throw invalidField('albumId', 'Not found or no access');
}

const toProject = (row: store.ProjectRow): StudioProject => ({
  id: row.id,
  ownerId: row.ownerId,
  name: row.name,
  revision: row.headRevision,
  document: row.document,
  albumId: row.albumId,
  canEdit: row.canEdit,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import type { StreamCloseReason, StudioStreamRow } from '../../../db/tables/studio.ts';
import { listAssetIds } from '../projects/document.ts';
import { findProject } from '../projects/store.ts';
import { requireSources } from '../render/sources.ts';
import { SourceUnavailable } from '../render/source-unavailable.ts';
import * as store from './store.ts';
import { KEEP_ALIVE_SECONDS } from './view.ts';

type Inspected = Parameters<typeof requireSources>[0] & Pick<Deps, 'now'>;

/** Returns why an open stream may not go on; undefined if it may. */
export async function findCloseReason(
  deps: Inspected,
  row: StudioStreamRow,
): Promise<StreamCloseReason | undefined> {
  const reason = await findLossReason(deps, row);
  const isForgotten = deps.now().getTime() - row.polledAt.getTime() > KEEP_ALIVE_SECONDS * 1000;
  return reason ?? (isForgotten ? 'keepalive-expired' : undefined);
}

/** A film that is played to an account. */
export type Watched = Pick<
  StudioStreamRow,
  'accountId' | 'sessionId' | 'apiKeyId' | 'projectId' | 'revision'
>;

/** Returns why a film may not be played any more to whom it was; undefined if it may. */
export async function findLossReason(
  deps: Inspected,
  row: Watched,
): Promise<StreamCloseReason | undefined> {
  const { db } = deps;
  const session = await findAccountSession(db, row.accountId);
  if (!session || !(await store.hasCredentials(db, row, deps.now()))) return 'access-lost';
  const project = await findProject(db, row.accountId, row.projectId);
  if (!project) return 'access-lost';
  if (project.headRevision !== row.revision) return 'revision-superseded';
  try {
    await requireSources(deps, session, listAssetIds(project.document));
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    // The sources may have gone with the membership, since the project was found.
    const isShared = await findProject(db, row.accountId, row.projectId);
    return isShared ? 'source-unavailable' : 'access-lost';
  }
  return undefined;
}

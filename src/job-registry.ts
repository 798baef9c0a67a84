import * as albums from './areas/albums/jobs.ts';
import * as archiveOperations from './areas/archive-operations/jobs.ts';
import { archiveKind } from './areas/archive-operations/kind.ts';
import { moveKind } from './areas/trash/moves/kind.ts';
import * as objectStorage from './areas/object-storage/jobs.ts';
import * as operations from './operations/jobs.ts';
import * as assets from './areas/assets/jobs.ts';
import * as databaseBackups from './areas/database-backups/jobs.ts';
import * as duplicates from './areas/duplicates/jobs.ts';
import * as enrichment from './areas/enrichment-queue/jobs.ts';
import * as integrity from './areas/integrity/jobs.ts';
import * as queue from './areas/jobs/jobs.ts';
import * as libraries from './areas/libraries/jobs.ts';
import * as mail from './areas/mail/jobs.ts';
import * as map from './areas/map/jobs.ts';
import * as memories from './areas/memories/jobs.ts';
import * as memoryExports from './areas/memories/exports/jobs.ts';
import * as models from './areas/models/jobs.ts';
import { pullKind } from './areas/models/kind.ts';
import * as moveIns from './areas/move-ins/jobs.ts';
import { moveInKind } from './areas/move-ins/kind.ts';
import * as notifications from './areas/notifications/jobs.ts';
import * as people from './areas/people/jobs.ts';
import * as physicalDeduplication from './areas/physical-deduplication/jobs.ts';
import * as search from './areas/search/jobs.ts';
import * as server from './areas/server/jobs.ts';
import * as studioExports from './areas/studio/exports/jobs.ts';
import * as studio from './areas/studio/previews/jobs.ts';
import * as studioSources from './areas/studio/sources/jobs.ts';
import * as sync from './areas/sync/jobs.ts';
import * as tags from './areas/tags/jobs.ts';
import * as uploads from './areas/uploads/jobs.ts';
import * as trash from './areas/trash/jobs.ts';
import * as workflowEvents from './areas/workflow-events/jobs.ts';
import * as workflows from './areas/workflows/jobs.ts';
import { undoKind } from './areas/workflows/undo/kind.ts';
import * as adminUsers from './areas/admin-users/jobs.ts';
import * as inference from './inference/jobs.ts';
import type { Lane } from './core/lanes.ts';
import type { LaneHandlers } from './jobs/define.ts';

/** Every job. One that is missing here is never run; a test compares this list with the files. */
export const jobs = [
  ...Object.values(albums),
  ...Object.values(assets),
  ...Object.values(integrity),
  ...Object.values(queue),
  ...Object.values(people),
  ...Object.values(tags),
  ...Object.values(libraries),
  ...Object.values(mail),
  ...Object.values(map),
  ...Object.values(memories),
  ...Object.values(memoryExports),
  ...Object.values(models),
  ...Object.values(moveIns),
  ...Object.values(notifications),
  ...Object.values(physicalDeduplication),
  ...Object.values(search),
  ...Object.values(server),
  ...Object.values(databaseBackups),
  ...Object.values(studio),
  ...Object.values(studioExports),
  ...Object.values(studioSources),
  ...Object.values(sync),
  ...Object.values(uploads),
  ...Object.values(trash),
  ...Object.values(adminUsers),
  ...Object.values(objectStorage),
  ...Object.values(workflowEvents),
  ...Object.values(workflows),
  ...Object.values(archiveOperations),
  ...Object.values(operations),
  ...Object.values(inference),
  ...Object.values(enrichment),
  ...Object.values(duplicates),
] as const;

export type Job = (typeof jobs)[number];

/** The kinds of operations, whose jobs are among these. */
export const operationKinds = [archiveKind, moveKind, pullKind, moveInKind, undoKind] as const;

/** The handlers of a lane: a missing or misspelt one does not compile. */
export type HandlersByLane<L extends Lane> = LaneHandlers<Job, L>;

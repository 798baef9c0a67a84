import type { Ctx } from '../../../core/context.ts';
import type { QueueName } from '../../../jobs/define.ts';
import { deleteJobs, type JobState, type JobView, listJobs } from '../store.ts';
import type { ImmichJob, QueueDelete, QueueJob, QueueJobsSearch } from './queue-jobs.schemas.ts';

/** As many as Immich lists. */
const MAX_JOBS = 1_000;
/** Completed jobs are counted, not kept. */
const KEPT: readonly JobState[] = ['active', 'failed', 'delayed', 'waiting', 'paused'];

export async function listQueueJobs(
  { db }: Ctx,
  name: QueueName,
  { status }: QueueJobsSearch,
): Promise<QueueJob[]> {
  const wanted = status === undefined ? KEPT : [status].flat();
  const states = KEPT.filter((state) => wanted.includes(state));
  return (await listJobs(db, name, states, MAX_JOBS)).map((job) => toQueueJob(name, job));
}

/** Deletes the waiting jobs of a queue, and the failed ones if asked for; running jobs complete. */
export async function emptyQueue(
  { db }: Ctx,
  name: QueueName,
  { failed = false }: QueueDelete,
): Promise<void> {
  await deleteJobs(db, name, 'waiting');
  if (failed) await deleteJobs(db, name, 'failed');
}

/** Names by which clients know the jobs of a queue. */
const QUEUE_JOBS: Readonly<Record<QueueName, ImmichJob>> = {
  thumbnailGeneration: 'AssetGenerateThumbnails',
  metadataExtraction: 'AssetExtractMetadata',
  videoConversion: 'AssetEncodeVideo',
  faceDetection: 'AssetDetectFaces',
  facialRecognition: 'FacialRecognition',
  smartSearch: 'SmartSearch',
  duplicateDetection: 'AssetDetectDuplicates',
  backgroundTask: 'AuditTableCleanup',
  storageTemplateMigration: 'StorageTemplateMigration',
  migration: 'FileMigrationQueueAll',
  search: 'SmartSearch',
  sidecar: 'SidecarCheck',
  library: 'LibrarySyncFiles',
  notifications: 'SendMail',
  backupDatabase: 'DatabaseBackup',
  ocr: 'Ocr',
  workflow: 'WorkflowAssetTrigger',
  integrityCheck: 'IntegrityChecksumFiles',
  editor: 'AssetEditThumbnailGeneration',
};

/** Jobs that clients know by a name that the queue does not tell. */
const NAMED: Readonly<Record<string, ImmichJob>> = {
  'albums.notifyOfAdditions': 'NotifyAlbumUpdate',
  'memories.clean': 'MemoryCleanup',
  'memories.generate': 'MemoryGenerate',
  'memories.generateAll': 'MemoryGenerate',
  'notifications.clean': 'NotificationsCleanup',
  'people.cleanUp': 'PersonCleanup',
  'people.render': 'PersonGenerateThumbnail',
  'tags.cleanUp': 'TagCleanup',
  'trash.expire': 'AssetDelete',
  'trash.moveItems': 'AssetEmptyTrash',
  'trash.removeFiles': 'FileDelete',
  'users.removeAccounts': 'UserDelete',
};

/** `data` has the name that the job has here, and the ids that it is about. */
const toQueueJob = (queue: QueueName, { id, name, payload, createdMs }: JobView): QueueJob => ({
  id,
  name: NAMED[name] ?? QUEUE_JOBS[queue],
  data: {
    ...Object.fromEntries(
      Object.entries(payload).filter(
        ([member, value]) => /id$/i.test(member) && typeof value === 'string',
      ),
    ),
    job: name,
  },
  timestamp: createdMs,
});

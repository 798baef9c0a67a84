import { QUEUES } from './queue-titles.ts';
import { t } from '../../base/i18n.ts';

const describeIntegrityJobs = (name: string, title: string) => ({
  [name]: title,
  [`${name}-refresh`]: `${title} · ${t('Check these again')}`,
  [`${name}-delete-all`]: `${title} · ${t('Delete all')}`,
});

/** Jobs that are started by hand, and those here whose queue does not tell enough. */
const JOBS: Readonly<Record<string, string>> = {
  'backup-database': t('Back up the database'),
  'databaseBackups.backUpDatabase': t('Back up the database'),
  'databaseBackups.dropReplacedDatabases': t('Delete replaced databases'),
  'databaseBackups.runDrill': t('Restore drill'),
  'integrity.checkMissing': t('Missing files'),
  'integrity.checkChecksums': t('Damaged files'),
  'integrity.checkUntracked': t('Untracked files'),
  ...describeIntegrityJobs('integrity-missing-files', t('Missing files')),
  ...describeIntegrityJobs('integrity-checksum-mismatch', t('Damaged files')),
  ...describeIntegrityJobs('integrity-untracked-files', t('Untracked files')),
  'document-refresh': t('Read documents again'),
  'memories.clean': t('Clean up memories'),
  'memories.exportArchive': t('Export memories'),
  'memories.exportFilm': t('Export memories'),
  'memories.generate': t('Create memories'),
  'memories.generateAll': t('Create memories'),
  'memory-cleanup': t('Clean up memories'),
  'memory-create': t('Create memories'),
  'mail.deliver': t('Send mail'),
  'people.cleanUp': t('Remove people without photos'),
  'person-cleanup': t('Remove people without photos'),
  'physical-deduplication-apply': t('Apply the deduplication plan'),
  'physical-deduplication-preview': t('Look for copies'),
  'physicalDeduplication.apply': t('Apply the deduplication plan'),
  'physicalDeduplication.preview': t('Look for copies'),
  'physicalDeduplication.purge': t('Delete removed copies'),
  'objectStorage.compare': t('Missing files'),
  'studio.exportProject': t('Export films'),
  'tag-cleanup': t('Remove unused tags'),
  'tags.cleanUp': t('Remove unused tags'),
  'trash.expire': t('Empty the trash'),
  'trash.moveItems': t('Move items to or from the trash'),
  'trash.removeFiles': t('Delete files of removed items'),
  'trash.sweepFiles': t('Delete files of removed items'),
  'user-cleanup': t('Remove deleted accounts'),
  'users.removeAccounts': t('Remove deleted accounts'),
  'video-enrichment-refresh': t('Describe videos again'),
  'workflow-backfill': t('Run a workflow for existing photos'),
  'workflows.backfill': t('Run a workflow for existing photos'),
};

/** The queues of jobs whose failures are told without theirs. */
const QUEUES_OF_JOBS: Readonly<Record<string, string>> = {
  'assets.findSidecars': 'sidecar',
  'assets.readMetadata': 'metadataExtraction',
  'assets.renderEdits': 'editor',
  'assets.renderImage': 'thumbnailGeneration',
  'assets.renderVideo': 'thumbnailGeneration',
  'assets.transcodeVideo': 'videoConversion',
  'inference.computeFeature': 'duplicateDetection',
  'inference.detectFaces': 'faceDetection',
  'inference.embedAsset': 'smartSearch',
  'inference.readText': 'ocr',
  'libraries.scan': 'library',
  'libraries.takeIn': 'library',
  'libraries.writeSidecars': 'sidecar',
};

/** Queues that have no card of their own. */
const OTHER_QUEUES: Readonly<Record<string, string>> = {
  editor: t('Edits and films'),
  migration: t('Moving files'),
  notifications: t('Notifications'),
  search: t('Search'),
  storageTemplateMigration: t('Moving files'),
  workflow: t('Workflows'),
};

const getQueueTitle = (queue: string): string | undefined =>
  (QUEUES as Readonly<Record<string, { title: string }>>)[queue]?.title ?? OTHER_QUEUES[queue];

/** Returns the name in words of a job that was started by hand, of a queue, or of a job here, which may have its queue's. */
export const getJobTitle = (name: string, queue = QUEUES_OF_JOBS[name]): string =>
  JOBS[name] ??
  getQueueTitle(name) ??
  (queue === undefined ? undefined : getQueueTitle(queue)) ??
  name;

import { t } from 'elysia';
import { expected } from '../../../http/schemas.ts';

const AdminConfigDatabaseBackupDto = t.Object(
  {
    cronExpression: t.String(),
    enabled: t.Boolean(),
    keepLastAmount: t.Number(),
  },
  { title: 'AdminConfigDatabaseBackupDto' },
);

export const AdminConfigBackupsDto = t.Object(
  {
    database: AdminConfigDatabaseBackupDto,
  },
  { title: 'AdminConfigBackupsDto' },
);

const AdminConfigIntegrityChecksumJobDto = t.Object(
  {
    cronExpression: t.String(),
    enabled: t.Boolean(),
    percentageLimit: t.Number(),
    timeLimit: t.Number(),
  },
  { title: 'AdminConfigIntegrityChecksumJobDto' },
);

const AdminConfigIntegrityJobDto = t.Object(
  {
    cronExpression: t.String(),
    enabled: t.Boolean(),
  },
  { title: 'AdminConfigIntegrityJobDto' },
);

export const AdminConfigIntegrityChecksDto = t.Object(
  {
    checksumFiles: AdminConfigIntegrityChecksumJobDto,
    missingFiles: AdminConfigIntegrityJobDto,
    untrackedFiles: AdminConfigIntegrityJobDto,
  },
  { title: 'AdminConfigIntegrityChecksDto' },
);

const AdminConfigJobSettingsDto = t.Object(
  {
    concurrency: t.Number(),
  },
  { title: 'AdminConfigJobSettingsDto' },
);

export const AdminConfigJobDto = t.Object(
  {
    backgroundTask: AdminConfigJobSettingsDto,
    editor: AdminConfigJobSettingsDto,
    faceDetection: AdminConfigJobSettingsDto,
    integrityCheck: AdminConfigJobSettingsDto,
    library: AdminConfigJobSettingsDto,
    metadataExtraction: AdminConfigJobSettingsDto,
    migration: AdminConfigJobSettingsDto,
    notifications: AdminConfigJobSettingsDto,
    ocr: AdminConfigJobSettingsDto,
    search: AdminConfigJobSettingsDto,
    sidecar: AdminConfigJobSettingsDto,
    smartSearch: AdminConfigJobSettingsDto,
    thumbnailGeneration: AdminConfigJobSettingsDto,
    videoConversion: AdminConfigJobSettingsDto,
    workflow: AdminConfigJobSettingsDto,
  },
  { title: 'AdminConfigJobDto' },
);

const AdminConfigLibraryScanDto = t.Object(
  {
    cronExpression: t.String(),
    enabled: t.Boolean(),
  },
  { title: 'AdminConfigLibraryScanDto' },
);

const AdminConfigLibraryWatchDto = t.Object(
  {
    enabled: t.Boolean(),
  },
  { title: 'AdminConfigLibraryWatchDto' },
);

export const AdminConfigLibraryDto = t.Object(
  {
    scan: AdminConfigLibraryScanDto,
    watch: AdminConfigLibraryWatchDto,
  },
  { title: 'AdminConfigLibraryDto' },
);

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

export const AdminConfigNightlyTasksDto = t.Object(
  {
    clusterNewFaces: t.Boolean(),
    databaseCleanup: t.Boolean(),
    generateMemories: t.Boolean(),
    missingThumbnails: t.Boolean(),
    startTime: t.String({
      pattern: TIME.source,
      ...expected('string in HH:MM format', (text) => TIME.test(text)),
    }),
    syncQuotaUsage: t.Boolean(),
  },
  { title: 'AdminConfigNightlyTasksDto' },
);

import type { Area } from '../http/api.ts';
import { adminUserRoutes } from './admin-users/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { configRoutes } from './server/config.routes.ts';
import {
  healthRoutes,
  logRoutes,
  machineRoutes,
  nodeRoutes,
  storageForecastRoutes,
  storageUseRoutes,
} from './server/admin.routes.ts';
import { serverRoutes } from './server/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { systemConfigRoutes } from './admin-config/routes.ts';
import { systemRoutes } from './system/routes.ts';
import { userRoutes } from './users/routes.ts';
import { backupRoutes } from './backup/routes.ts';
import { pinRoutes } from './pins/routes.ts';
import { heatmapRoutes } from './heatmap/routes.ts';
import { albumOrderRoutes } from './album-order/routes.ts';
import { albumRoutes } from './albums/routes.ts';
import { assetFileRoutes } from './assets/asset-files/asset-files.routes.ts';
import { transcodeRoutes } from './assets/transcodes/transcodes.routes.ts';
import { assetRoutes } from './assets/routes.ts';
import { searchCountRoutes } from './search/counts/counts.routes.ts';
import { labelRoutes } from './search/labels/labels.routes.ts';
import { listingRoutes } from './search/listings/listings.routes.ts';
import { integrityRoutes } from './integrity/routes.ts';
import { productKeyRoutes } from './product-keys/routes.ts';
import {
  searchRoutes,
  sortedSearchRoutes,
  smartSearchRoutes,
  savedSearchRoutes,
} from './search/routes.ts';
import { timelineRoutes } from './timeline/routes.ts';
import { duplicateRoutes } from './duplicates/routes.ts';
import { enrichmentRoutes } from './enrichment/routes.ts';
import { databaseBackupRoutes } from './database-backups/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { moveInRoutes } from './move-ins/routes.ts';
import { documentRoutes } from './documents/routes.ts';
import { downloadRoutes } from './downloads/routes.ts';
import { mapRoutes } from './map/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { activityRoutes } from './activities/routes.ts';
import { faceRoutes } from './faces/routes.ts';
import { albumPeopleRoutes, peopleRoutes } from './people/routes.ts';
import { invitationAdminRoutes, invitationRoutes } from './invitations/routes.ts';
import { oauthAdminRoutes, oauthRoutes } from './oauth/routes.ts';
import { petRoutes } from './pets/routes.ts';
import { maintenanceRoutes } from './maintenance/routes.ts';
import { mailRoutes } from './mail/routes.ts';
import { memoryRoutes, showLessRoutes } from './memories/routes.ts';
import { memoryExportRoutes } from './memories/exports/routes.ts';
import { adminNotificationRoutes, notificationRoutes } from './notifications/routes.ts';
import { clusterGroupRoutes } from './cluster-groups/routes.ts';
import { partnerRoutes } from './partners/routes.ts';
import { sharedLinkRoutes } from './shared-links/routes.ts';
import { studioPreviewRoutes } from './studio/previews/routes.ts';
import { studioExportRoutes } from './studio/exports/routes.ts';
import { studioProjectRoutes } from './studio/projects/routes.ts';
import { studioSoundRoutes } from './studio/sound/routes.ts';
import { studioSourceRoutes } from './studio/sources/routes.ts';
import { studioStreamRoutes } from './studio/streams/routes.ts';
import { stackRoutes } from './stacks/routes.ts';
import { tagRoutes } from './tags/routes.ts';
import { archiveOperationRoutes } from './archive-operations/routes.ts';
import { metadataChangeRoutes, metadataProposalRoutes } from './metadata-changes/routes.ts';
import { trashRoutes } from './trash/routes.ts';
import { syncRoutes } from './sync/routes.ts';
import { resumableRoutes } from './uploads/resumable/resumable.routes.ts';
import { saveRoutes, uploadRoutes } from './uploads/routes.ts';
import { pluginRoutes, workflowRoutes } from './workflows/routes.ts';
import { physicalDeduplicationRoutes } from './physical-deduplication/routes.ts';
import { folderRoutes } from './folders/routes.ts';
import { libraryRoutes } from './libraries/routes.ts';
import { videoStreamRoutes } from './video-streams/routes.ts';
import { workflowRunRoutes } from './workflows/run.routes.ts';

/** Every area of the API, in the order of the documentation. */
export const areas: readonly Area[] = [
  serverRoutes,
  storageForecastRoutes,
  storageUseRoutes,
  machineRoutes,
  healthRoutes,
  logRoutes,
  nodeRoutes,
  productKeyRoutes,
  configRoutes,
  systemRoutes,
  systemConfigRoutes,
  authRoutes,
  oauthRoutes,
  oauthAdminRoutes,
  sessionRoutes,
  apiKeyRoutes,
  userRoutes,
  backupRoutes,
  pinRoutes,
  heatmapRoutes,
  adminUserRoutes,
  invitationAdminRoutes,
  invitationRoutes,
  albumOrderRoutes,
  albumRoutes,
  uploadRoutes,
  resumableRoutes,
  saveRoutes,
  jobRoutes,
  integrityRoutes,
  maintenanceRoutes,
  databaseBackupRoutes,
  physicalDeduplicationRoutes,
  assetRoutes,
  videoStreamRoutes,
  assetFileRoutes,
  transcodeRoutes,
  timelineRoutes,
  searchRoutes,
  searchCountRoutes,
  labelRoutes,
  listingRoutes,
  smartSearchRoutes,
  savedSearchRoutes,
  sortedSearchRoutes,
  documentRoutes,
  enrichmentRoutes,
  duplicateRoutes,
  downloadRoutes,
  mapRoutes,
  trashRoutes,
  archiveOperationRoutes,
  moveInRoutes,
  metadataChangeRoutes,
  metadataProposalRoutes,
  tagRoutes,
  stackRoutes,
  albumPeopleRoutes,
  peopleRoutes,
  faceRoutes,
  petRoutes,
  sharedLinkRoutes,
  partnerRoutes,
  clusterGroupRoutes,
  activityRoutes,
  memoryRoutes,
  memoryExportRoutes,
  showLessRoutes,
  notificationRoutes,
  adminNotificationRoutes,
  mailRoutes,
  modelRoutes,
  syncRoutes,
  workflowRoutes,
  workflowRunRoutes,
  libraryRoutes,
  folderRoutes,
  pluginRoutes,
  studioProjectRoutes,
  studioPreviewRoutes,
  studioSourceRoutes,
  studioStreamRoutes,
  studioSoundRoutes,
  studioExportRoutes,
];

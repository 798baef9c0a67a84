// The types of the API, taken from its own schemas. Types only: nothing of the server is bundled.
import type {
  ActivityResponseDto,
  ActivityStatisticsResponseDto,
} from '../../areas/activities/schemas.ts';
import type { AlbumResponseDto, AlbumUpdate } from '../../areas/albums/schemas.ts';
import type { ApiKeyCreateResponseDto, ApiKeyResponseDto } from '../../areas/api-keys/schemas.ts';
import type {
  AssetResponseDto,
  AssetVisibility as Visibility,
  ExifResponseDto,
  UpdateAssetDto,
} from '../../areas/assets/schemas.ts';
import type {
  BrokenAssetCount as BrokenAssetCountDto,
  BrokenAssets as BrokenAssetsDto,
} from '../../areas/assets/broken/broken.schemas.ts';
import type { RawPairs as RawPairsDto } from '../../areas/assets/raw-pairs/raw-pairs.schemas.ts';
import type { ArchiveOperationResponseDto } from '../../areas/archive-operations/schemas.ts';
import type { AuthStatusResponseDto, LoginResponseDto } from '../../areas/auth/schemas.ts';
import type { BackupDeviceListDto } from '../../areas/backup/schemas.ts';
import type {
  BackupStateDto,
  DatabaseBackupListResponseDto,
} from '../../areas/database-backups/schemas.ts';
import type {
  IntegrityCheckRunsResponseDto,
  IntegrityReportResponseDto,
  IntegrityReportSummaryResponseDto,
} from '../../areas/integrity/schemas.ts';
import type {
  InvitationCreateDto,
  InvitationDto,
  NewInvitationDto,
  OpenInvitationDto,
} from '../../areas/invitations/schemas.ts';
import type { JobRunItemPageDto, JobRunPageDto } from '../../areas/jobs/runs/runs.schemas.ts';
import type { QueueResponseLegacyDto, QueuesResponseLegacyDto } from '../../areas/jobs/schemas.ts';
import type {
  LibraryFolderResponseDto,
  LibraryResponseDto,
  LibraryStateResponseDto,
  ValidateLibraryResponseDto,
} from '../../areas/libraries/schemas.ts';
import type { PostgresUpgradeDto } from '../../areas/maintenance/schemas.ts';
import type { MailSettingsDto, MailSettingsResponseDto } from '../../areas/mail/schemas.ts';
import type {
  MemoryReadinessResponseDto,
  MemoryResponseDto,
  MemoryUpdateDto,
} from '../../areas/memories/schemas.ts';
import type { MemoryExportResponseDto } from '../../areas/memories/exports/schemas.ts';
import type {
  MemoryShowLessDto,
  MemoryShowLessResponseDto,
} from '../../areas/memories/show-less/schemas.ts';
import type { NotificationDto } from '../../areas/notifications/schemas.ts';
import type { ClusterGroupRequestResponseDto } from '../../areas/cluster-groups/schemas.ts';
import type { PartnerResponseDto } from '../../areas/partners/schemas.ts';
import type {
  PreviewResponseDto,
  VerificationDto,
} from '../../areas/physical-deduplication/schemas.ts';
import type { PinnedCollectionsResponseDto } from '../../areas/pins/schemas.ts';
import type { PublicConfigDto } from '../../areas/server/config.schemas.ts';
import type {
  ServerAboutResponseDto,
  ServerConfigDto,
  ServerFeaturesDto,
  ServerMediaTypesResponseDto,
  ServerStatsResponseDto,
  ServerStorageResponseDto,
} from '../../areas/server/schemas.ts';
import type { ModelOverviewDto, ModelPullDto } from '../../areas/models/schemas.ts';
import type {
  MoveInArchivesDto,
  MoveInDto,
  MoveInFailurePageDto,
  MoveInFolderDto,
} from '../../areas/move-ins/schemas.ts';
import type { HealthDto } from '../../areas/server/health/health.schemas.ts';
import type { LogLinesDto } from '../../areas/server/log/log.schemas.ts';
import type { MachineDto } from '../../areas/server/machine/machine.schemas.ts';
import type { NodeDto } from '../../areas/server/nodes/nodes.schemas.ts';
import type { StoragePlacesDto } from '../../areas/server/storage-use/places.schemas.ts';
import type {
  StorageMeasurementDto,
  StorageUsesDto,
} from '../../areas/server/storage-use/schemas.ts';
import type { StorageForecastDto } from '../../areas/server/storage-forecast/forecast.schemas.ts';
import type { TranscodesDto } from '../../areas/assets/transcodes/transcodes.schemas.ts';
import type { SessionResponseDto } from '../../areas/sessions/schemas.ts';
import type {
  SharedLinkEditDto,
  SharedLinkResponseDto,
  SharedLinkStatisticsDto,
} from '../../areas/shared-links/schemas.ts';
import type { StackResponseDto } from '../../areas/stacks/schemas.ts';
import type { SafelightConfigDto } from '../../areas/system-config/document/own.ts';
import type {
  AdminConfig,
  LockedConfigMemberDto,
} from '../../areas/system-config/document/document.ts';
import type { StudioExportCreateDto, StudioExportDto } from '../../areas/studio/exports/schemas.ts';
import type {
  StudioPreviewDto,
  StudioPreviewResponseDto,
} from '../../areas/studio/previews/schemas.ts';
import type {
  StudioProjectCreateDto,
  StudioProjectDto,
  StudioProjectWriteDto,
} from '../../areas/studio/projects/schemas.ts';
import type { StudioSourceDto } from '../../areas/studio/sources/schemas.ts';
import type {
  StudioPreviewStreamDto,
  StudioPreviewStreamOpenDto,
} from '../../areas/studio/streams/schemas.ts';
import type { TagResponseDto, TagStatisticsResponseDto } from '../../areas/tags/schemas.ts';
import type {
  TimeBucketAssetResponseDto,
  TimeBucketsResponseDto,
} from '../../areas/timeline/schemas.ts';
import type {
  TrashItemsResponseDto,
  TrashResponseDto,
  TrashReviewResponseDto,
  TrashSummaryResponseDto,
} from '../../areas/trash/schemas.ts';
import type { AssetUploadResultDto } from '../../areas/uploads/resumable/resumable.schemas.ts';
import type { SavedAssetDto } from '../../areas/uploads/save/save.schemas.ts';
import type {
  AssetBulkUploadCheckResponseDto,
  AssetMediaResponseDto,
} from '../../areas/uploads/schemas.ts';
import type { UserPreferenceHistoryResponseDto } from '../../areas/users/history.schemas.ts';
import type { UserPreferencesResponseDto } from '../../areas/users/preferences.schemas.ts';
import type { UserAdminResponseDto, UserResponseDto } from '../../areas/users/schemas.ts';
import type {
  PluginMethodResponseDto,
  PluginTemplateResponseDto,
} from '../../areas/workflows/plugins/plugins.schemas.ts';
import type { WorkflowBackfillResponseDto } from '../../areas/workflows/backfill/backfill.schemas.ts';
import type { WorkflowPreviewResponseDto } from '../../areas/workflows/preview/preview.schemas.ts';
import type {
  WorkflowCreateDto,
  WorkflowLogEntryDto,
  WorkflowResponseDto,
  WorkflowShareResponseDto,
  WorkflowUpdateDto,
} from '../../areas/workflows/schemas.ts';
import type { BulkIdResponseDto } from '../../http/schemas.ts';

export type BrokenAssets = BrokenAssetsDto;
export type BrokenAssetCount = BrokenAssetCountDto;
export type BrokenAsset = BrokenAssets['items'][number];
export type RawPairs = RawPairsDto;
export type RawPair = RawPairs['items'][number];
export type AssetVisibility = typeof Visibility.static;
/** Immich's configuration, with what only this server has. */
export type { AdminConfig };
export type Config = AdminConfig & typeof SafelightConfigDto.static;
export type LockedMember = typeof LockedConfigMemberDto.static;

export type Asset = typeof AssetResponseDto.static;
export type Exif = typeof ExifResponseDto.static;
export type AssetChange = typeof UpdateAssetDto.static;

export type MonthCount = typeof TimeBucketsResponseDto.static;
/** One month, as columns of equal length. */
export type MonthColumns = typeof TimeBucketAssetResponseDto.static & {
  /** Only where whole assets are listed. */
  isOffline?: boolean[];
};

export type Album = typeof AlbumResponseDto.static;
export type AlbumChange = AlbumUpdate;
export type AlbumRole = Album['albumUsers'][number]['role'];
export type BulkResult = typeof BulkIdResponseDto.static;
export type SavedAsset = typeof SavedAssetDto.static;

export type Login = typeof LoginResponseDto.static;
export type Me = typeof UserAdminResponseDto.static;
export type Person = typeof UserResponseDto.static;
export type DeviceSession = typeof SessionResponseDto.static;
export type ApiKey = typeof ApiKeyResponseDto.static;
export type NewApiKey = typeof ApiKeyCreateResponseDto.static;

export type DatabaseBackups = typeof DatabaseBackupListResponseDto.static;
export type PostgresUpgrade = typeof PostgresUpgradeDto.static;
export type BackupState = typeof BackupStateDto.static;
export type RestoreDrill = NonNullable<BackupState['restoreDrill']>;
export type DatabaseChange = NonNullable<RestoreDrill['changes']>[number];
export type DatabaseBackup = DatabaseBackups['backups'][number];

export type DeduplicationPreview = typeof PreviewResponseDto.static;
export type DeduplicationPlan = NonNullable<DeduplicationPreview['plan']>;
export type DeduplicationGroup = DeduplicationPlan['groups'][number];
export type DeduplicationCopy = DeduplicationGroup['retained'];
export type DeduplicationApply = DeduplicationPreview['applies'][number];
export type DeduplicationVerification = typeof VerificationDto.static;

export type IntegrityReportPage = typeof IntegrityReportResponseDto.static;
export type IntegrityEntry = IntegrityReportPage['items'][number];
export type IntegrityRuns = typeof IntegrityCheckRunsResponseDto.static;
export type IntegrityType = keyof IntegrityRuns;
export type IntegrityRun = IntegrityRuns[IntegrityType];
export type IntegritySummary = typeof IntegrityReportSummaryResponseDto.static;

export type JobRun = (typeof JobRunPageDto.static.items)[number];
export type JobRunItem = (typeof JobRunItemPageDto.static.items)[number];
export type JobRunPage = typeof JobRunPageDto.static;
export type JobRunItemPage = typeof JobRunItemPageDto.static;
export type Queue = typeof QueueResponseLegacyDto.static;
export type Queues = typeof QueuesResponseLegacyDto.static;

export type Library = typeof LibraryResponseDto.static;
export type LibraryFolder = typeof LibraryFolderResponseDto.static;
export type LibraryState = typeof LibraryStateResponseDto.static;
export type LibraryValidation = typeof ValidateLibraryResponseDto.static;

export type UploadCheck = typeof AssetBulkUploadCheckResponseDto.static;
export type Uploaded = typeof AssetMediaResponseDto.static;

export type { LicenceList } from '../../../native/licences.ts';
export type PublicConfig = typeof PublicConfigDto.static;
export type ServerConfig = typeof ServerConfigDto.static;
export type ServerFeatures = typeof ServerFeaturesDto.static;
export type ServerAbout = typeof ServerAboutResponseDto.static;
export type MediaTypes = typeof ServerMediaTypesResponseDto.static;
export type ServerStats = typeof ServerStatsResponseDto.static;
export type ModelOverview = typeof ModelOverviewDto.static;
export type ModelSet = ModelOverview['sets'][number];
export type ModelPull = typeof ModelPullDto.static;
export type MoveIn = typeof MoveInDto.static;
export type MoveInArchives = typeof MoveInArchivesDto.static;
export type MoveInFolder = typeof MoveInFolderDto.static;
export type MoveInFailurePage = typeof MoveInFailurePageDto.static;
export type Health = typeof HealthDto.static;
export type LogLines = typeof LogLinesDto.static;
export type ServerNode = typeof NodeDto.static;
export type Machine = typeof MachineDto.static;
export type StorageMeasurement = typeof StorageMeasurementDto.static;
export type StoragePlaces = typeof StoragePlacesDto.static;
export type StorageUses = typeof StorageUsesDto.static;
export type Transcodes = typeof TranscodesDto.static;
export type StorageForecast = typeof StorageForecastDto.static;
export type Storage = typeof ServerStorageResponseDto.static;
export type DownloadPlan = {
  totalSize: number;
  archives: { size: number; assetIds: string[] }[];
};

export type ArchiveOperation = typeof ArchiveOperationResponseDto.static;
export type TrashItems = typeof TrashItemsResponseDto.static;
export type TrashReview = typeof TrashReviewResponseDto.static;
export type TrashSummary = typeof TrashSummaryResponseDto.static;
export type TrashMove = typeof TrashResponseDto.static;
export type AuthStatus = typeof AuthStatusResponseDto.static;
export type Tag = typeof TagResponseDto.static;
export type TagCount = typeof TagStatisticsResponseDto.static;
export type Stack = typeof StackResponseDto.static;
export type StudioExport = typeof StudioExportDto.static;
export type StudioExportCreate = typeof StudioExportCreateDto.static;
export type StudioPreview = typeof StudioPreviewDto.static;
export type StudioPreviewResponse = typeof StudioPreviewResponseDto.static;
export type StudioProject = typeof StudioProjectDto.static;
export type StudioSource = typeof StudioSourceDto.static;
export type StudioStream = typeof StudioPreviewStreamDto.static;
export type StudioStreamOpen = typeof StudioPreviewStreamOpenDto.static;
export type StudioDocument = StudioProject['document'];
type WithDocument<T> = Omit<T, 'document'> & { document: StudioDocument };
export type StudioProjectCreate = WithDocument<typeof StudioProjectCreateDto.static>;
export type StudioProjectWrite = WithDocument<typeof StudioProjectWriteDto.static>;
export type SharedLink = typeof SharedLinkResponseDto.static;
export type LinkUse = typeof SharedLinkStatisticsDto.static;
export type SharedLinkChange = typeof SharedLinkEditDto.static;
export type Invitation = typeof InvitationDto.static;
export type InvitationCreate = typeof InvitationCreateDto.static;
export type NewInvitation = typeof NewInvitationDto.static;
export type OpenInvitation = typeof OpenInvitationDto.static;
export type MailSettings = typeof MailSettingsDto.static;
export type MailSettingsResponse = typeof MailSettingsResponseDto.static;
export type MemoryExport = typeof MemoryExportResponseDto.static;
export type Memory = typeof MemoryResponseDto.static;
export type MemoryChange = typeof MemoryUpdateDto.static;
export type MemoryReadiness = typeof MemoryReadinessResponseDto.static;
export type MemoryRuleInput = typeof MemoryShowLessDto.static;
export type MemoryRule = typeof MemoryShowLessResponseDto.static;
export type Notification = typeof NotificationDto.static;
export type Pins = typeof PinnedCollectionsResponseDto.static;
export type Pin = Pins['pins'][number];
export type ClusterGroupRequest = typeof ClusterGroupRequestResponseDto.static;
export type Partner = typeof PartnerResponseDto.static;
export type Activity = typeof ActivityResponseDto.static;
export type ActivityCounts = typeof ActivityStatisticsResponseDto.static;
export type BackupDevices = typeof BackupDeviceListDto.static;
export type Preferences = typeof UserPreferencesResponseDto.static;
export type PreferenceHistory = typeof UserPreferenceHistoryResponseDto.static;
export type UploadResult = typeof AssetUploadResultDto.static;
export type Workflow = typeof WorkflowResponseDto.static;
export type WorkflowCreate = typeof WorkflowCreateDto.static;
export type WorkflowUpdate = typeof WorkflowUpdateDto.static;
export type WorkflowShare = typeof WorkflowShareResponseDto.static;
export type WorkflowLogEntry = typeof WorkflowLogEntryDto.static;
export type WorkflowMethod = typeof PluginMethodResponseDto.static;
export type WorkflowBackfill = typeof WorkflowBackfillResponseDto.static;
export type WorkflowPreview = typeof WorkflowPreviewResponseDto.static;
export type WorkflowTemplate = typeof PluginTemplateResponseDto.static;

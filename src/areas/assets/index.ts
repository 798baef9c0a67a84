export { type DayCount, type DayKind, listDayCounts } from './counts/days.store.ts';
export { type Fact, type FactKind, listFacts } from './counts/facts.store.ts';
export { FOLDER_PATH, listFolderCounts } from './counts/folders.store.ts';
export { getSummaries, type MonthSummary, type SummaryReader } from './counts/month-summaries.ts';
export { recountChanged, type VersionedMonths } from './counts/versioned-months.ts';
export { mergeAssets } from './copy/merge.domain.ts';
export { attachVideo } from './live-photos/live-photo.domain.ts';
export { archiveAssets, unarchiveAssets } from './locked/visibility.store.ts';
export { findSidecarValues } from './exif/sidecar-values.store.ts';
export { getExifTool } from './processing/media-tools.ts';
export {
  embedFace,
  findSidecars,
  importFaces,
  type NamedFace,
  readMetadata,
  renderEdits,
  renderImage,
  renderPerson,
  renderVideo,
  requeueAssets,
  transcodeVideo,
} from './jobs.ts';
export {
  findPlacelessCopy,
  getStreamedFile,
  receivesPlacelessCopies,
} from './files/files.domain.ts';
export { createScratchPath, ensureScratchFolder } from './processing/derived-files.ts';
export { readVideoSettings } from './processing/video-settings.ts';
export { findHeldOriginal, findOriginal } from './originals/originals.domain.ts';
export { forgetContent, releaseClips } from './replaced/replaced.store.ts';
export { startAnalysis, startRequeue } from './processing/requeue.domain.ts';
export { supplementAsset } from './supplements/supplements.domain.ts';
export { updateAsset } from './update/update.domain.ts';
export { updateAssets } from './update/bulk-update.domain.ts';
export {
  findAssetsById,
  createPeopleLookup,
  createStackLookup,
  toViewOptions,
  findBodies,
  setMembers,
} from './domain.ts';
export { PERSON_COLUMNS, PERSON_VIEW, type PersonView, toPerson } from './relations.store.ts';
export {
  type Asset,
  AssetPersonDto,
  AssetResponseDto,
  AssetTypeEnum,
  AssetVisibility,
} from './schemas.ts';
export {
  listCaptureTypes,
  CAPTURE_TYPES,
  type CaptureFacts,
  type CaptureType,
} from './capture-types.ts';
export {
  bodyName,
  getAssetId,
  ASSET_COLUMNS,
  ASSET_VIEW_WITH_EXIF,
  type AssetView,
  createFileFinder,
  EXIF_COLUMNS,
} from './store.ts';
export { ANONYMOUS_OWNER_ID, toAsset, toInstant, toLocal, type ViewOptions } from './view.ts';

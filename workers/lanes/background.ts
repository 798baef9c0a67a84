import { handleFoldAlbumCounts, handleNotifyOfAdditions } from '../../src/areas/albums/handlers.ts';
import { handleRunArchive } from '../../src/areas/archive-operations/handlers.ts';
import { operationKinds } from '../../src/job-registry.ts';
import { createCleaner } from '../../src/operations/clean.handlers.ts';
import {
  handleFoldCounts,
  handleStoreSummaries,
} from '../../src/areas/assets/counts/counts.handlers.ts';
import { handleRereadMisjudged } from '../../src/areas/assets/misjudged/misjudged.handlers.ts';
import { handleDeleteUnusedResults } from '../../src/areas/assets/models/retired-models.handlers.ts';
import {
  handleRequeue,
  handleSearchUnprocessed,
} from '../../src/areas/assets/processing/requeue.handlers.ts';
import { handleImportFaces } from '../../src/areas/faces/import.handlers.ts';
import { handleMatch } from '../../src/areas/duplicates/match.handlers.ts';
import { handleWatchVideos } from '../../src/areas/enrichment/watch.handlers.ts';
import {
  handleCheckChecksums,
  handleCheckMissing,
  handleCheckUntracked,
} from '../../src/areas/integrity/checks/check.handlers.ts';
import { handleRemakeMissingFiles } from '../../src/areas/object-storage/remake.handlers.ts';
import { handleCompareObjects } from '../../src/areas/object-storage/compare.handlers.ts';
import { handleDeleteReported, handleRefreshReport } from '../../src/areas/integrity/handlers.ts';
import {
  handleApply,
  handlePreview,
  handlePurge,
} from '../../src/areas/physical-deduplication/handlers.ts';
import { handleReportFailures, handleCleanUpQueue } from '../../src/areas/jobs/handlers.ts';
import { findMailAlbum } from '../../src/areas/albums/mail-album.domain.ts';
import { createDeliverHandler } from '../../src/areas/mail/deliver.handlers.ts';
import { handleFoldCells } from '../../src/areas/map/fold.handlers.ts';
import { handleIndexText } from '../../src/areas/search/match/text-index.handlers.ts';
import {
  handleCleanMemories,
  handleCleanExports,
} from '../../src/areas/memories/clean.handlers.ts';
import { handleExportArchive } from '../../src/areas/memories/exports/archive.handlers.ts';
import { handleCleanStudio } from '../../src/areas/studio/previews/clean.handlers.ts';
import { handlePullSet } from '../../src/areas/models/pull.handlers.ts';
import { handleNameFaces } from '../../src/areas/move-ins/faces.handlers.ts';
import { handleRemoveArchives } from '../../src/areas/move-ins/archives/remove.handlers.ts';
import { handleRunMoveIn } from '../../src/areas/move-ins/run.handlers.ts';
import { handleCleanNotifications } from '../../src/areas/notifications/clean.handlers.ts';
import {
  handleFindDueGenerations,
  handleGenerateAllMemories,
  handleGenerateMemories,
} from '../../src/areas/memories/generation/generate.handlers.ts';
import {
  handleCleanUpPeople,
  handleClusterFaces,
  handleReclusterAll,
} from '../../src/areas/people/clustering/clustering.handlers.ts';
import { handleFoldPersonCounts } from '../../src/areas/people/counts.handlers.ts';
import { handleRecordLibrarySize, handleCheckDiskSpace } from '../../src/areas/server/handlers.ts';
import { handleMeasureStorage } from '../../src/areas/server/storage-use/handlers.ts';
import {
  handleBackUpDatabase,
  handleRunDrill,
  handleDropReplacedDatabases,
} from '../../src/areas/database-backups/handlers.ts';
import { handleCompact } from '../../src/areas/sync/compact.handlers.ts';
import { handleCleanUpTags, handleFoldTagCounts } from '../../src/areas/tags/handlers.ts';
import { handleMoveItems } from '../../src/areas/trash/moves/operation.handlers.ts';
import { handleRemoveFiles } from '../../src/areas/trash/removal/removal.handlers.ts';
import { handleExpireTrash } from '../../src/areas/trash/retention/retention.handlers.ts';
import { handleSweepFiles } from '../../src/areas/trash/sweep/sweep.handlers.ts';
import { handleRemoveAccounts } from '../../src/areas/admin-users/removal.handlers.ts';
import { handleReportImports } from '../../src/areas/uploads/imports/imports.handlers.ts';
import { handleExpireUploads } from '../../src/areas/uploads/resumable/expiry.handlers.ts';
import {
  handleFindSidecars,
  handleTakeInFiles,
} from '../../src/areas/libraries/intake/intake.handlers.ts';
import { handleRemoveLibrary } from '../../src/areas/libraries/removal.handlers.ts';
import {
  handleScanLibraries,
  handleScanFolders,
  handleScanLibrary,
  handleSettleLibrary,
  handleTrashMissing,
} from '../../src/areas/libraries/scan/scan.handlers.ts';
import {
  handlePlanSidecars,
  handleWriteSidecars,
} from '../../src/areas/libraries/sidecars/sidecars.handlers.ts';
import { setEventScreening } from '../../src/areas/workflow-events/index.ts';
import { handleContinueBackfill } from '../../src/areas/workflows/backfill/backfill.handlers.ts';
import { screenEvents } from '../../src/areas/workflows/runs/screening.domain.ts';
import { handleUndoBackfill } from '../../src/areas/workflows/undo/undo.handlers.ts';
import { handleAdvanceRuns, handleSweepRuns } from '../../src/areas/workflows/runs/run.handlers.ts';
import { handleDeliverWebhook } from '../../src/areas/workflows/webhooks/webhooks.handlers.ts';
import { closeInference } from '../../src/inference/client.ts';
import { handleDeleteTranscodes } from '../../src/areas/assets/transcodes/transcodes.handlers.ts';
import { startAnalysis } from '../../src/areas/assets/index.ts';
import { createWatchHandler } from '../../src/inference/watch.handlers.ts';
import { closeTools } from '../../src/areas/assets/processing/media-tools.ts';
import { createLane } from './lane.ts';

setEventScreening(async () => screenEvents);
export const background = createLane(
  'background',
  {
    'albums.foldCounts': handleFoldAlbumCounts,
    'albums.notifyOfAdditions': handleNotifyOfAdditions,
    'assets.deleteTranscodes': handleDeleteTranscodes,
    'assets.rereadMisjudged': handleRereadMisjudged,
    'assets.foldCounts': handleFoldCounts,
    'assets.requeue': handleRequeue,
    'assets.searchUnprocessed': handleSearchUnprocessed,
    'assets.storeSummaries': handleStoreSummaries,
    'faces.import': handleImportFaces,
    'integrity.checkChecksums': handleCheckChecksums,
    'integrity.checkMissing': handleCheckMissing,
    'integrity.checkUntracked': handleCheckUntracked,
    'integrity.deleteReported': handleDeleteReported,
    'integrity.refreshReport': handleRefreshReport,
    'jobs.cleanUp': handleCleanUpQueue,
    'jobs.reportFailures': handleReportFailures,
    'mail.deliver': createDeliverHandler(findMailAlbum),
    'workflows.advance': handleAdvanceRuns,
    'workflows.deliverWebhook': handleDeliverWebhook,
    'workflows.sweep': handleSweepRuns,
    'physicalDeduplication.apply': handleApply,
    'physicalDeduplication.preview': handlePreview,
    'physicalDeduplication.purge': handlePurge,
    'libraries.scan': handleScanLibrary,
    'libraries.scanFolders': handleScanFolders,
    'libraries.scanAll': handleScanLibraries,
    'assets.findSidecars': handleFindSidecars,
    'libraries.takeIn': handleTakeInFiles,
    'libraries.planSidecars': handlePlanSidecars,
    'libraries.writeSidecars': handleWriteSidecars,
    'libraries.settle': handleSettleLibrary,
    'libraries.trashMissing': handleTrashMissing,
    'libraries.remove': handleRemoveLibrary,
    'workflows.backfill': handleContinueBackfill,
    'workflows.undoBackfill': handleUndoBackfill,
    'workflows.advanceBackfilled': handleAdvanceRuns,
    'map.foldCells': handleFoldCells,
    'memories.clean': handleCleanMemories,
    'memories.findDue': handleFindDueGenerations,
    'memories.generate': handleGenerateMemories,
    'memories.generateAll': handleGenerateAllMemories,
    'memories.cleanExports': handleCleanExports,
    'studio.clean': handleCleanStudio,
    'memories.exportArchive': handleExportArchive,
    'models.pullSet': handlePullSet,
    'moveIns.nameFaces': handleNameFaces,
    'moveIns.removeArchives': handleRemoveArchives,
    'moveIns.run': handleRunMoveIn,
    'notifications.clean': handleCleanNotifications,
    'objectStorage.compare': handleCompareObjects,
    'objectStorage.remakeMissingFiles': handleRemakeMissingFiles,
    'people.cleanUp': handleCleanUpPeople,
    'people.cluster': handleClusterFaces,
    'people.reclusterAll': handleReclusterAll,
    'people.foldCounts': handleFoldPersonCounts,
    'search.indexText': handleIndexText,
    'databaseBackups.backUpDatabase': handleBackUpDatabase,
    'databaseBackups.runDrill': handleRunDrill,
    'databaseBackups.dropReplacedDatabases': handleDropReplacedDatabases,
    'server.checkDiskSpace': handleCheckDiskSpace,
    'server.measureStorage': handleMeasureStorage,
    'server.recordLibrarySize': handleRecordLibrarySize,
    'sync.compact': handleCompact,
    'tags.cleanUp': handleCleanUpTags,
    'tags.foldCounts': handleFoldTagCounts,
    'trash.moveItems': handleMoveItems,
    'trash.removeFiles': handleRemoveFiles,
    'trash.expire': handleExpireTrash,
    'trash.sweepFiles': handleSweepFiles,
    'users.removeAccounts': handleRemoveAccounts,
    'archiveOperations.run': handleRunArchive,
    'operations.clean': createCleaner(operationKinds),
    'uploads.reportImports': handleReportImports,
    'uploads.expire': handleExpireUploads,
    'inference.deleteUnusedResults': handleDeleteUnusedResults,
    'inference.awaitModels': createWatchHandler(startAnalysis),
    'inference.watchModels': createWatchHandler(startAnalysis),
    'enrichment.watchVideos': handleWatchVideos,
    'duplicates.match': handleMatch,
  },
  [closeTools, closeInference],
);

import identity from './0001_identity.sql' with { type: 'text' };
import preferences from './0002_preferences.sql' with { type: 'text' };
import assets from './0003_assets.sql' with { type: 'text' };
import assetCounts from './0004_asset_counts.sql' with { type: 'text' };
import albums from './0005_albums.sql' with { type: 'text' };
import jobs from './0006_jobs.sql' with { type: 'text' };
import tags from './0007_tags.sql' with { type: 'text' };
import stacks from './0008_stacks.sql' with { type: 'text' };
import trash from './0009_trash.sql' with { type: 'text' };
import operations from './0010_operations.sql' with { type: 'text' };
import uploads from './0011_uploads.sql' with { type: 'text' };
import backup from './0012_backup.sql' with { type: 'text' };
import inference from './0013_inference.sql' with { type: 'text' };
import people from './0014_people.sql' with { type: 'text' };
import pets from './0015_pets.sql' with { type: 'text' };
import documents from './0016_documents.sql' with { type: 'text' };
import videos from './0017_videos.sql' with { type: 'text' };
import duplicates from './0018_duplicates.sql' with { type: 'text' };
import map from './0019_map.sql' with { type: 'text' };
import search from './0020_search.sql' with { type: 'text' };
import sync from './0021_sync.sql' with { type: 'text' };
import live from './0022_live.sql' with { type: 'text' };
import memories from './0023_memories.sql' with { type: 'text' };
import notifications from './0024_notifications.sql' with { type: 'text' };
import systemConfig from './0025_system_config.sql' with { type: 'text' };
import workflows from './0026_workflows.sql' with { type: 'text' };
import integrity from './0027_integrity.sql' with { type: 'text' };
import libraries from './0028_libraries.sql' with { type: 'text' };
import physicalDeduplication from './0029_physical_deduplication.sql' with { type: 'text' };
import oauth from './0030_oauth.sql' with { type: 'text' };
import studio from './0031_studio.sql' with { type: 'text' };
import studioExports from './0032_studio_exports.sql' with { type: 'text' };
import composites from './0033_composites.sql' with { type: 'text' };
import labels from './0034_labels.sql' with { type: 'text' };
import captureTypes from './0035_capture_types.sql' with { type: 'text' };
import personRelations from './0036_person_relations.sql' with { type: 'text' };
import labelDecisions from './0037_label_decisions.sql' with { type: 'text' };
import linkSharing from './0038_link_sharing.sql' with { type: 'text' };
import linkUses from './0039_link_uses.sql' with { type: 'text' };
import metadataChanges from './0040_metadata_changes.sql' with { type: 'text' };
import exportOperations from './0041_export_operations.sql' with { type: 'text' };
import searchModels from './0042_search_models.sql' with { type: 'text' };
import brokenAssets from './0043_broken_assets.sql' with { type: 'text' };
import adjustments from './0044_adjustments.sql' with { type: 'text' };
import administration from './0045_administration.sql' with { type: 'text' };
import nodes from './0046_nodes.sql' with { type: 'text' };
import moveIns from './0047_move_ins.sql' with { type: 'text' };
import workflowUndo from './0048_workflow_undo.sql' with { type: 'text' };
import albumOrder from './0049_album_order.sql' with { type: 'text' };
import partnerFrom from './0050_partner_from.sql' with { type: 'text' };
import rawPairs from './0051_raw_pairs.sql' with { type: 'text' };
import scenes from './0052_scenes.sql' with { type: 'text' };
import savedSearches from './0053_saved_searches.sql' with { type: 'text' };
import sidecarsTranscodes from './0054_sidecars_transcodes.sql' with { type: 'text' };
import textMonths from './0055_text_months.sql' with { type: 'text' };
import favoritePages from './0056_favorite_pages.sql' with { type: 'text' };
import forwarding from './0057_forwarding.sql' with { type: 'text' };
import objectStorage from './0058_object_storage.sql' with { type: 'text' };
import derivedObjects from './0059_derived_objects.sql' with { type: 'text' };
import onlineMigrations from './0060_online_migrations.sql' with { type: 'text' };
import maintenanceMode from './0061_maintenance_mode.sql' with { type: 'text' };
import epochNonce from './0062_epoch_nonce.sql' with { type: 'text' };
import durations from './0063_durations.sql' with { type: 'text' };
import uploadParts from './0064_upload_parts.sql' with { type: 'text' };
import exifOwner from './0065_exif_owner.sql' with { type: 'text' };
import searchIndexes from './0066_search_indexes.sql' with { type: 'text' };
import deletedCells from './0067_deleted_cells.sql' with { type: 'text' };
import fileFolder from './0068_file_folder.sql' with { type: 'text' };
import loggedListeners from './0069_logged_listeners.sql' with { type: 'text' };
import writeProbe from './0072_write_probe.sql' with { type: 'text' };
import contentType from './0073_content_type.sql' with { type: 'text' };
import foldedText from './0074_folded_text.sql' with { type: 'text' };
import leftOut from './0075_left_out.sql' with { type: 'text' };
import albumSources from './0076_album_sources.sql' with { type: 'text' };
import foldedIndexes from './0077_folded_indexes.sql' with { type: 'text' };
import unfoldedIndexes from './0078_unfolded_indexes.sql' with { type: 'text' };
import unreadIndexes from './0079_unread_indexes.sql' with { type: 'text' };
import mergedIndexes from './0080_merged_indexes.sql' with { type: 'text' };
import replacedIndexes from './0081_replaced_indexes.sql' with { type: 'text' };

export type Migration = {
  readonly name: string;
  readonly sql: string;
  /**
   * Number of the last migration of the oldest programs that go on serving while it is applied and after it; false:
   * none does. Each migration after 0060 says one of them, see appliance/docs/development.md.
   */
  readonly online?: number | false;
};

/**
 * All migrations in order of application. Listed by hand so that the bundler embeds each file; a test
 * compares the list with the folder. Released files are frozen and changes are new files: see
 * src/db/landed.test.ts.
 */
export const migrations: readonly Migration[] = [
  { name: '0001_identity', sql: identity },
  { name: '0002_preferences', sql: preferences },
  { name: '0003_assets', sql: assets },
  { name: '0004_asset_counts', sql: assetCounts },
  { name: '0005_albums', sql: albums },
  { name: '0006_jobs', sql: jobs },
  { name: '0007_tags', sql: tags },
  { name: '0008_stacks', sql: stacks },
  { name: '0009_trash', sql: trash },
  { name: '0010_operations', sql: operations },
  { name: '0011_uploads', sql: uploads },
  { name: '0012_backup', sql: backup },
  { name: '0013_inference', sql: inference },
  { name: '0014_people', sql: people },
  { name: '0015_pets', sql: pets },
  { name: '0016_documents', sql: documents },
  { name: '0017_videos', sql: videos },
  { name: '0018_duplicates', sql: duplicates },
  { name: '0019_map', sql: map },
  { name: '0020_search', sql: search },
  { name: '0021_sync', sql: sync },
  { name: '0022_live', sql: live },
  { name: '0023_memories', sql: memories },
  { name: '0024_notifications', sql: notifications },
  { name: '0025_system_config', sql: systemConfig },
  { name: '0026_workflows', sql: workflows },
  { name: '0027_integrity', sql: integrity },
  { name: '0028_libraries', sql: libraries },
  { name: '0029_physical_deduplication', sql: physicalDeduplication },
  { name: '0030_oauth', sql: oauth },
  { name: '0031_studio', sql: studio },
  { name: '0032_studio_exports', sql: studioExports },
  { name: '0033_composites', sql: composites },
  { name: '0034_labels', sql: labels },
  { name: '0035_capture_types', sql: captureTypes },
  { name: '0036_person_relations', sql: personRelations },
  { name: '0037_label_decisions', sql: labelDecisions },
  { name: '0038_link_sharing', sql: linkSharing },
  { name: '0039_link_uses', sql: linkUses },
  { name: '0040_metadata_changes', sql: metadataChanges },
  { name: '0041_export_operations', sql: exportOperations },
  { name: '0042_search_models', sql: searchModels },
  { name: '0043_broken_assets', sql: brokenAssets },
  { name: '0044_adjustments', sql: adjustments },
  { name: '0045_administration', sql: administration },
  { name: '0046_nodes', sql: nodes },
  { name: '0047_move_ins', sql: moveIns },
  { name: '0048_workflow_undo', sql: workflowUndo },
  { name: '0049_album_order', sql: albumOrder },
  { name: '0050_partner_from', sql: partnerFrom },
  { name: '0051_raw_pairs', sql: rawPairs },
  { name: '0052_scenes', sql: scenes },
  { name: '0053_saved_searches', sql: savedSearches },
  { name: '0054_sidecars_transcodes', sql: sidecarsTranscodes },
  { name: '0055_text_months', sql: textMonths },
  { name: '0056_favorite_pages', sql: favoritePages },
  { name: '0057_forwarding', sql: forwarding },
  { name: '0058_object_storage', sql: objectStorage },
  { name: '0059_derived_objects', sql: derivedObjects },
  { name: '0060_online_migrations', sql: onlineMigrations },
  { name: '0061_maintenance_mode', sql: maintenanceMode, online: 60 },
  { name: '0062_epoch_nonce', sql: epochNonce, online: 60 },
  { name: '0063_durations', sql: durations, online: 60 },
  { name: '0064_upload_parts', sql: uploadParts, online: 60 },
  { name: '0065_exif_owner', sql: exifOwner, online: 60 },
  { name: '0066_search_indexes', sql: searchIndexes, online: 60 },
  { name: '0067_deleted_cells', sql: deletedCells, online: 60 },
  { name: '0068_file_folder', sql: fileFolder, online: 60 },
  { name: '0069_logged_listeners', sql: loggedListeners, online: 60 },
  { name: '0072_write_probe', sql: writeProbe, online: 60 },
  { name: '0073_content_type', sql: contentType, online: 60 },
  { name: '0074_folded_text', sql: foldedText, online: 60 },
  { name: '0075_left_out', sql: leftOut, online: 60 },
  { name: '0076_album_sources', sql: albumSources, online: 60 },
  { name: '0077_folded_indexes', sql: foldedIndexes, online: 60 },
  { name: '0078_unfolded_indexes', sql: unfoldedIndexes, online: 60 },
  { name: '0079_unread_indexes', sql: unreadIndexes, online: 60 },
  { name: '0080_merged_indexes', sql: mergedIndexes, online: 60 },
  { name: '0081_replaced_indexes', sql: replacedIndexes, online: 60 },
];

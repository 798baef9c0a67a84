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
import sharing from './0035_sharing.sql' with { type: 'text' };
import edits from './0036_edits.sql' with { type: 'text' };
import exports from './0037_exports.sql' with { type: 'text' };
import administration from './0038_administration.sql' with { type: 'text' };
import servers from './0039_servers.sql' with { type: 'text' };
import imports from './0040_imports.sql' with { type: 'text' };
import workflowUndo from './0041_workflow_undo.sql' with { type: 'text' };
import sidecars from './0042_sidecars.sql' with { type: 'text' };
import objectStorage from './0043_object_storage.sql' with { type: 'text' };
import searchPages from './0044_search_pages.sql' with { type: 'text' };
import listedIndexes from './0045_listed_indexes.sql' with { type: 'text' };
import mergedIndexes from './0046_merged_indexes.sql' with { type: 'text' };
import recognisedText from './0047_recognised_text.sql' with { type: 'text' };
import libraryExclusions from './0048_library_exclusions.sql' with { type: 'text' };

export type Migration = {
  readonly name: string;
  readonly sql: string;
  /**
   * Number of the last migration of the oldest programs that go on serving while it is applied and after it; false:
   * none does. Each migration after 0044 says one of them, see appliance/docs/development.md.
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
  { name: '0035_sharing', sql: sharing },
  { name: '0036_edits', sql: edits },
  { name: '0037_exports', sql: exports },
  { name: '0038_administration', sql: administration },
  { name: '0039_servers', sql: servers },
  { name: '0040_imports', sql: imports },
  { name: '0041_workflow_undo', sql: workflowUndo },
  { name: '0042_sidecars', sql: sidecars },
  { name: '0043_object_storage', sql: objectStorage },
  { name: '0044_search_pages', sql: searchPages },
  { name: '0045_listed_indexes', sql: listedIndexes, online: 44 },
  { name: '0046_merged_indexes', sql: mergedIndexes, online: 44 },
  { name: '0047_recognised_text', sql: recognisedText, online: 44 },
  { name: '0048_library_exclusions', sql: libraryExclusions, online: 44 },
];

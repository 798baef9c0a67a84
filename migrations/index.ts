import identity from './0001_identity.sql' with { type: 'text' };
import assets from './0002_assets.sql' with { type: 'text' };
import albums from './0003_albums.sql' with { type: 'text' };
import jobs from './0004_jobs.sql' with { type: 'text' };
import tags from './0005_tags.sql' with { type: 'text' };
import stacks from './0006_stacks.sql' with { type: 'text' };
import trash from './0007_trash.sql' with { type: 'text' };
import archiveOperations from './0008_archive_operations.sql' with { type: 'text' };
import users from './0009_users.sql' with { type: 'text' };
import uploads from './0010_uploads.sql' with { type: 'text' };
import activities from './0011_activities.sql' with { type: 'text' };
import changes from './0012_changes.sql' with { type: 'text' };
import sharedChanges from './0013_shared_changes.sql' with { type: 'text' };
import inference from './0014_inference.sql' with { type: 'text' };
import search from './0015_search.sql' with { type: 'text' };
import people from './0016_people.sql' with { type: 'text' };
import documents from './0017_documents.sql' with { type: 'text' };
import video from './0018_video.sql' with { type: 'text' };
import live from './0019_live.sql' with { type: 'text' };
import logsAndCounts from './0020_logs_and_counts.sql' with { type: 'text' };
import peopleAnew from './0020_people.sql' with { type: 'text' };
import searchPeople from './0020_search_people.sql' with { type: 'text' };
import videos from './0021_videos.sql' with { type: 'text' };
import albumCounts from './0022_album_counts.sql' with { type: 'text' };
import sync from './0023_sync.sql' with { type: 'text' };
import partnerPlaces from './0024_partner_places.sql' with { type: 'text' };
import speech from './0025_speech.sql' with { type: 'text' };
import mapCells from './0026_map_cells.sql' with { type: 'text' };
import petDecisions from './0027_pet_decisions.sql' with { type: 'text' };
import bareVideos from './0028_bare_videos.sql' with { type: 'text' };
import removedSharers from './0029_removed_sharers.sql' with { type: 'text' };
import descriptions from './0030_descriptions.sql' with { type: 'text' };
import previousBoxBy from './0031_previous_box_by.sql' with { type: 'text' };
import pictureOutlines from './0032_picture_outlines.sql' with { type: 'text' };
import linkMonths from './0033_link_months.sql' with { type: 'text' };
import bulkMoves from './0034_bulk_moves.sql' with { type: 'text' };
import longLists from './0035_long_lists.sql' with { type: 'text' };
import shortDocuments from './0036_short_documents.sql' with { type: 'text' };
import uploadDoors from './0037_upload_doors.sql' with { type: 'text' };
import readyAssets from './0038_ready_assets.sql' with { type: 'text' };
import mapCounts from './0039_map_counts.sql' with { type: 'text' };
import passedOnPlaces from './0040_passed_on_places.sql' with { type: 'text' };
import attempts from './0041_attempts.sql' with { type: 'text' };
import invitedBy from './0042_invited_by.sql' with { type: 'text' };
import removedAlbumOwners from './0043_removed_album_owners.sql' with { type: 'text' };

export type Migration = { readonly name: string; readonly sql: string };

/**
 * In order. Listed by hand so that the bundler embeds each file; a test compares with the folder. What
 * was published is frozen, and new ones are appended: see src/db/landed.test.ts.
 */
export const migrations: readonly Migration[] = [
  { name: '0001_identity', sql: identity },
  { name: '0002_assets', sql: assets },
  { name: '0003_albums', sql: albums },
  { name: '0004_jobs', sql: jobs },
  { name: '0005_tags', sql: tags },
  { name: '0006_stacks', sql: stacks },
  { name: '0007_trash', sql: trash },
  { name: '0008_archive_operations', sql: archiveOperations },
  { name: '0009_users', sql: users },
  { name: '0010_uploads', sql: uploads },
  { name: '0011_activities', sql: activities },
  { name: '0012_changes', sql: changes },
  { name: '0013_shared_changes', sql: sharedChanges },
  { name: '0014_inference', sql: inference },
  { name: '0015_search', sql: search },
  { name: '0016_people', sql: people },
  { name: '0017_documents', sql: documents },
  { name: '0018_video', sql: video },
  { name: '0019_live', sql: live },
  { name: '0020_logs_and_counts', sql: logsAndCounts },
  { name: '0020_people', sql: peopleAnew },
  { name: '0020_search_people', sql: searchPeople },
  { name: '0021_videos', sql: videos },
  { name: '0022_album_counts', sql: albumCounts },
  { name: '0023_sync', sql: sync },
  { name: '0024_partner_places', sql: partnerPlaces },
  { name: '0025_speech', sql: speech },
  { name: '0026_map_cells', sql: mapCells },
  { name: '0027_pet_decisions', sql: petDecisions },
  { name: '0028_bare_videos', sql: bareVideos },
  { name: '0029_removed_sharers', sql: removedSharers },
  { name: '0030_descriptions', sql: descriptions },
  { name: '0031_previous_box_by', sql: previousBoxBy },
  { name: '0032_picture_outlines', sql: pictureOutlines },
  { name: '0033_link_months', sql: linkMonths },
  { name: '0034_bulk_moves', sql: bulkMoves },
  { name: '0035_long_lists', sql: longLists },
  { name: '0036_short_documents', sql: shortDocuments },
  { name: '0037_upload_doors', sql: uploadDoors },
  { name: '0038_ready_assets', sql: readyAssets },
  { name: '0039_map_counts', sql: mapCounts },
  { name: '0040_passed_on_places', sql: passedOnPlaces },
  { name: '0041_attempts', sql: attempts },
  { name: '0042_invited_by', sql: invitedBy },
  { name: '0043_removed_album_owners', sql: removedAlbumOwners },
];

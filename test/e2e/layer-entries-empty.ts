import type { Entry } from './layers.ts';

const NOBODY = '0190a0a0-0000-7000-8000-000000000001';

const empty = (title: string, of: string, at: string): Entry => ({
  title,
  of: `${of}.tsx`,
  at,
  steps: [],
  layer: '.empty',
  ...(at.includes(NOBODY) && { isMissing: true }),
});

/** What pages show to an account that has nothing. */
export const EMPTY_ENTRIES: readonly Entry[] = [
  empty('No photos yet', 'pages/timeline/photos-page', '/photos'),
  empty('No favorites yet', 'app', '/favorites'),
  empty('The archive is empty', 'app', '/archive'),
  empty('No albums yet', 'pages/albums/albums-page', '/albums'),
  empty('This album cannot be shown', 'pages/albums/album-page', `/albums/${NOBODY}`),
  empty('No folders yet', 'pages/folders/folders-page', '/folders'),
  empty('Nothing is missing', 'pages/metadata-edits/proposals-page', '/missing/date'),
  empty('No failed files', 'pages/failed/failed-page', '/failed'),
  empty('No workflows yet', 'pages/workflows/workflows-page', '/workflows'),
  empty('No raw photos with a picture', 'pages/large/raw-pairs-page', '/raw-pairs'),
  empty('No large files', 'pages/large/large-page', '/large'),
  empty('No memories here', 'pages/memories/memories-page', '/memories'),
  empty('Nothing to explore yet', 'pages/explore/explore-page', '/explore'),
  empty('There is no such page', 'pages/help/help-page', '/help/nothing'),
  empty('Nothing is shared by link', 'pages/links/links-page', '/links'),
  empty('No device has reported yet', 'pages/backup/backup-page', '/backup'),
  empty('The trash is empty', 'pages/trash/trash-page', '/trash'),
  empty('No duplicates', 'pages/duplicates/duplicates-page', '/duplicates'),
  empty('No films yet', 'pages/studio/projects-page', '/studio'),
  empty('No tags yet', 'pages/tags/tags-page', '/tags'),
  empty('This tag is gone', 'pages/tags/tag-page', `/tags/${NOBODY}`),
  empty('No animals yet', 'pages/pets/pets-page', '/pets'),
  empty('This pet cannot be shown', 'pages/pets/pet-page', `/pets/${NOBODY}`),
  empty('This document cannot be shown', 'pages/documents/document-page', `/documents/${NOBODY}`),
  empty('', 'pages/documents/documents-page', '/documents'),
  empty('Nothing is shared yet', 'pages/sharing/sharing-page', '/sharing'),
  empty('This timeline is not shared with you', 'pages/sharing/partner-page', `/sharing/${NOBODY}`),
  empty('', 'pages/people/people-page', '/people'),
  empty('This person cannot be shown', 'pages/people/person-page', `/people/${NOBODY}`),
  empty('', 'pages/search/search-page', '/search?q=nothing'),
];

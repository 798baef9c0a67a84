// What `page-dialogs.test.ts` does not open, and why: a new one is rather added to the entries.

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'An administrator has to link accounts first; page-sign-on.test.ts looks at it.': [
    'pages/admin/config/config-page.tsx: Unlink all accounts?',
    'pages/settings/login-provider.tsx: Unlink the login provider?',
  ],
  'It has the same layout as other confirmations, and needs a state of the server that its own journey makes.':
    [
      'pages/admin/deduplication-plan.tsx: Apply the plan?',
      'pages/admin/integrity-page.tsx: Delete all?',
      'pages/admin/integrity-page.tsx: Delete {name}?',
      'pages/admin/libraries-page.tsx: Delete the library “{name}”?',
      'pages/admin/library-card.tsx: {count, plural, one {Is # file of “{name}” gone?} other {Are # files of “{name}” gone?}}',
      'pages/admin/models-page.tsx: Keep {name} for good?',
      'pages/albums/album-dialog.tsx: Leave this album?',
      'pages/memories/player-menu.tsx: Delete memory',
      'pages/move-in/cancel-move.tsx: Cancel the move?',
      'pages/pets/pet-page.tsx: Merge {pet} with {other}?',
      'pages/settings/api-keys.tsx: Delete “{name}”?',
      'pages/settings/partners.tsx: Show places to {name}?',
    ],
  'It needs jobs, copies or videos of a server that its own journey starts.': [
    'pages/admin/failed-jobs.tsx: Failed jobs of {title}',
    'pages/admin/runs.tsx: Items of “{name}”',
    'pages/admin/transcode-removal.tsx: Delete converted videos',
    'pages/duplicates/accept-all.tsx: Trash identical copies?',
  ],
  'It needs a film in which models have seen scenes; page-moments.test.ts looks at it.': [
    'parts/moments/similar-dialog.tsx: Similar scenes',
    'parts/moments/speech-dialog.tsx: What is said',
    'parts/moments/use-moment-tools.tsx',
    'parts/moments/use-moment-tools.tsx: More about moments',
  ],
  'It follows another one by what is entered there; its own journey looks at it.': [
    'pages/admin/invite-dialog.tsx: Invitation for {name}',
    'pages/people/merge-dialog.tsx: Is this the same person?',
    'pages/settings/api-keys.tsx: Your new key',
    'pages/settings/pin.tsx: Remove the PIN',
    'pages/settings/shared-from.tsx: Choose which photos {name} sees',
    'pages/workflows/ids-field.tsx: Add people',
    'pages/people/naming-dialog.tsx',
    'parts/people/who-dialog.tsx',
    'parts/pets/photo-pets.tsx: About {name}',
    'parts/activity/comments.tsx: Comments',
    'parts/session/proof-dialog.tsx: Confirm that it is you',
  ],
  'It is the state of an empty place of which the page is looked at with something in it.': [
    'pages/admin/config/config-page.tsx: No setting found',
    'pages/admin/deduplication-page.tsx: No copies found',
    'pages/admin/libraries-page.tsx: No external libraries yet',
    'pages/albums/add-photos-dialog.tsx: No photos yet',
    'pages/albums/empty-album.tsx: Nothing in here yet',
    'pages/folders/folders-page.tsx: Choose a folder',
    'pages/folders/folders-page.tsx: No photos in this folder',
    'pages/guest/guest-page.tsx: No photos yet',
    'pages/locked/locked-page.tsx: Nothing is locked',
    'pages/map/cell-panel.tsx: No photos here',
    'pages/people/person-page.tsx: No photos',
    'pages/pets/pet-page.tsx: No photos',
    'pages/sharing/partner-page.tsx: No photos yet',
    'pages/tags/tag-page.tsx: Nothing has this tag',
    'pages/timeline/photos-page.tsx: No photos match the filters',
    'pages/trash/trash-page.tsx: No matches in the trash',
    'pages/workflows/log-page.tsx: No entries',
    'parts/notifications/panel.tsx: No notifications',
  ],
};

/** The reason for each, by its file and title. */
export const UNOPENED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(GROUPS).flatMap(([reason, uses]) => uses.map((use) => [use, reason])),
);

import type { Page } from 'playwright-core';
import { ADMIN_ENTRIES } from './layer-entries-admin.ts';
import { listAlbumEntries } from './layer-entries-albums.ts';
import type { Entry, Say, Step } from './layers.ts';

const menu = (entry: Step): Step[] => ['More actions', entry];

/** Chooses two photos of the timeline, unless they are chosen. */
const chooseTwo = async (page: Page): Promise<void> => {
  const tiles = page.locator('[data-part=tile]');
  await tiles.nth(1).waitFor();
  if ((await page.locator('[data-part=tile][data-chosen]').count()) > 1) return;
  for (const at of [0, 1]) await tiles.nth(at).getByRole('checkbox').click({ force: true });
};
const type = (label: string, text: string) => (page: Page, say: Say) =>
  page.locator('dialog[open]').last().getByLabel(say(label)).fill(text);

/** Returns the dialogs and menus of photos, people and all that is found in them. */
function listPhotoEntries(photo: string): Entry[] {
  const timeline = '/photos';
  return [
    {
      title: 'View',
      of: 'parts/timeline/view-bar.tsx',
      at: timeline,
      steps: ['View'],
      layer: '[role=menu]',
    },
    {
      title: 'Go to a date',
      of: 'parts/timeline/jump-dialog.tsx',
      at: timeline,
      steps: ['View', 'Go to a date'],
    },
    {
      title: 'Keyboard shortcuts',
      of: 'ui/key-list.tsx',
      at: timeline,
      steps: ['View', 'Keyboard shortcuts'],
    },
    {
      title: 'Go to',
      of: 'shell/palette.tsx',
      at: timeline,
      steps: [(page) => page.keyboard.press('Control+k')],
    },
    {
      title: 'Notifications',
      of: 'parts/notifications/panel.tsx',
      at: timeline,
      steps: [(page) => page.locator('header [aria-haspopup=dialog]').first().click()],
    },
    { title: 'More', of: 'shell/more.tsx', at: timeline, steps: ['More'], isPhone: true },
    {
      title: 'Add to album',
      of: 'parts/albums/picker.tsx',
      at: timeline,
      steps: [chooseTwo, 'Add to album'],
    },
    { title: 'Tag', of: 'parts/tags/picker.tsx', at: timeline, steps: [chooseTwo, 'Tag'] },
    {
      title: 'Edit date and place',
      of: 'parts/metadata-edits/dialog.tsx',
      at: timeline,
      steps: [chooseTwo, 'Edit date and place'],
    },
    {
      title: 'Add to memory',
      of: 'parts/memories/picker.tsx',
      at: timeline,
      steps: [chooseTwo, 'Add to memory', type('Find a memory, or name a new one', 'Summer')],
    },
    {
      title: 'Compare',
      of: 'parts/viewer/compare/compare-dialog.tsx',
      at: timeline,
      steps: [chooseTwo, 'Compare'],
    },
    {
      title: 'Locked photos',
      of: 'parts/locked/pin-form.tsx',
      at: timeline,
      steps: [chooseTwo, 'Lock'],
    },
    {
      title: 'Share by link',
      of: 'parts/links/link-dialog.tsx',
      at: photo,
      steps: ['Share by link'],
    },
    {
      title: 'Faces on this photo',
      of: 'parts/people/faces-dialog.tsx',
      at: photo,
      steps: ['Faces'],
    },
    { title: 'Edit', of: 'parts/edits/edit-dialog.tsx', at: photo, steps: ['Edit'] },
    {
      title: 'More actions',
      of: 'parts/viewer/toolbar.tsx',
      at: photo,
      steps: ['More actions'],
      layer: '[role=menu]',
    },
    {
      title: 'Show in album',
      of: 'parts/viewer/albums-dialog.tsx',
      at: photo,
      steps: menu('Show in album'),
    },
    {
      title: 'Viewer settings',
      of: 'parts/viewer/preferences-dialog.tsx',
      at: photo,
      steps: menu('Viewer settings'),
    },
    {
      title: 'Slideshow settings',
      of: 'parts/viewer/slideshow/settings-dialog.tsx',
      at: photo,
      steps: [...menu('Slideshow'), (page) => page.mouse.move(200, 200), 'Slideshow settings'],
    },
  ];
}

function listSubjectEntries(find: (start: string) => string): Entry[] {
  const person = find('/people/');
  const pet = find('/pets/');
  const memory = find('/memories/');
  return [
    {
      title: 'Birth date',
      of: 'pages/people/person-head.tsx',
      at: person,
      steps: ['Add a birth date'],
    },
    { title: 'History', of: 'pages/people/history-dialog.tsx', at: person, steps: ['History'] },
    {
      title: 'Merge {person} with',
      of: 'pages/people/merge-dialog.tsx',
      at: person,
      steps: ['Merge with another'],
    },
    { title: 'New pet', of: 'parts/pets/new-pet.tsx', at: '/pets', steps: ['New pet'] },
    {
      title: 'Merge {pet} with',
      of: 'parts/pets/picker.tsx',
      at: pet,
      steps: ['Merge with another'],
    },
    {
      title: 'Correct the line',
      of: 'pages/documents/document-page.tsx',
      at: find('/documents/'),
      steps: [['Correct “{text}”', { text: 'Invoice' }]],
    },
    { title: 'On the map', of: 'pages/map/filter-dialog.tsx', at: '/map', steps: ['Filter'] },
    {
      title: 'Save this search',
      of: 'pages/search/save-search.tsx',
      at: '/search?q=2024',
      steps: ['Save this search'],
    },
    {
      title: 'When',
      of: 'pages/search/chip-dialog.tsx',
      at: '/search?q=2024',
      steps: [['Change {label}', { label: '2024' }]],
    },
    ...(
      [
        ['Edit title', 'pages/memories/player-menu.tsx', 'Edit title'],
        ['Edit pictures', 'pages/memories/pictures-dialog.tsx', 'Edit pictures'],
        ['Share as album', 'pages/memories/share-as-album.tsx', 'Share as album'],
        ['Export memory', 'pages/memories/export-dialog.tsx', 'Export'],
      ] as const
    ).map(([title, of, entry]) => ({ title, of, at: memory, steps: menu(entry) })),
    { title: 'New tag', of: 'pages/tags/tag-dialog.tsx', at: '/tags', steps: ['New tag'] },
    ...(
      [
        ['New tag below “{name}”', 'pages/tags/tag-dialog.tsx', 'New tag below'],
        ['Edit “{name}”', 'pages/tags/tag-dialog.tsx', 'Rename, color'],
        ['Move “{name}” below …', 'pages/tags/move-dialog.tsx', 'Move'],
        ['Delete the tag “{name}”?', 'pages/tags/tags-page.tsx', 'Delete'],
      ] as const
    ).map(([title, of, entry]): Entry => ({
      title,
      of,
      at: '/tags',
      steps: [['More about {name}', { name: 'Travel' }], entry],
    })),
    {
      title: 'Restore everything?',
      of: 'parts/trash/review-dialog.tsx',
      at: '/trash',
      steps: ['Restore all'],
    },
    {
      title: 'Empty the trash?',
      of: 'parts/trash/review-dialog.tsx',
      at: '/trash',
      steps: ['Empty trash'],
    },
    {
      title: 'Archive {total, plural, one {# item} other {# items}}?',
      of: 'parts/archive/archive-all.tsx',
      at: '/settings',
      steps: ['Archive everything'],
    },
    { title: 'New film', of: 'pages/studio/projects-page.tsx', at: '/studio', steps: ['New film'] },
    {
      title: 'Delete “{name}”?',
      of: 'pages/studio/projects-page.tsx',
      at: '/studio',
      steps: [['Delete {name}', { name: 'Holiday' }]],
    },
    {
      title: 'Export film',
      of: 'pages/studio/export-dialog.tsx',
      at: find('/studio/'),
      steps: ['Export'],
    },
    {
      title: 'Share this film with the members of {album}?',
      of: 'pages/studio/properties.tsx',
      at: find('/studio/'),
      steps: [
        (page, say) =>
          page.getByLabel(say('Shared with the members of')).selectOption({ index: 1 }),
      ],
    },
    {
      title: 'New from template',
      of: 'pages/workflows/new-workflow.tsx',
      at: '/workflows',
      steps: ['New from template'],
    },
    {
      title: 'Delete “{name}”?',
      of: 'pages/workflows/workflows-page.tsx',
      at: '/workflows',
      steps: [['Delete {name}', { name: 'Hearts' }]],
    },
    {
      title: 'Run “{name}” for all your photos?',
      of: 'pages/workflows/backfill.tsx',
      at: '/workflows',
      steps: ['Run for existing photos'],
    },
    {
      title: 'Trash identical copies?',
      of: 'pages/duplicates/accept-all.tsx',
      at: '/duplicates',
      steps: ['Trash identical copies'],
    },
    {
      title: 'Back up your phone',
      of: 'parts/setup/phone-app-dialog.tsx',
      at: '/settings',
      steps: ['Back up your phone'],
    },
    { title: 'Set a PIN', of: 'pages/settings/pin.tsx', at: '/settings', steps: ['Set a PIN'] },
    {
      title: 'Preference changes',
      of: 'pages/settings/preferences.tsx',
      at: '/settings',
      steps: ['What was changed'],
    },
    {
      title: 'New API key',
      of: 'pages/settings/api-keys.tsx',
      at: '/settings',
      steps: ['New key'],
    },
    {
      title: 'Share your timeline with {name}?',
      of: 'pages/settings/share-timeline.tsx',
      at: '/settings',
      steps: [
        (page, say) =>
          page
            .getByLabel(say('Share my timeline with'), { exact: true })
            .selectOption({ index: 1 }),
      ],
    },
  ];
}

/** Returns all dialogs and menus of a library that `furnish` has filled; `paths` are those of its pages. */
export function listEntries(paths: readonly string[]): Entry[] {
  const find = (start: string) => paths.find((path) => path.startsWith(start) && path !== start)!;
  return [
    ...listPhotoEntries(paths[1]!),
    ...listAlbumEntries(find('/albums/')),
    ...listSubjectEntries(find),
    ...ADMIN_ENTRIES,
  ];
}

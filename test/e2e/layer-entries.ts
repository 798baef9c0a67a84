import type { Page } from 'playwright-core';
import { SHARED_FILES } from '../../src/web/base/service-worker-names.ts';
import { ADMIN_ENTRIES } from './layer-entries-admin.ts';
import { listAlbumEntries } from './layer-entries-albums.ts';
export { EMPTY_ENTRIES } from './layer-entries-empty.ts';
export { UNOPENED } from './layer-unopened.ts';
import { listSubjectEntries, UNSAVED_ENTRY } from './layer-entries-subjects.ts';
import { listToastEntries } from './layer-entries-toasts.ts';
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

/** Leaves a file as another app does, and opens the page with it. */
const shareFile = async (page: Page): Promise<void> => {
  await page.evaluate(async (name) => {
    const cache = await caches.open(name);
    await cache.put('/shared?name=holiday.jpg', new Response(new Blob(['picture'])));
  }, SHARED_FILES);
  await page.goto('/photos?shared');
};

const timeline = '/photos';

const TIMELINE_ENTRIES: readonly Entry[] = [
  {
    title: 'Account',
    of: 'shell/account-menu.tsx',
    at: timeline,
    steps: ['Account'],
    layer: '[role=menu]',
    isDesktop: true,
  },
  {
    title: 'Go to',
    of: 'shell/palette.tsx',
    at: timeline,
    steps: [
      (page) => page.locator('[data-part=tile]').first().waitFor(),
      (page) => page.keyboard.press('Control+k'),
    ],
  },
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
  { title: 'Tag', of: 'parts/tags/picker.tsx', at: timeline, steps: [chooseTwo, ...menu('Tag')] },
  {
    title: 'Edit date and place',
    of: 'parts/metadata-edits/dialog.tsx',
    at: timeline,
    steps: [chooseTwo, ...menu('Edit date and place')],
  },
  {
    title: 'Add to memory',
    of: 'parts/memories/picker.tsx',
    at: timeline,
    steps: [
      chooseTwo,
      ...menu('Add to memory'),
      type('Find a memory, or name a new one', 'Summer'),
    ],
  },
  {
    title: 'Compare',
    of: 'parts/viewer/compare/compare-dialog.tsx',
    hasOverlaps: true,
    at: timeline,
    steps: [chooseTwo, ...menu('Compare')],
  },
  {
    title: 'Locked photos',
    of: 'parts/locked/pin-form.tsx',
    at: timeline,
    steps: [chooseTwo, ...menu('Lock')],
  },
  {
    title: 'More actions',
    of: 'parts/timeline/selection-bar.tsx',
    at: timeline,
    steps: [chooseTwo, 'More actions'],
    layer: '[role=menu]',
  },
  {
    title: 'Selected photos',
    of: 'parts/timeline/selection-bar.tsx',
    at: timeline,
    steps: [chooseTwo],
    layer: '[data-part=selection-bar]',
  },
  {
    title: 'Files from another app',
    of: 'shell/shared-files-dialog.tsx',
    at: timeline,
    steps: [shareFile],
  },
];

/** Those of an open photo. */
const listPhotoEntries = (photo: string): Entry[] => [
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
    steps: menu('Faces'),
  },
  {
    title: 'Edit',
    of: 'parts/edits/edit-dialog.tsx',
    hasOverlaps: true,
    at: photo,
    steps: ['Edit'],
  },
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
  {
    title: 'The link is ready',
    of: 'parts/links/link-dialog.tsx',
    at: photo,
    steps: [
      'Share by link',
      'Create link',
      (page, say) => page.getByRole('img', { name: say('QR code of the link') }).waitFor(),
    ],
  },
];

/** Returns all dialogs and menus of a library that `furnish` has filled; `paths` are those of its pages. */
export function listEntries(paths: readonly string[]): Entry[] {
  const find = (start: string) => paths.find((path) => path.startsWith(start) && path !== start)!;
  return [
    ...TIMELINE_ENTRIES,
    ...listToastEntries(timeline, chooseTwo),
    ...listPhotoEntries(paths[1]!),
    ...listAlbumEntries(find('/albums/')),
    ...listSubjectEntries(find),
    ...ADMIN_ENTRIES,
    UNSAVED_ENTRY,
  ];
}

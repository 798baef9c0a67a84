import type { Page } from 'playwright-core';
import { type Entry, type Say, type Step, TOAST } from './layers.ts';

// Toasts: one with several buttons over the page, and the longest texts, those of errors, over a dialog.

const ALBUM = 'Summer in the mountains';

/** Keeps the toast for as long as it is looked at. */
const hold = (page: Page): Promise<void> => page.locator(`${TOAST} button`).last().focus();

const nameAlbum = (page: Page, say: Say) =>
  page
    .locator('dialog[open]')
    .last()
    .getByLabel(say('Find an album, or name a new one'))
    .fill(ALBUM);
const create: Step = ['New album “{wanted}”', { wanted: ALBUM }];

const isAlbums = ({ pathname }: URL) => pathname.endsWith('/api/albums');
const refuse = (page: Page): Promise<unknown> =>
  page.route(isAlbums, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 400, json: { message: 'This album cannot be made just now' } })
      : route.fallback(),
  );
const allow = (page: Page): Promise<void> => page.unroute(isAlbums);

/** `choose` chooses what goes into an album. */
export const listToastEntries = (at: string, choose: Step): readonly Entry[] => [
  {
    title: 'Undo',
    of: 'ui/toast.tsx',
    at,
    layer: TOAST,
    steps: [choose, 'Add to album', nameAlbum, create, hold],
  },
  {
    title: 'What went wrong',
    of: 'ui/toast.tsx',
    at,
    layer: TOAST,
    isMissing: true,
    steps: [choose, 'Add to album', refuse, nameAlbum, create, hold, allow],
  },
];

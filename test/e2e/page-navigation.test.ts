import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { getDialog, go, pictures } from './people.ts';
import { addStageAccount, daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The navigation: groups that fold, keys, the command palette, and a phone on its side.

let stage: Stage;
let ada: Visitor;
let page: Page;
let albumId: string;

beforeAll(async () => {
  stage = await openStage();
  await stage.add(daysOfMay(1));
  albumId = (await stage.api('POST', '/albums', { albumName: 'Zürich in spring' })).id;
  await stage.api('POST', '/people', { name: 'Zoe' });
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const { step, chapter } = journey('the navigation leads to every page', TIMEOUT_MS);

const getPath = () => new URL(page.url()).pathname;
const openPalette = async () => {
  await page.keyboard.press('Control+k');
  const line = page.getByRole('combobox', { name: 'Pages, people, albums, tags and actions' });
  await eventually(() => line.evaluate((input) => input === document.activeElement)).toBe(true);
  return line;
};
/** The option that Enter would choose, as a screen reader is told. */
const getChosen = () =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant');
    return id ? document.getElementById(id)?.querySelector('span:last-of-type')?.textContent : null;
  });

step('the navigation fits a window of 900 px', async () => {
  await page.goto('/photos');
  await pictures(page, 1);
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 1440, height: 900 });
  const list = page.getByRole('navigation', { name: 'Main' });
  const [inner, outer] = await list.evaluate((nav) => [nav.scrollHeight, nav.clientHeight]);
  expect(inner).toBeLessThanOrEqual(outer!);
  await page.setViewportSize(size);
});

step('groups fold, and stay as they were after a reload', async () => {
  const studio = page.getByRole('link', { name: 'Studio' });
  const albums = page.getByRole('link', { name: 'Albums' });
  const tools = page.getByRole('button', { name: 'Tools' });
  const library = page.getByRole('button', { name: 'Library' });
  expect(await studio.count()).toBe(0);
  await tools.click();
  await studio.waitFor();
  await library.click();
  await albums.waitFor({ state: 'detached' });
  await page.reload();
  await pictures(page, 1);
  await studio.waitFor();
  expect(await albums.count()).toBe(0);
  await library.click();
  await tools.click();
  await page.reload();
  await pictures(page, 1);
  await albums.waitFor();
  expect(await studio.count()).toBe(0);
  // The entry of the page that is shown stays.
  await page.goto('/studio');
  await page.getByRole('link', { name: 'Studio' }).waitFor();
  await tools.click();
  await page.getByRole('link', { name: 'Duplicates' }).waitFor();
});

step('partners have places of their own, a few at once, and none without any', async () => {
  const group = page.getByRole('button', { name: 'Shared with me' });
  await page.goto('/photos');
  await pictures(page, 1);
  expect(await group.count()).toBe(0);
  const others: string[] = [];
  for (const name of ['Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus', 'Hal']) {
    const { account, api } = await addStageAccount(stage);
    await api('PUT', '/users/me', { name });
    // The last one shares with nobody.
    if (name !== 'Hal') await api('POST', '/partners', { sharedWithId: stage.account.id });
    others.push(account.id);
  }
  await page.reload();
  const list = page.getByRole('navigation', { name: 'Main' }).locator('section', { has: group });
  await eventually(() => list.getByRole('link').allTextContents()).toEqual([
    'Bo',
    'Cy',
    'Di',
    'Ed',
    'Flo',
  ]);
  expect(await listFaults(page)).toEqual([]);
  await list.getByRole('button', { name: 'Show more' }).click();
  await list.getByRole('link', { name: 'Gus' }).click();
  await page.waitForURL(`**/sharing/${others[5]}`);
  await page.getByText('Gus has no photos on the timeline.').waitFor();
  expect(await page.locator('nav a[aria-current=page]').allTextContents()).toEqual(['Gus']);
  // Folded, and after a reload, the one that is shown stays.
  await group.click();
  await eventually(() => list.getByRole('link').allTextContents()).toEqual(['Gus']);
  await group.click();
  await page.reload();
  await eventually(() => list.getByRole('link').count()).toBe(6);
  await (await openPalette()).fill('ed');
  await eventually(getChosen).toBe('Ed');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/sharing/${others[3]}`);
});

chapter('the keyboard', () => {
  step('opens pages by G and a letter, not from a field', async () => {
    await page.goto('/photos');
    await pictures(page, 1);
    for (const [key, path] of [
      ['a', '/albums'],
      ['m', '/map'],
      ['p', '/photos'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await eventually(getPath).toBe(path);
    }
    const search = page.getByRole('combobox', { name: 'Search your photos' });
    await search.focus();
    await page.keyboard.type('ga');
    expect([await search.inputValue(), getPath()]).toEqual(['ga', '/photos']);
    await search.fill('');
    await page.keyboard.press('Escape');
  });

  step('opens a page, an album and a person from the palette', async () => {
    const line = await openPalette();
    expect(await getChosen()).toBe('Photos');
    expect(await listFaults(page)).toEqual([]);
    await line.fill('arch');
    await eventually(getChosen).toBe('Archive');
    await page.keyboard.press('Enter');
    await eventually(getPath).toBe('/archive');
    await getDialog(page).waitFor({ state: 'detached' });

    await (await openPalette()).fill('zür');
    await page.getByRole('option', { name: 'Zürich in spring Album' }).waitFor();
    await eventually(getChosen).toBe('Zürich in spring');
    await page.keyboard.press('Enter');
    await eventually(getPath).toBe(`/albums/${albumId}`);

    await (await openPalette()).fill('zo');
    await page.getByRole('option', { name: 'Zoe Person' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await eventually(getChosen).toBe('Create the album “zo”');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Zoe' }).first().waitFor();
  });

  step('runs actions from the palette, and closes it', async () => {
    await (await openPalette()).fill('dark');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await (await openPalette()).fill('match');
    await page.getByRole('option', { name: 'Appearance: match system' }).click();
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBeUndefined();
    await openPalette();
    await page.keyboard.press('Control+k');
    await getDialog(page).waitFor({ state: 'detached' });
    await openPalette();
    await page.keyboard.press('Escape');
    await getDialog(page).waitFor({ state: 'detached' });
    expect(ada.problems).toEqual([]);
  });
});

chapter('the administration', () => {
  step('has a bar of its own, and a way back', async () => {
    await page.goto('/photos');
    await go(page, 'Administration');
    const bar = page.getByRole('navigation', { name: 'Administration' });
    await bar.getByRole('link', { name: 'Server settings' }).waitFor();
    expect(await page.getByRole('link', { name: 'Albums' }).count()).toBe(0);
    await bar.getByRole('link', { name: 'Back to the library' }).click();
    await page.getByRole('link', { name: 'Albums' }).waitFor();
  });
});

/** The names in the navigation that are cut or stick out of it. */
const listCut = (on: Page) =>
  on.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.side a span, .side button span')]
      .filter((span) => {
        const { width, right } = span.getBoundingClientRect();
        const bar = span.closest('.side')!.getBoundingClientRect();
        return (
          span.textContent !== '' &&
          width > 0 &&
          (span.scrollWidth > Math.ceil(width) + 1 || right > bar.right)
        );
      })
      .map((span) => span.textContent),
  );

chapter('in German', () => {
  for (const [width, height] of [
    [1440, 900],
    [844, 390],
    [390, 844],
  ] as const)
    step(`no name is cut at ${width}×${height}`, async () => {
      const viewport = { width, height };
      const german = await enter(stage, { viewport, locale: 'de-DE', at: '/photos' });
      await pictures(german.page, 1);
      expect(await listCut(german.page)).toEqual([]);
      const main = german.page.getByRole('navigation', { name: 'Hauptnavigation' });
      const side = (await main.boundingBox())!;
      // On its side, a phone gives the pictures nine tenths of its width.
      if (width === 844) expect(side.width).toBeLessThanOrEqual(84);
      if (width === 1440) {
        await german.page.getByRole('link', { name: 'Verwaltung' }).click();
        await german.page.getByRole('link', { name: 'Externe Bibliotheken' }).waitFor();
        expect(await listCut(german.page)).toEqual([]);
      } else {
        expect(await main.getByRole('link').count()).toBe(4);
        await main.getByRole('button', { name: 'Mehr' }).click();
        await getDialog(german.page).getByRole('link', { name: 'Verwaltung' }).waitFor();
        if (width === 390) expect(await listFaults(german.page)).toEqual([]);
        await getDialog(german.page).getByRole('link', { name: 'Verwaltung' }).click();
        const bar = german.page.getByRole('navigation', { name: 'Verwaltung' });
        await bar.getByRole('link', { name: 'Konten' }).click();
        await german.page.getByRole('heading', { level: 1, name: 'Konten' }).waitFor();
        if (width === 844) expect(await listFaults(german.page)).toEqual([]);
      }
      expect(german.problems).toEqual([]);
      await german.context.close();
    });
});

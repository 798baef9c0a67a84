import { afterEach, beforeEach, expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { type Visitor, visit } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, choose, getDialog, go, PHONE, pictures, press } from './people.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// A link to photos, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let slug: string;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  await stage.add(daysOfMay(3));
  slug = `for-grandma-${crypto.randomUUID()}`;
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 3);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const guest = (options = {}) => visit(stage.browser, stage.server.url, options);
/** A browser writes every refusal into its console; the first look at a locked link is one. */
const isRefusal = (text: string) => /status of 401 .*\/api\/shared-links\//.test(text);

const { step } = journey('an owner shares photos by link', TIMEOUT_MS);

step('of a selection has a custom address, password and expiry', async () => {
  await choose(page, '1 May 2024');
  await choose(page, '3 May 2024');
  await press(page, 'Share by link');
  await getDialog(page).getByLabel('Note for yourself').fill('For grandma');
  await getDialog(page).getByLabel('Custom URL').fill(slug);
  await getDialog(page).getByLabel('Password').fill('sesame');
  await getDialog(page).getByLabel('Expires').selectOption('In a week');
  expect(await listFaults(page)).toEqual([]);
  await press(page, 'Create link');
  await eventually(() => getDialog(page).getByLabel('Link', { exact: true }).inputValue()).toBe(
    `${stage.server.url}/s/${slug}`,
  );
  await press(page, 'Done');
  const [link] = await api('GET', '/shared-links');
  expect(Date.parse(link.expiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  expect(link).toMatchObject({ showMetadata: true, allowDownload: true, hidesPlaces: true });
});

step('opens for a guest with its password and shows only its photos', async () => {
  const { page: seen, context, problems } = await guest();
  await seen.goto(`/s/${slug}`);
  await seen.getByLabel('Password').fill('wrong');
  await press(seen, 'Show the photos');
  await seen.getByRole('alert').getByText('Wrong password.').waitFor();
  await seen.getByLabel('Password').fill('sesame');
  await press(seen, 'Show the photos');
  await pictures(seen, 2);
  expect(seen.url()).not.toContain('sesame');
  expect(await listFaults(seen)).toEqual([]);
  await seen.locator('[data-part=tile-link]').first().click();
  await seen.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
  await eventually(() => new URL(seen.url()).pathname).toMatch(
    new RegExp(`^/s/${slug}/photos/[0-9a-f-]{36}$`),
  );
  const viewer = seen.getByRole('dialog', { name: 'Photo viewer' });
  await viewer.getByRole('button', { name: 'Download' }).waitFor();
  await eventually(() =>
    viewer.getByRole('button', { name: /favorites|archive|trash/ }).count(),
  ).toBe(0);
  await seen.reload();
  await seen.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
  expect(problems.filter((text) => !isRefusal(text))).toEqual([]);
  await context.close();
});

step('tells guests no places until its owner decides so', async () => {
  const edit = async (work: (box: Locator) => Promise<void>) => {
    await press(page, 'More about For grandma');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const box = getDialog(page).getByLabel('See where the photos were taken');
    await work(box);
    await press(page, 'Save');
  };
  await go(page, 'Links');
  await page.getByText('no places').waitFor();
  await edit(async (box) => {
    await getDialog(page).getByText('Places stay hidden').waitFor();
    await box.check();
  });
  await page.getByText('no places').waitFor({ state: 'detached' });
  await edit((box) => box.uncheck());
  await page.getByText('no places').waitFor();
});

step('without download and metadata offers neither to guests', async () => {
  await go(page, 'Links');
  await press(page, 'More about For grandma');
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await getDialog(page).getByLabel('Remove the password').check();
  await getDialog(page).getByLabel('See dates and cameras').uncheck();
  await press(page, 'Save');
  await page.getByText('no metadata').waitFor();
  expect(await listFaults(page)).toEqual([]);
  const { page: seen, context, problems } = await guest(PHONE);
  await seen.goto(`/s/${slug}`);
  await pictures(seen, 2);
  await eventually(() => seen.getByRole('button', { name: 'Download all' }).count()).toBe(0);
  await seen.locator('[data-part=tile-link]').first().tap();
  await seen.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
  await eventually(() => seen.getByRole('button', { name: /Download|Information/ }).count()).toBe(
    0,
  );
  expect(problems).toEqual([]);
  await context.close();
});

step('cannot be opened after it is deleted', async () => {
  await press(page, 'More about For grandma');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await press(page, 'Delete link');
  await page.getByText('Nothing is shared by link').waitFor();
  const { page: seen, context } = await guest();
  await seen.goto(`/s/${slug}`);
  await seen.getByRole('heading', { name: 'This link does not work' }).waitFor();
  await context.close();
});

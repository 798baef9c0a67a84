import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, holdToast, pictures, press, toast, undo } from './people.ts';
import { addPets } from './pets.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';
import { journey } from '../support/journey.ts';

// Pets in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(4));
  await look(0, ['dog', 0.1]);
  await look(1, ['dog', 0.2]);
  await look(2, ['dog', 0.3], ['cat', 0.7]);
  // In the trash: nobody is to count it.
  await look(3, ['dog', 0.1]);
  await api('DELETE', '/assets', { ids: [ids[3]] });
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 3);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const look = (at: number, ...seen: [label: string, x: number][]) =>
  addPets(stage, ids[at]!, 0.9 - at / 10, ...seen);

const names = () => page.locator('[data-part=face-grid] [data-part=face-name]').allTextContents();
const shows = (list: string[]) =>
  until(`the pets ${list.join()}`, async () => (await names()).join() === list.join());
const sightings = (count: number) =>
  until(
    `${count} to be answered`,
    async () => (await page.locator('[data-part=pet-review] li').count()) === count,
  );

const { step } = journey('an owner names pets', TIMEOUT_MS);

step('animals are listed by species, each with a picture', async () => {
  await page.getByRole('link', { name: 'Pets', exact: true }).first().click();
  await shows(['Dogs', 'Cats']);
  await page.locator('[data-part=face-grid]').getByText('3 photos').waitFor();
  await until('pictures', () =>
    page
      .locator('[data-part=pet-picture] img')
      .evaluateAll(
        (all) => all.length === 2 && all.every((one) => (one as HTMLImageElement).naturalWidth > 0),
      ),
  );
  expect(await listFaults(page)).toEqual([]);
});

step('naming an animal makes it a pet of the household', async () => {
  await page.locator('[data-part=face-grid]').getByRole('link', { name: /^Dogs/ }).click();
  await pictures(page, 3);
  // Below their days, as everywhere; the photo in the trash has none.
  await eventually(() => page.locator('[data-part=day] h3').allTextContents()).toEqual([
    'Fri, 3 May 2024',
    'Thu, 2 May 2024',
    'Wed, 1 May 2024',
  ]);
  await sightings(3);
  await page.getByLabel('Name', { exact: true }).fill('Rex');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Is this Rex?' }).waitFor();
  await page.getByRole('button', { name: 'Not one of your pets' }).waitFor();
  expect(await listFaults(page)).toEqual([]);
});

step(
  'an observation can be confirmed, rejected or reassigned, and rejections can be undone',
  async () => {
    const first = page.locator('[data-part=pet-review] li').first();
    await first.getByRole('button', { name: 'Yes, this is Rex' }).click();
    await holdToast(page, 'Confirmed');
    await sightings(2);
    await undo(page, 'Confirmed');
    await sightings(3);
    await first.getByRole('button', { name: 'No, this is not Rex' }).click();
    await holdToast(page, 'Not a pet');
    await sightings(2);
    await pictures(page, 2);
    await undo(page, 'Not a pet');
    await pictures(page, 3);

    await first.getByRole('button', { name: 'Another pet' }).click();
    const picker = page.getByRole('dialog', { name: 'Which pet is it?' });
    await picker.getByRole('button', { name: 'New pet' }).click();
    const made = page.getByRole('dialog', { name: 'New pet' });
    await made.getByLabel('Name').fill('Bella');
    await made.getByRole('button', { name: 'Add' }).click();
    await toast(page, 'This is Bella');
    await pictures(page, 2);
    await page.goto('/pets');
    await shows(['Rex', 'Bella', 'Cats']);
    // A model that looks again sees what it saw, and changes nothing that was said.
    await look(0, ['dog', 0.1]);
    await page.reload();
    await shows(['Rex', 'Bella', 'Cats']);
  },
);

step('two pets can be merged', async () => {
  await page
    .locator('[data-part=face-grid]')
    .getByRole('link', { name: /^Bella/ })
    .click();
  await pictures(page, 1);
  await press(page, 'Merge with another');
  await page.getByRole('dialog').getByRole('button', { name: 'Rex' }).click();
  await page.getByRole('dialog', { name: 'Merge Bella with Rex?' }).waitFor();
  expect(await listFaults(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
  await toast(page, 'Merged into one pet');
  await pictures(page, 3);
  await eventually(async () =>
    (await api('GET', '/pets')).map(
      ({ name, assetCount }: { name: string; assetCount: number }) => [name, assetCount],
    ),
  ).toEqual([
    ['Bella', 3],
    ['', 1],
  ]);
});

step('a photo names its animals, and they can be corrected there', async () => {
  await page.goto(`/photos/${ids[2]}`);
  await press(page, 'Information');
  const chips = page.locator('[data-part=info] .chip');
  await until('two animals', async () => (await chips.count()) === 2);
  await eventually(async () => (await chips.allTextContents()).map((text) => text.trim())).toEqual([
    'Bella',
    'Cat',
  ]);
  await press(page, 'About Cat');
  await page.getByRole('menuitem', { name: 'Not a pet' }).click();
  await holdToast(page, 'Not a pet');
  await page.locator('.chip[data-state=off]', { hasText: 'No cat' }).waitFor();
  await undo(page, 'Not a pet');
  await page.locator('[data-part=info] .chip', { hasText: 'Cat' }).waitFor();
  await press(page, 'About Cat');
  await page.getByRole('menuitem', { name: 'Which pet is it?' }).click();
  await page
    .getByRole('dialog', { name: 'Which pet is it?' })
    .getByRole('button', { name: 'Bella' })
    .click();
  await toast(page, 'This is Bella');
  expect(await listFaults(page)).toEqual([]);
  await until('both are Bella', async () => (await chips.getByText('Bella').count()) === 2);
  await chips.getByRole('link', { name: 'Bella' }).first().click();
  await pictures(page, 3);
  await page.waitForURL('**/pets/*');
});

step('on a phone the pages of pets fit the screen', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/pets');
  await phone.page
    .locator('[data-part=face-grid]')
    .getByRole('link', { name: /^Bella/ })
    .tap();
  await phone.page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
  await leavePhone(phone);
});

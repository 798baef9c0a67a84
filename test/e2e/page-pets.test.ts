import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { petsSink } from '../../src/areas/pets/sink.ts';
import { openDatabase } from '../../src/db/client.ts';
import { namelessControls, openBrowser, photo, type Visitor, visit } from './browser.ts';
import { addPhotos, type Api, apiOf, logIn, onPhone, pictures, press } from './people.ts';
import { type RunningServer, signUp, startServer, until } from './server.ts';

// Pets in a real browser; each test goes on where the last one ended.

const TIMEOUT_MS = 60_000;

let server: RunningServer;
let browser: Browser;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  const account = await signUp(server.url);
  api = apiOf(server.url, account.apiKey);
  const days = ['2024:05:01', '2024:05:02', '2024:05:03', '2024:05:04'];
  const photos = days.map((day) => photo(`${day}.jpg`, `${day} 12:00:00`));
  ids = await addPhotos(server.url, account.apiKey, await Promise.all(photos));
  await look(0, ['dog', 0.1]);
  await look(1, ['dog', 0.2]);
  await look(2, ['dog', 0.3], ['cat', 0.7]);
  // In the trash: nobody is to count it.
  await look(3, ['dog', 0.1]);
  await api('DELETE', '/assets', { ids: [ids[3]] });
  ada = await visit(browser, server.url);
  ({ page } = ada);
  await page.goto('/');
  await logIn(page, account.email, account.password);
  await pictures(page, 3);
}, TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await server?.stop();
}, TIMEOUT_MS);

/** Keeps what a model sees as the job does that lets it look at a picture. */
async function look(at: number, ...seen: [label: string, x: number][]): Promise<void> {
  const { db, sql } = openDatabase(server.databaseUrl, { max: 1 });
  const assetId = ids[at]!;
  const { ownerId } = await api('GET', `/assets/${assetId}`);
  const objects = seen.map(([label, x]) => ({
    label,
    score: 0.9 - at / 10,
    box: { x1: x, y1: 0.2, x2: x + 0.25, y2: 0.7 },
  }));
  const asset = { assetId, ownerId, type: 'IMAGE', picture: { width: 900, height: 600 } } as const;
  await db.transaction((tx) =>
    petsSink.store(tx, asset, objects, { modelId: 'test', dimension: 0 }),
  );
  await sql.end();
}

const step = (name: string, run: () => Promise<void>) => test(name, run, TIMEOUT_MS);
const toast = (text: string) => page.locator('.toast', { hasText: text }).waitFor();
const undo = () => page.getByRole('button', { name: 'Undo', exact: true }).last().click();
const names = () => page.locator('.face-grid .face-name').allTextContents();
const shows = (list: string[]) =>
  until(`the pets ${list.join()}`, async () => (await names()).join() === list.join(), 15);
const sightings = (count: number) =>
  until(
    `${count} to be answered`,
    async () => (await page.locator('.pet-review li').count()) === count,
    15,
  );

step('animals are listed by kind, each with a picture of it', async () => {
  await page.getByRole('link', { name: 'Pets', exact: true }).first().click();
  await shows(['Dogs', 'Cats']);
  await page.locator('.face-grid').getByText('3 photos').waitFor();
  await until('pictures', () =>
    page
      .locator('.pet-picture img')
      .evaluateAll(
        (all) => all.length === 2 && all.every((one) => (one as HTMLImageElement).naturalWidth > 0),
      ),
  );
  expect(await namelessControls(page)).toEqual([]);
});

step('a pet gets a name, which makes it one of the house', async () => {
  await page.locator('.face-grid').getByRole('link', { name: /^Dogs/ }).click();
  await pictures(page, 3);
  await sightings(3);
  await page.getByLabel('Name', { exact: true }).fill('Rex');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Is this Rex?' }).waitFor();
  await page.getByRole('button', { name: 'Not a pet of the house' }).waitFor();
  expect(await namelessControls(page)).toEqual([]);
});

step('what was seen is confirmed, denied, or another one, each with a way back', async () => {
  const first = page.locator('.pet-review li').first();
  await first.getByRole('button', { name: 'Yes, this is Rex' }).click();
  await toast('Confirmed');
  await sightings(2);
  await undo();
  await sightings(3);
  await first.getByRole('button', { name: 'No, this is not Rex' }).click();
  await toast('Not a pet');
  await sightings(2);
  await pictures(page, 2);
  await undo();
  await pictures(page, 3);

  await first.getByRole('button', { name: 'Another pet' }).click();
  const picker = page.getByRole('dialog', { name: 'Which pet is it?' });
  await picker.getByRole('button', { name: 'New pet' }).click();
  const made = page.getByRole('dialog', { name: 'New pet' });
  await made.getByLabel('Name').fill('Bella');
  await made.getByRole('button', { name: 'Add' }).click();
  await toast('This is Bella');
  await pictures(page, 2);
  await page.goto('/pets');
  await shows(['Rex', 'Bella', 'Cats']);
  // A model that looks again sees what it saw, and changes nothing that was said.
  await look(0, ['dog', 0.1]);
  await page.reload();
  await shows(['Rex', 'Bella', 'Cats']);
});

step('two become one again', async () => {
  await page
    .locator('.face-grid')
    .getByRole('link', { name: /^Bella/ })
    .click();
  await pictures(page, 1);
  await press(page, 'Merge with another');
  await page.getByRole('dialog').getByRole('button', { name: 'Rex' }).click();
  await toast('Merged into one pet');
  await pictures(page, 3);
  const pets = await api('GET', '/pets');
  expect(
    pets.map(({ name, assetCount }: { name: string; assetCount: number }) => [name, assetCount]),
  ).toEqual([
    ['Bella', 3],
    ['', 1],
  ]);
});

step('on a photo its animals are named, and can be answered there', async () => {
  await page.goto(`/photos/${ids[2]}`);
  await press(page, 'Information');
  const chips = page.locator('.info .chip');
  await until('two animals', async () => (await chips.count()) === 2, 15);
  expect((await chips.allTextContents()).map((text) => text.trim())).toEqual(['Bella', 'Cat']);
  await press(page, 'About Cat');
  await page.getByRole('menuitem', { name: 'Not a pet' }).click();
  await page.locator('.chip.off', { hasText: 'No cat' }).waitFor();
  await undo();
  await page.locator('.info .chip', { hasText: 'Cat' }).waitFor();
  await press(page, 'About Cat');
  await page.getByRole('menuitem', { name: 'Which pet is it?' }).click();
  await page
    .getByRole('dialog', { name: 'Which pet is it?' })
    .getByRole('button', { name: 'Bella' })
    .click();
  await toast('This is Bella');
  expect(await namelessControls(page)).toEqual([]);
  await until('both are Bella', async () => (await chips.getByText('Bella').count()) === 2, 15);
  await chips.getByRole('link', { name: 'Bella' }).first().click();
  await pictures(page, 3);
  expect(page.url()).toContain('/pets/');
});

step('on a phone all of it has its place', async () => {
  const phone = await onPhone(browser, server.url, ada);
  await phone.page.goto('/pets');
  await phone.page
    .locator('.face-grid')
    .getByRole('link', { name: /^Bella/ })
    .tap();
  await phone.page.locator('.tile img.here').first().waitFor();
  expect(await namelessControls(phone.page)).toEqual([]);
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(phone.problems).toEqual([]);
  await phone.context.close();
});

step('nothing was complained about', () => {
  expect(ada.problems).toEqual([]);
  return Promise.resolve();
});

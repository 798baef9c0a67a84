import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { saveRecognizedText } from '../support/recognized-text.ts';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { addFace } from './faces.ts';
import { listFaults } from './faults.ts';
import { type Api, getPageWidth, holdToast, pictures, press, toast, undo } from './people.ts';
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

// Recognised faces and text of a photo in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;

afterEach(async () => {
  await stage?.close();
  // A thumbnail is withdrawn at once when its face is another's, and there again when it is rendered.
  const isWithdrawn = (problem: string) =>
    /status of 404 .*\/people\/[^/]+\/thumbnail/.test(problem);
  expect(ada.problems.filter((problem) => !isWithdrawn(problem))).toEqual([]);
}, TIMEOUT_MS);

const { step, chapter } = journey('an owner corrects faces and recognised text', TIMEOUT_MS);

chapter('faces', () => {
  let ids: string[];
  beforeEach(async () => {
    stage = await openStage();
    ({ api } = stage);
    ids = await stage.add(daysOfMay(2));
    for (const [at, name] of ['Anna Lee', 'Ben'].entries()) {
      const { id: personId } = await api('POST', '/people', { name });
      await addFace(api, { assetId: ids[at]!, personId, x: 100 });
    }
    ada = await enter(stage, { at: `/photos/${ids[1]}` });
    ({ page } = ada);
  }, TIMEOUT_MS);

  step('a face can be drawn on a photo and assigned to a new person', async () => {
    await press(page, 'More actions');
    await page.getByRole('menuitem', { name: 'Faces' }).click();
    await page.getByRole('button', { name: 'Face: Ben' }).waitFor();
    await press(page, 'Draw a face');
    const { x, y, width, height } = (await page
      .locator('[data-part=faces-picture]')
      .boundingBox())!;
    await page.mouse.move(x + width * 0.6, y + height * 0.3);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.8, y + height * 0.7, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('dialog', { name: 'Who is this?' }).getByRole('textbox').fill('Cleo');
    await press(page, 'New person “Cleo”');
    await page.getByRole('button', { name: 'Face: Cleo' }).waitFor();
    const drawn = await until('the face of Cleo', async () =>
      (await api('GET', `/faces?id=${ids[1]}`)).find(
        ({ person }: { person: { name: string } }) => person.name === 'Cleo',
      ),
    );
    expect(drawn.boundingBoxX1 / drawn.imageWidth).toBeCloseTo(0.6, 1);
    expect(drawn.boundingBoxY2 / drawn.imageHeight).toBeCloseTo(0.7, 1);
  });

  step(
    'a face box can be moved, resized, reassigned and hidden, and each can be undone',
    async () => {
      const cleo = page.getByRole('button', { name: 'Face: Cleo' });
      await cleo.click();
      const before = (await cleo.boundingBox())!;
      await page.mouse.move(before.x + 20, before.y + 20);
      await page.mouse.down();
      await page.mouse.move(before.x - 80, before.y + 20, { steps: 3 });
      await page.mouse.up();
      await holdToast(page, 'Moved');
      // The box is another one once the server has it.
      const now = async () => (await cleo.boundingBox()) ?? { x: NaN, width: NaN };
      await until('a box further left', async () => (await now()).x < before.x - 90);
      await undo(page, 'Moved');
      await until('the box in its place', async () => Math.abs((await now()).x - before.x) < 3);
      await cleo.press('Shift+ArrowRight');
      await until('a wider box', async () => (await now()).width > before.width + 3);
      await toast(page, 'Moved');
      await until('the server to know', async () => {
        const faces = await api('GET', `/faces?id=${ids[1]}`);
        return faces.some(({ revision }: { revision: number }) => revision === 4);
      });
      await press(page, 'Not a face');
      await holdToast(page, 'Hidden: not a face');
      await page.getByRole('button', { name: 'Face: Cleo, hidden' }).waitFor();
      await undo(page, 'Hidden: not a face');
      await page.getByRole('button', { name: 'Face: Cleo', exact: true }).waitFor();
      await press(page, 'Somebody else');
      await page
        .getByRole('dialog', { name: 'Who is this?' })
        .getByRole('button', { name: 'Anna Lee' })
        .click();
      await page.getByRole('button', { name: 'Face: Anna Lee' }).waitFor();
      expect(await listFaults(page)).toEqual([]);
      await press(page, 'Close the faces');
    },
  );

  step('on a phone the pages of people fit the screen', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/people');
    await phone.page.locator('[data-part=face-grid]').getByRole('link', { name: 'Anna Lee' }).tap();
    await pictures(phone.page, 2);
    expect(await listFaults(phone.page)).toEqual([]);
    await eventually(() => getPageWidth(phone.page)).toBe(390);
    await phone.page.locator('[data-part=tile-link]').first().tap();
    await phone.page.getByRole('button', { name: 'More actions' }).tap();
    await phone.page.getByRole('menuitem', { name: 'Faces' }).tap();
    await phone.page.locator('[data-part=face-box]').first().tap();
    await phone.page.getByRole('button', { name: 'Not a face' }).waitFor();
    await leavePhone(phone);
  });
});

chapter('documents', () => {
  let assetId: string;
  beforeEach(async () => {
    stage = await openStage();
    ({ api } = stage);
    [assetId] = (await stage.add(daysOfMay(1))) as [string];
    const { db } = stage.database;
    const lines = ['Corner Bakery Ltd', 'Invoice', 'Date: 2024-03-05', 'TOTAL 42.50 EUR'];
    await saveRecognizedText({ db }, { assetId, ownerId: stage.account.id }, lines);
    ada = await enter(stage, { at: '/documents' });
    ({ page } = ada);
  }, TIMEOUT_MS);

  step('a document is found by its text, and recognised text can be corrected', async () => {
    await page.getByLabel('Find in documents').fill('bakery');
    await page.locator('[data-part=document-card]', { hasText: 'Corner Bakery' }).click();
    await page.locator('[data-part=document-picture] polygon').nth(3).waitFor();
    await page.locator('[data-part=document-line]', { hasText: 'Corner Bakery' }).hover();
    await eventually(() =>
      page.locator('[data-part=document-picture] polygon[data-state=lit]').count(),
    ).toBe(1);
    expect(await listFaults(page)).toEqual([]);

    await press(page, 'Correct “Corner Bakery Ltd”');
    await page.getByLabel('Correct text').fill('Corner Brewery Ltd');
    await press(page, 'Save');
    await page.getByText('read as “Corner Bakery Ltd”').waitFor();
    await press(page, 'Show again as it was read: “Corner Bakery Ltd”');
    await press(page, 'Dismiss “Corner Bakery Ltd”');
    await page
      .locator('[data-part=document-line][data-state=off]', { hasText: 'Corner Bakery Ltd' })
      .waitFor();

    await press(page, 'Confirm Date');
    await page.locator('[data-part=document-field] .tag').waitFor();
    await press(page, 'Undo the decision about Date');
    await press(page, 'Dismiss Date');
    await page.locator('[data-part=document-field][data-state=off]').waitFor();
  });
});

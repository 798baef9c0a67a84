import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { saveRecognizedText } from '../support/recognized-text.ts';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, holdToast, pictures, press, toast, undo, getPageWidth } from './people.ts';
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

// People and faces in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];
/** Anna is on two photos; Ben and one without a name on one each. */
let people: { id: string }[];

beforeAll(async () => {
  stage = await openStage();
  ({ api } = stage);
  // Else a person without a name is listed with three faces only.
  await api('PUT', '/users/me/preferences', { people: { minimumFaces: 1 } });
  ids = await stage.add(daysOfMay(3));
  people = await Promise.all(
    [{ name: 'Anna' }, { name: 'Ben' }, {}].map((body) => api('POST', '/people', body)),
  );
  for (const [at, person] of [people[0], people[1], people[2], people[0]].entries()) {
    await face(ids[at % 3]!, person!.id, at === 3 ? 500 : 100);
  }
  await lookAlike();
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 3);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const face = (assetId: string, personId: string, x: number) =>
  api('POST', '/faces', {
    assetId,
    personId,
    x,
    y: 100,
    width: 150,
    height: 200,
    imageWidth: 900,
    imageHeight: 600,
  });

/** One vector for all faces, as if a model had seen them. */
async function lookAlike(): Promise<void> {
  const { sql } = stage.database;
  const vector = Buffer.from(new Uint16Array([0x3c00, 0, 0, 0]).buffer);
  await sql`insert into embedding_model (model_id, dimension, slots) values ('test', 4, 100)`;
  await sql`
    insert into embedding (model, subject_id, kind, slot, vector)
    select embedding_model.id, face.id, 'face', row_number() over () - 1, ${vector}
    from face, embedding_model`;
  await sql`update face set model_id = 'test'`;
}

const names = () => page.locator('[data-part=face-grid] [data-part=face-name]').allTextContents();
const shows = (list: string[]) =>
  until(`the people ${list.join()}`, async () => (await names()).join() === list.join());
const pairs = (count: number) =>
  until(
    `${count} pairs`,
    async () => (await page.locator('[data-part=suggestion]').count()) === count,
  );

/** The pictures that follow a change are made and on the page: a 404 on the way to one is no fault. */
const settled = (shown: () => Promise<Pictured[]>) =>
  until('the pictures of all who are shown', async () => {
    const { active, waiting } = (await api('GET', '/jobs')).thumbnailGeneration.jobCounts;
    if (active + waiting > 0) return false;
    const here = await page
      .locator('.face-picture img')
      .evaluateAll((list) =>
        (list as HTMLImageElement[]).filter((one) => one.complete).map((one) => one.src),
      );
    return (await shown()).every(
      ({ thumbnailPath, updatedAt }) =>
        !thumbnailPath || here.some((src) => src.endsWith(encodeURIComponent(updatedAt))),
    );
  });
type Pictured = { thumbnailPath: string; updatedAt: string };

const { step } = journey('an owner names people and corrects recognised text', TIMEOUT_MS);

step('named people come first and are found by name', async () => {
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await shows(['Anna', 'Ben', 'No name yet']);
  await pairs(3);
  expect(await listFaults(page)).toEqual([]);
  await page.getByLabel('Find a person').fill('be');
  await shows(['Ben']);
  await page.getByLabel('Find a person').fill('');
  await shows(['Anna', 'Ben', 'No name yet']);
});

step('each decision about a suggested pair can be made and undone', async () => {
  // Ignored people are in no pair.
  for (const [verdict, left, done] of [
    ['Different people', 2, 'They stay two people'],
    ['Ask me later', 2, 'You will be asked again in a month'],
    ['Ignore the unnamed', 1, 'You will not be asked about this person'],
  ] as const) {
    await page.getByRole('button', { name: verdict }).first().click();
    await holdToast(page, done);
    await pairs(left);
    await undo(page, done);
    await pairs(3);
  }
  const pair = page.locator('[data-part=suggestion]', { hasText: 'No name yet' }).first();
  await pair.getByRole('button', { name: 'Same person' }).click();
  await holdToast(page, 'Merged into one person');
  await shows(['Anna', 'Ben']);
  await settled(async () => (await api('GET', '/people')).people);
  await undo(page, 'Merged into one person');
  await shows(['Anna', 'Ben', 'No name yet']);
});

step('a person has a page with photos, a name and a birth date', async () => {
  await page.locator('[data-part=face-grid]').getByRole('link', { name: 'Anna' }).click();
  await pictures(page, 1);
  await page.getByLabel('Name', { exact: true }).fill('Anna Lee');
  await page.keyboard.press('Enter');
  await press(page, 'Add a birth date');
  await page.getByLabel('Birth date', { exact: true }).last().fill('1990-02-03');
  await press(page, 'Save');
  await page.getByRole('button', { name: /^Born 3 February 1990/ }).waitFor();
  await eventually(() => api('GET', `/people/${people[0]!.id}`)).toMatchObject({
    name: 'Anna Lee',
    birthDate: '1990-02-03',
  });
  expect(await listFaults(page)).toEqual([]);
});

step('a person can be hidden and shown again', async () => {
  await press(page, 'Hide this person');
  await toast(page, 'Hidden from people');
  await page.goto('/people');
  await shows(['Ben', 'No name yet']);
  await press(page, 'Show hidden people');
  await shows(['Ben', 'No name yet', 'Anna Lee']);
  await page.locator('[data-part=face-grid]').getByRole('link', { name: 'Anna Lee' }).click();
  await press(page, 'Show among people');
  await toast(page, 'Shown again');
});

step('a merge can be undone from the history', async () => {
  await press(page, 'Merge with another');
  await page.getByRole('dialog').getByRole('button', { name: 'Ben' }).click();
  await toast(page, 'Merged into one person');
  await pictures(page, 2);
  await settled(async () => [await api('GET', `/people/${people[0]!.id}`)]);
  await press(page, 'What was decided');
  await page.getByRole('button', { name: /^Undo: Merged/ }).click();
  await toast(page, 'Taken back');
  await press(page, 'Close');
  await pictures(page, 1);
});

step('a face can be drawn on a photo and assigned to a new person', async () => {
  await page.goto(`/photos/${ids[1]}`);
  await press(page, 'Faces');
  await page.getByRole('button', { name: 'Face: Ben' }).waitFor();
  await press(page, 'Draw a face');
  const { x, y, width, height } = (await page.locator('[data-part=faces-picture]').boundingBox())!;
  await page.mouse.move(x + width * 0.6, y + height * 0.3);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.8, y + height * 0.7, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('dialog', { name: 'Who is it?' }).getByRole('textbox').fill('Cleo');
  await press(page, 'New person “Cleo”');
  await page.getByRole('button', { name: 'Face: Cleo' }).waitFor();
  const drawn = await until('the face of Cleo', async () =>
    (await api('GET', `/faces?id=${ids[1]}`)).find(({ person }: any) => person.name === 'Cleo'),
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
    await holdToast(page, 'Hidden: it is no face');
    await page.getByRole('button', { name: 'Face: Cleo, hidden' }).waitFor();
    await undo(page, 'Hidden: it is no face');
    await page.getByRole('button', { name: 'Face: Cleo', exact: true }).waitFor();
    await press(page, 'Somebody else');
    await page
      .getByRole('dialog', { name: 'Who is it?' })
      .getByRole('button', { name: 'Anna Lee' })
      .click();
    await page.getByRole('button', { name: 'Face: Anna Lee' }).waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Close the faces');
  },
);

step('a document is found by its text, and recognised text can be corrected', async () => {
  const { db } = stage.database;
  const lines = ['Corner Bakery Ltd', 'Invoice', 'Date: 2024-03-05', 'TOTAL 42.50 EUR'];
  const { ownerId } = await api('GET', `/assets/${ids[0]}`);
  await saveRecognizedText({ db }, { assetId: ids[0]!, ownerId }, lines);
  await page.goto('/documents');
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
  await press(page, 'Take back what was decided about Date');
  await press(page, 'Dismiss Date');
  await page.locator('[data-part=document-field][data-state=off]').waitFor();
});

step('on a phone the pages of people fit the screen', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/people');
  await phone.page.locator('[data-part=face-grid]').getByRole('link', { name: 'Anna Lee' }).tap();
  await pictures(phone.page, 2);
  expect(await listFaults(phone.page)).toEqual([]);
  await eventually(() => getPageWidth(phone.page)).toBe(390);
  await phone.page.locator('[data-part=tile-link]').first().tap();
  await phone.page.getByRole('button', { name: 'Faces' }).tap();
  await phone.page.locator('[data-part=face-box]').first().tap();
  await phone.page.getByRole('button', { name: 'Not a face' }).waitFor();
  await leavePhone(phone);
});

step('no errors were reported', () => {
  // A thumbnail is withdrawn at once when its face is another's, and there again when it is rendered.
  const isWithdrawn = (problem: string) =>
    /status of 404 .*\/people\/[^/]+\/thumbnail/.test(problem);
  expect(ada.problems.filter((problem) => !isWithdrawn(problem))).toEqual([]);
});

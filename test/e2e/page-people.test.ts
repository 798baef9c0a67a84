import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visitor } from './browser.ts';
import { addFace } from './faces.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, holdToast, pictures, press, toast, undo } from './people.ts';
import { until } from './server.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// People in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
/** Anna is on one photo twice; Ben and one without a name on one each. */
let people: { id: string }[];
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  // Else a person without a name is listed with three faces only.
  await api('PUT', '/users/me/preferences', { people: { minimumFaces: 1 } });
  ids = await stage.add(daysOfMay(3));
  people = await Promise.all(
    [{ name: 'Anna' }, { name: 'Ben' }, {}].map((body) => api('POST', '/people', body)),
  );
  for (const [at, person] of [people[0], people[1], people[2], people[0]].entries()) {
    await addFace(api, { assetId: ids[at % 3]!, personId: person!.id, x: at === 3 ? 500 : 100 });
  }
  await lookAlike();
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 3);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  // A thumbnail is withdrawn at once when its face is another's, and there again when it is rendered.
  const isWithdrawn = (problem: string) =>
    /status of 404 .*\/people\/[^/]+\/thumbnail/.test(problem);
  expect(ada.problems.filter((problem) => !isWithdrawn(problem))).toEqual([]);
}, TIMEOUT_MS);

/** One vector for all faces of the account, as if a model had seen them. */
async function lookAlike(): Promise<void> {
  const { sql } = stage.database;
  const { id: ownerId } = stage.account;
  const model = `test-${crypto.randomUUID()}`;
  const vector = Buffer.from(new Uint16Array([0x3c00, 0, 0, 0]).buffer);
  await sql`insert into embedding_model (model_id, dimension, slots) values (${model}, 4, 100)`;
  await sql`
    insert into embedding (model, subject_id, kind, slot, vector)
    select embedding_model.id, face.id, 'face', row_number() over () - 1, ${vector}
    from face, embedding_model
    where face.owner_id = ${ownerId} and embedding_model.model_id = ${model}`;
  await sql`update face set model_id = ${model} where owner_id = ${ownerId}`;
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

const { step } = journey('an owner names people', TIMEOUT_MS);

step('photos are named by the people on them', async () => {
  const listPhotos = () =>
    page
      .locator('[data-part=tile-link]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')!.slice(0, 16)));
  await eventually(listPhotos).toEqual([
    'Photo, Fri, 3 Ma',
    'Photo, Ben, Thu,',
    'Photo, Anna, Wed',
  ]);
});

step('named people come first and are found by name', async () => {
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await shows(['Anna', 'Ben', 'Unnamed person']);
  await pairs(3);
  expect(await listFaults(page)).toEqual([]);
  await page.getByLabel('Find a person').fill('be');
  await shows(['Ben']);
  await page.getByLabel('Find a person').fill('');
  await shows(['Anna', 'Ben', 'Unnamed person']);
});

step('each decision about a suggested pair can be made and undone', async () => {
  // Ignored people are in no pair.
  for (const [verdict, left, done] of [
    ['Different people', 2, 'They stay two people'],
    ['Ask me later', 2, 'You will be asked again in a month'],
    ['Ignore Unnamed person', 1, 'You will not be asked about this person'],
  ] as const) {
    await page.getByRole('button', { name: verdict }).first().click();
    await holdToast(page, done);
    await pairs(left);
    await undo(page, done);
    await pairs(3);
  }
  const pair = page.locator('[data-part=suggestion]', { hasText: 'Unnamed person' }).first();
  await pair.getByRole('button', { name: 'Same person' }).click();
  await holdToast(page, 'Merged into one person');
  await shows(['Anna', 'Ben']);
  await settled(async () => (await api('GET', '/people')).people);
  await undo(page, 'Merged into one person');
  await shows(['Anna', 'Ben', 'Unnamed person']);
});

step('people without a name are named in a row by the keyboard', async () => {
  const { id: other } = await api('POST', '/people', {});
  await addFace(api, { assetId: ids[1]!, personId: other, x: 600 });
  await page.reload();
  await shows(['Anna', 'Ben', 'Unnamed person', 'Unnamed person']);
  const dialog = page.getByRole('dialog', { name: 'Who is this?' });
  const field = dialog.getByRole('textbox');
  const asks = async (step: string) => {
    await dialog.getByText(step).waitFor();
    await eventually(() => field.evaluate((it) => it === document.activeElement)).toBe(true);
  };
  await press(page, 'Name people');
  await asks('1 of 2');
  expect(await listFaults(page)).toEqual([]);
  await page.keyboard.type('Cleo');
  await page.keyboard.press('Enter');
  await asks('2 of 2');
  // The name of somebody who is known means them.
  await page.keyboard.type('anna');
  await page.keyboard.press('Enter');
  await dialog.getByText('That was everybody.').waitFor();
  await undo(page, 'This is Anna');
  await asks('2 of 2');
  await press(page, 'Skip');
  await dialog.getByText('That was everybody.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await shows(['Anna', 'Ben', 'Cleo', 'Unnamed person']);
  await undo(page, 'This is Cleo');
  await shows(['Anna', 'Ben', 'Unnamed person', 'Unnamed person']);
  await press(page, 'Name people');
  await asks('1 of 2');
  // Arrows lead to those who are suggested.
  await page.keyboard.type('be');
  await dialog.getByRole('button', { name: 'Ben', exact: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await holdToast(page, 'This is Ben');
  await undo(page, 'This is Ben');
  await asks('1 of 2');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await api('DELETE', `/people/${other}`);
  await page.reload();
  await shows(['Anna', 'Ben', 'Unnamed person']);
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
  // Its "Undo" would be pressed while that of the next change is still on its way.
  const toast = page.locator('[data-part=toast]', { hasText: 'Birth date changed' });
  await toast.getByRole('button', { name: 'Dismiss' }).click();
  await toast.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Born 3 February 1990/ }).click();
  await page.getByLabel('Birth date', { exact: true }).last().fill('1991-02-03');
  await press(page, 'Save');
  await page.getByRole('button', { name: /^Born 3 February 1991/ }).waitFor();
  await undo(page, 'Birth date changed');
  await page.getByRole('button', { name: /^Born 3 February 1990/ }).waitFor();
  expect(await listFaults(page)).toEqual([]);
});

step('the search knows who a person is to the owner, and the days of their birthdays', async () => {
  await page.getByLabel('Relation').selectOption('My daughter');
  await holdToast(page, 'Saved');
  await eventually(() => api('GET', `/people/${people[0]!.id}/relation`)).toEqual({
    relation: 'daughter',
  });
  await undo(page, 'Saved');
  await eventually(() => page.getByLabel('Relation').inputValue()).toBe('');
  await page.getByLabel('Relation').selectOption('My daughter');
  await toast(page, 'Saved');
  await page.goto('/search?q=my daughter');
  await pictures(page, 1);
  await eventually(() => page.locator('.chip').allTextContents()).toEqual([' Anna Lee']);
  await page.goto("/search?q=my daughter's birthday");
  await page.getByText('Nothing found').waitFor();
  await eventually(() => page.locator('.chip').allTextContents()).toEqual([' Birthday: Anna Lee']);
  await page.goto(`/people/${people[0]!.id}`);
  await pictures(page, 1);
});

step('a person can be hidden and shown again', async () => {
  await press(page, 'Hide this person');
  await undo(page, 'Hidden from people');
  await press(page, 'Hide this person');
  await toast(page, 'Hidden from people');
  await page.goto('/people');
  await shows(['Ben', 'Unnamed person']);
  await press(page, 'Show hidden people');
  await shows(['Ben', 'Unnamed person', 'Anna Lee']);
  await page.locator('[data-part=face-grid]').getByRole('link', { name: 'Anna Lee' }).click();
  await press(page, 'Show among people');
  await toast(page, 'Shown again');
});

step('a merge can be undone from the history', async () => {
  // No face of hers is known.
  const { id: zoe } = await api('POST', '/people', { name: 'Zoe' });
  const chooseBen = async () => {
    await press(page, 'Merge with another');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Ben' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Zoe' }).count()).toBe(0);
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Show everybody');
    await dialog.getByRole('button', { name: 'Zoe' }).waitFor();
    await dialog.getByRole('button', { name: 'Ben' }).click();
  };
  await chooseBen();
  // Nothing happens before both faces were seen.
  const question = page.getByRole('dialog', { name: 'Is this the same person?' });
  await eventually(() => question.locator('.face-picture').count()).toBe(2);
  await question.getByText('Anna Lee').waitFor();
  expect(await listFaults(page)).toEqual([]);
  await press(page, 'Cancel');
  await pictures(page, 1);
  await chooseBen();
  await question.getByRole('button', { name: 'Merge', exact: true }).click();
  await toast(page, 'Merged into one person');
  await pictures(page, 2);
  await settled(async () => [await api('GET', `/people/${people[0]!.id}`)]);
  await press(page, 'History');
  await page.getByRole('button', { name: /^Undo: Merged/ }).click();
  await toast(page, 'Undone');
  await press(page, 'Close');
  await pictures(page, 1);
  await api('DELETE', `/people/${zoe}`);
});

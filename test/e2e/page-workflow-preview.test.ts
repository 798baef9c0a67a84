import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { core } from '../support/workflows.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { getDialog, go, press } from './people.ts';
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

// The preview of a workflow that is being written, and the question before it is left, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;

beforeEach(async () => {
  stage = await openStage();
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(visitor.problems.filter((text) => !text.includes('status of 400'))).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const getStep = (at: number, on = page) => on.getByRole('listitem', { name: `Step ${at}:` });
const getPreview = (on = page) => on.getByRole('region', { name: 'Preview' });
const pictures = () => getPreview().getByRole('listitem');
const addStep = async (name: string, on = page) => {
  await on.getByLabel('Add a step', { exact: true }).selectOption(name);
  await press(on, 'Add a step');
};

const { chapter, step } = journey(
  'an owner sees what a workflow would do before it does it',
  TIMEOUT_MS,
);

chapter('the preview', () => {
  let ids: string[];

  step('without steps, and without items, the preview says so', async () => {
    await go(page, 'Workflows');
    await press(page, 'New workflow');
    await getPreview().getByText('Items that the steps would have matched appear here.').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await addStep('Add to favorites');
    await getPreview().getByText('There are no items yet').waitFor();
    await press(page, 'Remove step 1');
    await go(page, 'Workflows');
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
    ids = await stage.add(daysOfMay(3));
  });

  step('it follows the steps, with a thumbnail of each match', async () => {
    await press(page, 'New workflow');
    await addStep('File name');
    await getStep(1).getByLabel('Text').fill('2.jpg');
    await getPreview().getByText('Would have matched 1 of your 3 items').waitFor();
    await until('one picture', async () => (await pictures().count()) === 1);
    const link = pictures().getByRole('link', { name: 'Show item 1 in a new tab' });
    await eventually(() => link.getAttribute('href')).toBe(`/photos/${ids[1]}`);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getStep(1).getByLabel('Text').fill('.jpg');
    await getPreview().getByText('Would have matched 3 of your 3 items').waitFor();
    await eventually(() => pictures().count()).toBe(3);
    await getStep(1).getByLabel('Text').fill('.png');
    await getPreview().getByText('Would have matched 0 of your 3 items').waitFor();
    await eventually(() => pictures().count()).toBe(0);
  });

  step('it says what still waits for recognition', async () => {
    await getStep(1).getByLabel('Text').fill('.jpg');
    await addStep('Document');
    await getPreview().getByText('3 items wait for recognition').waitFor();
    await press(page, 'Remove step 2');
    await getPreview().getByText('3 items wait').waitFor({ state: 'detached' });
  });

  step('a step that cannot run says why, before anything is saved', async () => {
    await addStep('Day taken');
    await getStep(2).getByRole('alert').waitFor();
    await getPreview().getByText('The steps cannot run yet.').waitFor();
    await eventually(() => getStep(1).getByRole('alert').count()).toBe(0);
    await eventually(() => pictures().count()).toBe(0);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await press(page, 'Remove step 2');
    await getPreview().getByText('of your 3 items').waitFor();
  });

  step('the preview is there on a phone', async () => {
    const phone = await onPhone(stage, visitor);
    await phone.page.goto('/workflows/new');
    await addStep('Photos or videos', phone.page);
    await getStep(1, phone.page).getByLabel('Videos').check();
    await getPreview(phone.page).getByText('Would have matched 0 of your 3 items').waitFor();
    expect(await listFaults(phone.page)).toEqual([]);
    const refused = phone.problems.splice(0);
    expect(refused.filter((text) => !text.includes('status of 400'))).toEqual([]);
    await leavePhone(phone);
  });
});

chapter('leaving the page', () => {
  step('a link asks before the changes are lost, and Cancel keeps them', async () => {
    await go(page, 'Workflows');
    await press(page, 'New workflow');
    await addStep('File name');
    await getStep(1).getByLabel('Text').fill('.jpg');
    await go(page, 'Albums');
    await getDialog(page).getByText('Your changes are lost.').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getDialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL('**/workflows/new');
    await eventually(() => getStep(1).getByLabel('Text').inputValue()).toBe('.jpg');
  });

  step('the Back button asks too, and Leave goes back', async () => {
    await page.evaluate(() => history.back());
    await getDialog(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
    await page.waitForURL('**/workflows');
    await go(page, 'Albums');
    await page.getByRole('heading', { name: 'Albums', level: 1 }).waitFor();
  });

  step('a closed tab asks while something is unsaved', async () => {
    const tab = await visitor.context.newPage();
    await tab.goto('/workflows/new');
    await tab.getByLabel('Name', { exact: true }).fill('Half');
    const asked = tab.waitForEvent('dialog');
    await tab.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await until('the tab is closed', async () => tab.isClosed());
  });

  step('a saved workflow is left without a question', async () => {
    await stage.add(daysOfMay(3));
    const steps = [core('assetFileFilter', { pattern: '1.jpg' }), core('assetFavorite')];
    const made = await stage.api('POST', '/workflows', {
      trigger: 'AssetCreate',
      name: 'Ones',
      steps,
    });
    await page.goto(`/workflows/${made.id}`);
    await getPreview().getByText('Would have matched 1 of your 3 items').waitFor();
    await go(page, 'Workflows');
    await page.getByRole('article', { name: 'Ones' }).getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('First');
    await press(page, 'Save');
    await page.getByRole('article', { name: 'First' }).waitFor();
    await eventually(() => getDialog(page).count()).toBe(0);
  });
});

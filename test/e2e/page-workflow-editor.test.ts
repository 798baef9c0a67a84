import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { addBob } from './memories.ts';
import { addUser, type Api, getDialog, go, press, toast } from './people.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// The editor of workflows in a real browser, on a desktop and a phone.

let stage: Stage;
let ids: string[];
let visitor: Visitor;
let page: Page;
let api: Api;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(3));
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(visitor.problems.filter((text) => !text.includes('status of 400'))).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const card = (name: string) => page.getByRole('article', { name, exact: true });
const getStep = (at: number) => page.getByRole('listitem', { name: `Step ${at}:` });
const isNamed = (wanted: string) => (workflow: { name: string }) => workflow.name === wanted;
const JSON_FILE = { name: 'workflow.json', mimeType: 'application/json' };
const entries = () => page.getByRole('list', { name: 'Log' }).getByRole('listitem');
const tagPhoto = async (id: string): Promise<void> => {
  const [tag] = await api('PUT', '/tags', { tags: ['Sea'] });
  await api('PUT', `/tags/${tag.id}/assets`, { ids: [id] });
};

const { chapter, step } = journey('an owner writes workflows', TIMEOUT_MS);

chapter('a workflow from a template', () => {
  step('a workflow is made from a template, and a step of it edited', async () => {
    await api('PUT', '/tags', { tags: ['Sea'] });
    await go(page, 'Workflows');
    await press(page, 'New from template');
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getDialog(page)
      .getByRole('button', { name: /Archive screenshots/ })
      .click();
    await page.waitForURL('**/workflows/new');
    await page.getByLabel('Name', { exact: true }).fill('Second photo');
    await page.getByLabel('Trigger').selectOption('When an item is tagged');
    await getStep(1).getByLabel('Text').fill('(');
    await getStep(1).getByLabel('Comparison').selectOption('matches the regular expression');
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await press(page, 'Save');
    await getStep(1).getByText('Invalid expression').waitFor();
    await eventually(() => getStep(2).getByRole('alert').count()).toBe(0);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getStep(1).getByLabel('Text').fill('^2[.]jpg$');
    await press(page, 'Save');
    await card('Second photo').getByText('“^2[.]jpg$”, matches the regular expression').waitFor();
  });

  step('steps are added, moved by key and by button, switched off and removed', async () => {
    await card('Second photo').getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Add a step', { exact: true }).selectOption('Add a tag');
    await press(page, 'Add a step');
    await getStep(4).getByLabel('Add: Tags').selectOption('Sea');
    await getStep(4).getByRole('button', { name: 'Remove Sea' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await getStep(3).getByText('Sea').waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe(
      'Remove Sea',
    );
    await press(page, 'Move step 3 up');
    await getStep(2).getByText('Sea').waitFor();
    await getStep(2).getByLabel('Step is switched on').uncheck();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await press(page, 'Remove step 4');
    await press(page, 'Save');
    await card('Second photo').getByText('Switched off').waitFor();
    const saved = (await api('GET', '/workflows')).find(isNamed('Second photo'));
    expect(saved.steps.map(({ method }: { method: string }) => method.split('#')[1])).toEqual([
      'assetFileFilter',
      'assetAddTags',
      'assetArchive',
    ]);
    expect(saved.steps.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([
      true,
      false,
      true,
    ]);
    expect(saved.steps[1].config).toEqual({ tags: [expect.any(String)] });
  });

  step('it works on the photo that it names, as its log tells, and on no other', async () => {
    await tagPhoto(ids[1]!);
    await tagPhoto(ids[2]!);
    await card('Second photo').getByRole('link', { name: 'Log' }).click();
    await entries().getByText('Did not match').waitFor();
    const done = entries().filter({ hasText: 'Completed' });
    await done.getByRole('link', { name: 'Show the item' }).click();
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor();
    await page.waitForURL(`**/*${ids[1]}*`);
    await eventually(async () => (await api('GET', `/assets/${ids[1]}`)).visibility).toBe(
      'archive',
    );
    await eventually(async () => (await api('GET', `/assets/${ids[2]}`)).visibility).toBe(
      'timeline',
    );
    await page.goBack();
  });

  step('an exported workflow is imported, and another file is refused', async () => {
    await go(page, 'Workflows');
    const waiting = page.waitForEvent('download');
    await card('Second photo').getByRole('link', { name: 'Export' }).click();
    const download = await waiting;
    expect(download.suggestedFilename()).toBe('Second photo.json');
    const input = page.getByLabel('Workflow to import');
    await input.setInputFiles({ ...JSON_FILE, buffer: Buffer.from('[]') });
    await toast(page, 'This file holds no workflow.');
    const buffer = Buffer.from(await Bun.file(await download.path()).arrayBuffer());
    await input.setInputFiles({ ...JSON_FILE, buffer });
    await page.waitForURL('**/workflows/new');
    await eventually(() => getStep(1).getByLabel('Text').inputValue()).toBe('^2[.]jpg$');
    await page.getByLabel('Name', { exact: true }).fill('Copy');
    await press(page, 'Save');
    await card('Copy').waitFor();
  });
});

chapter('a new workflow', () => {
  step(
    'an account is chosen by name, and a webhook to another host refused at its step',
    async () => {
      // Its name is longer than a phone is wide.
      await addUser(api, 'Somebody whose name is longer than any other of this server');
      const bob = await addBob(api);
      const users: { id: string; name: string }[] = await api('GET', '/users');
      const others = users.filter(({ id }) => id !== stage.account.id).map(({ name }) => name);
      await go(page, 'Workflows');
      await press(page, 'New workflow');
      await page.getByLabel('Name', { exact: true }).fill('To Bob');
      const add = async (name: string) => {
        await page.getByLabel('Add a step', { exact: true }).selectOption(name);
        await press(page, 'Add a step');
      };
      await add('Share in an album of the person');
      const accounts = getStep(1).getByLabel('Add: Share with');
      await eventually(async () =>
        (await accounts.locator('option').allTextContents()).toSorted(),
      ).toEqual(['Add …', ...others].toSorted());
      await accounts.selectOption(bob.name);
      await add('Webhook');
      await getStep(2).getByLabel('Address').fill('https://10.0.0.1/');
      await press(page, 'Save');
      await getStep(2)
        .getByText('The administrator has not listed 10.0.0.1 for webhooks.')
        .waitFor();
      expect(await listFaultsOfLooks(page)).toEqual([]);
      await press(page, 'Remove step 2');
      await press(page, 'Save');
      await card('To Bob').getByText(`“${bob.name}”`).waitFor();
      const saved = (await api('GET', '/workflows')).find(isNamed('To Bob'));
      expect(saved.steps[0].config).toEqual({ personIds: [], userIds: [bob.id] });
    },
  );

  step('a workflow is made on a phone', async () => {
    const phone = await onPhone(stage, visitor);
    await phone.page.goto('/workflows');
    await press(phone.page, 'New workflow');
    await phone.page.getByLabel('Name', { exact: true }).fill('From my phone');
    for (const method of ['Place', 'Day taken', 'People', 'Combined filters', 'Add to album']) {
      await phone.page.getByLabel('Add a step', { exact: true }).selectOption(method);
      await press(phone.page, 'Add a step');
    }
    await phone.page.getByLabel('Use “Name of the place”').check();
    await phone.page.getByLabel('City').fill('Oslo');
    await phone.page.getByLabel('Add a filter', { exact: true }).selectOption('Weekday');
    await press(phone.page, 'Add a filter');
    await phone.page.getByLabel('Sunday').check();
    expect(await listFaults(phone.page)).toEqual([]);
    await press(phone.page, 'Save');
    await phone.page
      .getByRole('listitem', { name: 'Step 2: Day taken' })
      .getByRole('alert')
      .waitFor();
    await press(phone.page, 'Remove step 2');
    await press(phone.page, 'Save');
    const made = phone.page.getByRole('article', { name: 'From my phone' });
    await made.getByText('Oslo').waitFor();
    await made.getByText('All, Weekday').waitFor();
    const refused = phone.problems.splice(0);
    expect(refused.filter((text) => !text.includes('status of 400'))).toEqual([]);
    await leavePhone(phone);
  });
});

import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { goToAdmin } from './people.ts';
import { enter, leavePhone, onPhone, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The versions and licences of the server, and the profile of its machine, which is changed, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openOwnStage();
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const packages = (on = page) =>
  on.getByRole('region', { name: 'Licenses of the included packages' }).getByRole('listitem');

const { step } = journey('an administrator sees what the server is made of', TIMEOUT_MS);

step('the versions of the server and of its tools are shown', async () => {
  await goToAdmin(page, 'About');
  await page.getByRole('heading', { name: 'About', level: 1 }).waitFor();
  const versions = page.getByRole('region', { name: 'Versions' });
  await versions.getByText('PostgreSQL').waitFor();
  const version = expect.stringMatching(/^v?\d+\.\d+/);
  await eventually(() => versions.getByRole('definition').allInnerTexts()).toEqual(
    Array.from({ length: 7 }, () => version),
  );
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('a package is found and its licence read, by key', async () => {
  await page.getByRole('searchbox', { name: 'Search the packages' }).fill('react-dom');
  await page.getByText('1 package', { exact: true }).waitFor();
  await eventually(() => packages().count()).toBe(1);
  await packages().getByText('react-dom').focus();
  await page.keyboard.press('Enter');
  await packages().getByText('Permission is hereby granted').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step(
  'the profile of the machine is changed, and a restart asked for where it is needed',
  async () => {
    const machine = page.getByRole('region', { name: 'Machine' });
    const { inferenceMemoryBytes } = await stage.api('GET', '/admin/machine');
    const isLarge = inferenceMemoryBytes === 1024 ** 3;
    await machine.getByLabel('Profile').selectOption(isLarge ? 'small' : 'large');
    await machine.getByRole('button', { name: 'Save', exact: true }).click();
    await machine.getByText('Restart the server').waitFor();
    const { machineLearning } = await stage.api('GET', '/admin/config');
    expect(machineLearning.enabled).toBe(!isLarge);
    await page.getByText('This server has no certificate').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
  },
);

step('a phone shows the same', async () => {
  const phone = await onPhone(stage, visitor);
  await phone.page.goto('/admin/about');
  await packages(phone.page).getByText('libvips').click();
  await packages(phone.page).getByText('GNU LESSER GENERAL PUBLIC LICENSE').waitFor();
  await leavePhone(phone);
  expect(visitor.problems).toEqual([]);
});

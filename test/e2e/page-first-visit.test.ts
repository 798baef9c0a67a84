import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { type Visitor, visit } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { press } from './people.ts';
import { type EmptyStage, openEmptyStage, TIMEOUT_MS } from './stage.ts';

// The first page of a server that has no accounts yet, in a real browser.

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' };

let stage: EmptyStage;
let ada: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openEmptyStage();
  ada = await visit(stage.browser, stage.server.url);
  ({ page } = ada);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const getPath = () => new URL(page.url()).pathname;

const { step, chapter } = journey('the administrator of a new server sets it up', 2 * TIMEOUT_MS);

chapter('the first visit', () => {
  step('leads from the account to the setup', async () => {
    await page.goto('/');
    await page.getByLabel('Name').fill(ADA.name);
    await page.getByLabel('Email').fill(ADA.email);
    await page.getByLabel('Password', { exact: true }).fill(ADA.password);
    await page.getByLabel('Password again').fill(ADA.password);
    await press(page, 'Create account');
    await page.getByRole('heading', { level: 1, name: 'Welcome to Safelight' }).waitFor();
    await page.getByRole('link', { name: 'Language', exact: true }).waitFor();
    await eventually(getPath).toBe('/setup');
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('speaks another language at once', async () => {
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.getByRole('combobox', { name: 'Sprache' }).waitFor();
    await eventually(getPath).toBe('/setup');
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('en');
    await page.getByRole('combobox', { name: 'Language' }).waitFor();
    expect(ada.problems).toEqual([]);
  });
});

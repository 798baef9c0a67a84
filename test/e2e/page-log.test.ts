import { afterEach, beforeEach, expect } from 'bun:test';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getPageWidth, goToAdmin, PHONE, press } from './people.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The log of the server, in a real browser.

let stage: Stage;
let ada: Visitor;

beforeEach(async () => {
  stage = await openStage();
  ada = await enter(stage);
  await goToAdmin(ada.page, 'Log');
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

/** Makes the server warn: it tells the address of whoever is refused. */
const failToLogIn = () =>
  fetch(`${stage.server.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, password: 'wrong' }),
  });

const { step } = journey('an administrator reads the log', TIMEOUT_MS);

step('which grows while it is read', async () => {
  const refused = ada.page.getByRole('log').getByText('login refused');
  await ada.page.getByRole('log').locator('p[data-level]').first().waitFor();
  const before = await refused.count();
  await failToLogIn();
  await eventually(() => refused.count()).toBeGreaterThan(before);
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
});

step('by level and by text', async () => {
  const lines = ada.page.getByRole('log').locator('p[data-level]');
  await ada.page.getByLabel('Level').selectOption('Warnings and errors');
  await eventually(() =>
    lines.evaluateAll((found) => found.map((line) => line.getAttribute('data-level'))),
  ).not.toContain('info');
  await ada.page.getByLabel('Contains').fill('LOGIN refused');
  await eventually(() =>
    lines.evaluateAll(
      (found) => found.filter((line) => !/login refused/.test(line.textContent!)).length,
    ),
  ).toBe(0);
  await ada.page.getByLabel('Contains').fill('nothing says this');
  await ada.page.getByText('No lines.').waitFor();
  await ada.page.getByLabel('Contains').fill('');
});

step('and stops it to read in peace', async () => {
  const refused = ada.page.getByRole('log').getByText('login refused');
  await press(ada.page, 'Pause');
  const before = await refused.count();
  await failToLogIn();
  await Bun.sleep(3000);
  expect(await refused.count()).toBe(before);
  await press(ada.page, 'Pause');
  await eventually(() => refused.count()).toBeGreaterThan(before);
});

step('also on a phone', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/admin/log');
  await phone.page.getByRole('log').locator('p[data-level]').first().waitFor();
  expect(await getPageWidth(phone.page)).toBe(PHONE.viewport.width);
  expect(await listFaultsOfLooks(phone.page)).toEqual([]);
  await leavePhone(phone);
});

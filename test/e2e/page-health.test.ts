import { afterEach, beforeEach, expect } from 'bun:test';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getPageWidth, goToAdmin, PHONE, press } from './people.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The health of the server and of its nodes, in a real browser.

let stage: Stage;
let ada: Visitor;

beforeEach(async () => {
  stage = await openStage();
  ada = await enter(stage);
  await goToAdmin(ada.page, 'Health');
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('an administrator checks the health of the server', TIMEOUT_MS);

step('and finds every check with its advice', async () => {
  await ada.page.getByText(/^Checked:/).waitFor();
  const { checks } = await stage.api('POST', '/admin/health-checks');
  expect(checks.length).toBeGreaterThan(10);
  expect(await ada.page.locator('main li[data-state]').count()).toBe(checks.length);
  await ada.page.getByText('Data folder', { exact: true }).waitFor();
  const text = await ada.page.locator('main').innerText();
  const values = await ada.page
    .locator('main input')
    .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  for (const { remedy } of checks)
    if (remedy) expect([text, ...values].join('\n')).toContain(remedy);
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
});

step('again on demand', async () => {
  const answered = ada.page.waitForResponse(
    (response) => response.url().endsWith('/api/admin/health-checks') && response.ok(),
  );
  await press(ada.page, 'Check again');
  await answered;
  await ada.page.getByText(/^Checked:/).waitFor();
});

step('also on a phone', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/admin/health');
  await phone.page.getByText(/^Checked:/).waitFor();
  expect(await getPageWidth(phone.page)).toBe(PHONE.viewport.width);
  expect(await listFaultsOfLooks(phone.page)).toEqual([]);
  await leavePhone(phone);
});

step('and which processes serve the library', async () => {
  await goToAdmin(ada.page, 'Nodes');
  const node = ada.page.locator('main li[data-state="ready"]');
  await node.getByText(/Ready · Server · .*Serves this page/).waitFor();
  await node.getByText(stage.server.url, { exact: true }).waitFor();
  expect(await ada.page.locator('main li[data-state]').count()).toBe(1);
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { dataPaths } from '../../src/core/paths.ts';
import { type Visitor, visit } from './browser.ts';
import { listFaultsOfLooks } from './faults.ts';
import { press } from './people.ts';
import { until } from './server.ts';
import { type EmptyStage, openEmptyStage, TIMEOUT_MS } from './stage.ts';

// A new server is to become the one of a backup, in a real browser.

let stage: EmptyStage;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openEmptyStage();
  visitor = await visit(stage.browser, stage.server.url);
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

/** Returns the code on the console of the server, which a visitor does not see. */
function findCode(): string | undefined {
  try {
    const { maintenance } = dataPaths(stage.server.dataDir);
    return JSON.parse(readFileSync(join(maintenance, 'restore-code.json'), 'utf8')).code;
  } catch {
    return undefined;
  }
}

test(
  'a visitor of a new server enters the code of its console, and uploads a backup',
  async () => {
    await page.goto('/');
    await press(page, 'Restore a backup');
    const code = await until('a code', async () => findCode());
    expect(await page.content()).not.toContain(code);
    await page.getByLabel('Code').fill('abcd-efgh-jkmn');
    await press(page, 'Continue');
    await page.getByText('This is not the code that the server has printed.').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await page.getByLabel('Code').fill(code!);
    await press(page, 'Continue');
    await page.waitForURL('**/maintenance');
    await page.getByLabel('Upload a backup:').waitFor();
  },
  TIMEOUT_MS,
);

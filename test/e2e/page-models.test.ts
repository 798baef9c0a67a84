import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { CATALOGUE } from '../../src/inference/models/catalogue.ts';
import { journey } from '../support/journey.ts';
import { type ModelHub, startModelHub } from '../support/model-hub.ts';
import type { Visitor } from './browser.ts';
import { listFaultsOfLooks } from './faults.ts';
import { goToAdmin, press, toast } from './people.ts';
import { until } from './server.ts';
import { enter, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The models of a server, which all accounts share, in a real browser. The hub is one of the test.

const MODEL = CATALOGUE.find(({ set }) => set === 'clip')!;
const NAME = MODEL.id.replace('clip/', '');

let stage: Stage;
let ada: Visitor;
let page: Page;
let hub: ModelHub;

beforeAll(async () => {
  hub = await startModelHub(MODEL.hub!.repository);
  process.env['HF_ENDPOINT'] = hub.url;
  stage = await openOwnStage();
  delete process.env['HF_ENDPOINT'];
  ada = await enter(stage, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(() => {
  expect(ada.problems).toEqual([]);
});

afterAll(async () => {
  await stage?.close();
  await hub?.stop();
}, TIMEOUT_MS);

const getModels = () => stage.api('GET', '/admin/models');
const getCard = (on: Page = page) => on.getByRole('region', { name: 'Better search' });
const { step, chapter } = journey('an administrator downloads a model', TIMEOUT_MS);

chapter('the models', () => {
  step('are listed with licence, size and what is known of their bytes', async () => {
    await goToAdmin(page, 'Models');
    await page.getByRole('heading', { name: 'Models', exact: true }).waitFor();
    await getCard().getByText('License: MIT · Size known when it starts').waitFor();
    await getCard().getByText('Digest as its hub states it, checked and kept').waitFor();
    await page
      .getByRole('region', { name: 'Default set' })
      .getByText('Digest known')
      .first()
      .waitFor();
    expect(hub.asked).toEqual([]);
  });

  step('are downloaded after a question that names the licence, with progress', async () => {
    let open = () => {};
    hub.gate = new Promise((resolve) => (open = resolve));
    await press(page, 'Download “Better search” …');
    const dialog = page.getByRole('dialog', { name: 'Download “Better search”?' });
    await dialog.getByText('Licenses: MIT').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect((await getModels()).pull).toBeNull();
    await press(page, 'Download “Better search” …');
    await dialog.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('progressbar', { name: 'Downloading “Better search”' }).waitFor();
    await page.getByText(`${MODEL.id}/textual/model.onnx:`).waitFor();
    await press(page, 'Cancel download');
    await page.getByText('The next one resumes from there.').waitFor();
    open();
    hub.gate = undefined;
    await press(page, 'Download “Better search” …');
    await dialog.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByText('Better search is installed').waitFor();
    await getCard().getByText('Installed', { exact: true }).waitFor();
    await getCard().getByRole('button').waitFor({ state: 'hidden' });
  });

  step('of the search are chosen, with an undo, and kept for good after a question', async () => {
    // A server notices new models within seconds.
    await page.getByText(NAME, { exact: true }).waitFor();
    await press(page, 'Search with Default set');
    await toast(page, 'The search changes to Default set');
    expect((await getModels()).choice).toBe('default');
    await press(page, 'Undo');
    await until('the choice from before', async () => (await getModels()).choice === null);
    await page.getByRole('button', { name: 'Search with Default set' }).waitFor();
  });

  step('are read in all sizes, in the light and the dark', async () => {
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

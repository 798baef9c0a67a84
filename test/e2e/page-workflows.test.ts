import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { core } from '../support/workflows.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { type Api, getDialog, go, press, toast } from './people.ts';
import { until } from './server.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The list of workflows and their logs, in a real browser.

let stage: Stage;
let ids: string[];
let visitor: Visitor;
let page: Page;
let api: Api;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(3));
  await addWorkflow('Hearts', [core('assetFavorite')]);
  const filter = core('assetTypeFilter', { allowedTypes: ['VIDEO'] });
  await addWorkflow('Films', [filter, core('assetArchive')]);
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(visitor.problems.filter((text) => !text.includes('status of 400'))).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const addWorkflow = (name: string, steps: object[]) =>
  api('POST', '/workflows', { trigger: 'AssetTagged', name, logging: true, steps });
const card = (name: string) => page.getByRole('article', { name, exact: true });
const isNamed = (wanted: string) => (workflow: { name: string }) => workflow.name === wanted;
const entries = () => page.getByRole('list', { name: 'Log' }).getByRole('listitem');
const tagPhoto = async (id: string): Promise<void> => {
  const [tag] = await api('PUT', '/tags', { tags: ['Sea'] });
  await api('PUT', `/tags/${tag.id}/assets`, { ids: [id] });
};

const { chapter, step } = journey('an owner lets workflows work', TIMEOUT_MS);

chapter('the list', () => {
  step('the list tells what starts a workflow and what it does', async () => {
    await go(page, 'Workflows');
    await card('Hearts').getByText('When an item is tagged').waitFor();
    await card('Hearts').getByText('Add to favorites').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('a workflow is switched off and on', async () => {
    const isEnabled = async () => {
      const list = await api('GET', '/workflows');
      return list.find(isNamed('Hearts')).enabled;
    };
    const toggle = card('Hearts').getByRole('switch', { name: 'Run “Hearts”' });
    await toggle.uncheck();
    await until('it is off', async () => !(await isEnabled()));
    await toggle.check();
    await until('it is on', isEnabled);
  });

  step('a workflow is run for the photos that are there', async () => {
    await go(page, 'Workflows');
    await card('Hearts').getByRole('button', { name: 'Run for existing photos' }).click();
    await getDialog(page).getByText('The run concerns 3 of your 3 items').waitFor();
    await getDialog(page).getByText('You can undo the run afterwards.').waitFor();
    await getDialog(page).getByRole('button', { name: 'Run', exact: true }).click();
    const outcome = card('Hearts').getByRole('group', { name: 'Run for existing photos' });
    await outcome.getByText(/^Run for existing photos on .*: 3 of 3 matched$/).waitFor();
    for (const id of ids) {
      await until('it is done', async () => (await api('GET', `/assets/${id}`)).isFavorite);
    }
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('a run is undone, but for what was decided since', async () => {
    await api('PUT', `/assets/${ids[0]}`, { isFavorite: false });
    const outcome = card('Hearts').getByRole('group', { name: 'Run for existing photos' });
    await outcome.getByRole('button', { name: 'Undo' }).click();
    const text = 'Undone: 2 changes · 1 was changed again since and stays';
    await outcome.getByText(text).waitFor();
    expect(await outcome.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    for (const id of ids) expect((await api('GET', `/assets/${id}`)).isFavorite).toBe(false);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('a run with actions that stay tells so before', async () => {
    const told = { method: 'safelight#notify', config: { message: 'Seen' } };
    await addWorkflow('Bells', [core('assetFavorite'), told]);
    await page.reload();
    await card('Bells').getByRole('button', { name: 'Run for existing photos' }).click();
    await getDialog(page).getByText('Cannot be undone: Notify me').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getDialog(page).getByRole('button', { name: 'Cancel' }).click();
    const list = await api('GET', '/workflows');
    await api('DELETE', `/workflows/${list.find(isNamed('Bells')).id}`);
  });

  step('a workflow is deleted after a question', async () => {
    await go(page, 'Workflows');
    await press(page, 'Delete Hearts');
    await page.getByRole('button', { name: 'Delete workflow' }).click();
    await until('it is gone', async () => (await card('Hearts').count()) === 0);
    const list = async () => {
      const left = await api('GET', '/workflows');
      return [left.length, left.find(isNamed('Hearts'))];
    };
    await eventually(list).toEqual([1, undefined]);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('the log', () => {
  step('the log shows a photo that was tagged, and leads to it', async () => {
    await go(page, 'Workflows');
    await tagPhoto(ids[0]!);
    await card('Hearts').getByRole('link', { name: 'Log' }).click();
    await entries().getByText('Completed').waitFor();
    await eventually(() => entries().count()).toBe(1);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    const photo = entries().getByRole('link', { name: 'Show the item' });
    await eventually(() => photo.getAttribute('href')).toBe(`/photos/${ids[0]}`);
    await photo.click();
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor();
    await page.goBack();
  });

  step('entries are filtered by result, and a run is tried again', async () => {
    const filter = page.getByRole('group', { name: 'Result' });
    await filter.getByRole('button', { name: 'Failed' }).click();
    await page.getByText('No entries').waitFor();
    await filter.getByRole('button', { name: 'Completed' }).click();
    await entries().getByRole('button', { name: 'Try again' }).click();
    await toast(page, 'Running again');
    await entries().getByText('Attempt 2').waitFor();
    await eventually(() => entries().count()).toBe(2);
  });

  step('the log of a filter that did not match names the step', async () => {
    await go(page, 'Workflows');
    await card('Films').getByText('Videos', { exact: true }).waitFor();
    await card('Films').getByRole('link', { name: 'Log' }).click();
    await entries().getByText('Did not match').first().waitFor();
    await entries().getByText('Last step: 1. Photos or videos').first().waitFor();
    await eventually(async () => (await api('GET', `/assets/${ids[0]}`)).visibility).toBe(
      'timeline',
    );
  });
});

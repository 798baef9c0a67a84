import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { type MemoryStage, menu, openMemoryStage, player } from './memories.ts';
import { type Api, choose, getDialog, go, press, pressMore, toast, undo } from './people.ts';
import { until } from './server.ts';
import { addStageAccount, enter, TIMEOUT_MS } from './stage.ts';

// The page of memories, in a real browser.

let world: MemoryStage;
let page: Page;
let api: Api;

beforeEach(async () => {
  world = await openMemoryStage();
  ({ page, api } = world);
  const { spring, trip, film, annId } = world;
  const seenAt = new Date().toISOString();
  await api('PUT', `/memories/${spring}`, { name: 'A walk in May', isSaved: true, seenAt });
  for (const id of [trip, film]) await api('PUT', `/memories/${id}`, { seenAt });
  await api('POST', '/memories/show-less', { kind: 'person', personId: annId });
}, TIMEOUT_MS);

afterEach(async () => {
  expect(world.ada.problems).toEqual([]);
  await world.stage.close();
}, TIMEOUT_MS);

const tab = async (name: string) => {
  await press(page, name);
  await page.getByRole('button', { name, pressed: true, exact: true }).waitFor();
};
const lists = async (name: string, wanted: string[]) => {
  await tab(name);
  const cards = page.getByRole('list', { name, exact: true }).getByRole('link');
  await until(
    `${name}: ${wanted.join()}`,
    async () => (await cards.allTextContents()).join() === wanted.join(),
  );
  expect(await listFaultsOfLooks(page)).toEqual([]);
};

const { step } = journey('the page of memories', TIMEOUT_MS);

step('is reached from a selection, of which a memory can be made', async () => {
  await choose(page, '1 May 2024');
  await choose(page, '2 May 2024');
  await pressMore(page, 'Add to memory');
  await page.getByLabel('Find a memory').fill('Two days');
  await page.getByRole('button', { name: 'New memory “Two days”' }).click();
  await toast(page, 'Memory created');
  const countPictures = async () => {
    const memories = await api('GET', '/memories?isSaved=true&withAllTypes=true');
    return memories.find(({ name }: { name: string }) => name === 'Two days')?.assets.length;
  };
  await choose(page, '3 May 2024');
  await pressMore(page, 'Add to memory');
  await getDialog(page).getByRole('button', { name: 'Two days' }).waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await getDialog(page).getByRole('button', { name: 'Two days' }).click();
  await toast(page, 'Added to the memory');
  expect(await countPictures()).toBe(3);
  await undo(page, 'Added to the memory');
  await eventually(countPictures).toBe(2);
  await go(page, 'Memories');
  await lists('Saved', ['New: Two days', 'A walk in May']);
});

step('has all, upcoming and hidden memories of the account only', async () => {
  await lists('All', ['New: Two days', 'A walk in May', 'A film']);
  await lists('Upcoming', ['New: Not yet']);
  await lists('Hidden', ['New: Turned down']);
});

step('shows a hidden memory again', async () => {
  await press(page, 'Show again');
  await undo(page, 'The memory is shown again');
  await lists('Hidden', ['New: Turned down']);
  await press(page, 'Show again');
  await toast(page, 'The memory is shown again');
  await page.getByRole('heading', { name: 'No memories here' }).waitFor();
});

step('lists what is shown less, with the way back', async () => {
  // Without the toasts of before.
  await page.reload();
  const countRules = async () => (await api('GET', '/memories/show-less')).length;
  const removeRule = () =>
    page.getByRole('listitem').filter({ hasText: 'Ann' }).getByRole('button').click();
  await removeRule();
  await eventually(countRules).toBe(0);
  await undo(page, 'Shown again');
  await eventually(countRules).toBe(1);
  await removeRule();
  await eventually(countRules).toBe(0);
  await tab('All');
  await page.getByRole('link', { name: 'A trip' }).click();
  await page.waitForURL(`**/memories/${world.trip}`);
  await player(page).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Memories', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'All', pressed: true }).waitFor();
});

step('deletes a memory that was made by hand; its photos stay', async () => {
  await page.getByRole('link', { name: 'Two days' }).click();
  await menu(page, 'Delete memory');
  await press(page, 'Delete');
  await until('one memory less', async () =>
    (await api('GET', '/memories?withAllTypes=true')).every(
      ({ name }: { name: string }) => name !== 'Two days',
    ),
  );
  await eventually(() => api('GET', `/assets/${world.ids[0]}`)).toMatchObject({
    isTrashed: false,
  });
  await page.keyboard.press('Escape');
});

step('tells why there are none', async () => {
  const { account, freshApi } = await addStageAccount(world.stage);
  const newcomer = await enter(world.stage, { as: account, at: '/memories' });
  await newcomer.page.getByText('Memories appear here once you have added photos.').waitFor();
  await freshApi('PUT', '/users/me/preferences', { memories: { enabled: false } });
  await newcomer.page.reload();
  await newcomer.page.getByText('Memories are switched off in your settings.').waitFor();
  expect(await listFaults(newcomer.page)).toEqual([]);
  await newcomer.context.close();
});

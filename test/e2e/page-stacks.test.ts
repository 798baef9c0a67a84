import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Stack } from '../../src/areas/stacks/schemas.ts';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, choose, holdToast, pictures, press, pressMore, toast, undo } from './people.ts';
import { until } from './server.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Edits and stacks in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step, chapter } = journey('an owner edits and stacks photos', TIMEOUT_MS);

chapter('edits', () => {
  beforeEach(async () => {
    stage = await openStage();
    ({ api } = stage);
    ids = await stage.add(daysOfMay(1));
    ada = await enter(stage);
    ({ page } = ada);
    await pictures(page, 1);
  }, TIMEOUT_MS);

  const asset = () => api('GET', `/assets/${ids[0]}`);

  step('a photo can be rotated and cropped without changing the file', async () => {
    const { checksum } = await asset();
    await page.getByRole('link', { name: /1 May 2024/ }).click();
    await press(page, 'Edit');
    await page.locator('[data-part=crop] canvas').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Rotate right');
    await press(page, '1 : 1');
    await page.getByRole('button', { name: 'Top left corner of the crop' }).focus();
    for (let turn = 0; turn < 5; turn++) await page.keyboard.press('ArrowDown');
    await press(page, 'Save');
    await toast(page, 'Saved');
    // The page does not wait for ever until it is drawn.
    const edited = await until('another picture', async () => {
      const found = await asset();
      return found.width === 600 && found;
    });
    expect(edited).toMatchObject({ isEdited: true, checksum });
    // A square of 600 out of 900 by 600 has lost a twentieth of the long side, which is seen upright.
    expect([edited.width, edited.height]).toEqual([600, 555]);
  });

  step('edits can be reverted', async () => {
    await press(page, 'Edit');
    await press(page, 'Reset to original');
    await press(page, 'Save');
    await until('no edits', async () => !(await asset()).isEdited);
    await page.getByRole('dialog', { name: 'Edit' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
    await pictures(page, 1);
  });
});

chapter('stacks', () => {
  beforeEach(async () => {
    stage = await openStage();
    ({ api } = stage);
    ids = await stage.add(daysOfMay(5));
    ada = await enter(stage);
    ({ page } = ada);
    await pictures(page, 5);
  }, TIMEOUT_MS);

  step('one photo represents its stack and shows the number of photos', async () => {
    await choose(page, '5 May 2024');
    await choose(page, '4 May 2024');
    await choose(page, '3 May 2024');
    await pressMore(page, 'Stack');
    await toast(page, '3 items stacked');
    await pictures(page, 3);
    await eventually(() => page.locator('[data-part=badge-stack]').textContent()).toBe('3');
  });

  step('the viewer shows all photos of a stack and can change the first one', async () => {
    await page.locator('[data-part=tile-link]').first().click();
    const strip = page.getByRole('list', { name: 'Photos of this stack' });
    await strip.getByRole('button').nth(2).click();
    await press(page, 'Show this one first');
    await toast(page, 'Cover of the stack changed');
    const isFirst = async () => (await api('GET', '/stacks'))[0].primaryAssetId === ids[4];
    await eventually(isFirst).toBe(false);
    await undo(page, 'Cover of the stack changed');
    await eventually(isFirst).toBe(true);
    await strip.getByRole('button').nth(2).click();
    await press(page, 'Show this one first');
    await eventually(isFirst).toBe(false);
    expect(await listFaults(page)).toEqual([]);
  });

  step('a photo is taken out of a stack, and comes back by Undo', async () => {
    const strip = page.getByRole('list', { name: 'Photos of this stack' });
    const count = async () => (await api('GET', '/stacks'))[0].assets.length;
    await strip.getByRole('button').nth(1).click();
    await press(page, 'Remove from the stack');
    await eventually(count).toBe(2);
    await undo(page, 'Removed from the stack');
    await eventually(count).toBe(3);
    await page.keyboard.press('Escape');
    await pictures(page, 3);
  });

  step('undoing a merge of stacks restores the previous stack', async () => {
    const [before] = await api('GET', '/stacks');
    const first = page.locator('[data-part=tile]', {
      has: page.locator('[data-part=badge-stack]'),
    });
    await first.locator('[data-part=tile-check]').click();
    await choose(page, '1 May 2024');
    await pressMore(page, 'Stack');
    await holdToast(page, '4 items stacked');
    await pictures(page, 2);
    await undo(page, '4 items stacked');
    await pictures(page, 3);
    const toIds = (stack: Stack) => stack.assets.map(({ id }) => id);
    const list = async () =>
      (await api('GET', '/stacks')).map((stack: Stack) => [stack.primaryAssetId, ...toIds(stack)]);
    await eventually(list).toEqual([[before.primaryAssetId, ...toIds(before)]]);
  });

  step('a stack can be dissolved', async () => {
    await page
      .locator('[data-part=tile]', { has: page.locator('[data-part=badge-stack]') })
      .click();
    await press(page, 'Unstack all');
    await toast(page, 'Unstacked');
    await page.keyboard.press('Escape');
    await pictures(page, 5);
  });
});

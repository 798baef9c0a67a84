import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import {
  type Api,
  choose,
  getDialog,
  go,
  holdToast,
  pictures,
  press,
  toast,
  undo,
} from './people.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';
import { journey } from '../support/journey.ts';

// Tags, pins, edits and stacks in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

beforeAll(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(5));
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 5);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const { step, chapter } = journey('an owner tags, edits and stacks photos', TIMEOUT_MS);

chapter('tags', () => {
  step('a path creates nested tags, and undo removes the tag only where it was added', async () => {
    await choose(page, '5 May 2024');
    await choose(page, '4 May 2024');
    await press(page, 'Tag');
    await page.getByLabel('Find a tag, or name a new one').fill('Travel/Japan');
    await page.getByRole('button', { name: 'New tag “Travel/Japan”' }).click();
    await toast(page, '2 items tagged Japan');
    await choose(page, '5 May 2024');
    await choose(page, '3 May 2024');
    await press(page, 'Tag');
    await page.getByRole('button', { name: 'Travel / Japan' }).click();
    await undo(page, '1 item tagged Japan');
    await go(page, 'Tags');
    await page.getByRole('link', { name: 'Japan 2' }).waitFor();
    await page.getByRole('link', { name: 'Travel 2' }).waitFor();
    expect(await listFaults(page)).toEqual([]);
  });

  step('tags can be renamed, coloured and created below others', async () => {
    await press(page, 'More about Japan');
    await page.getByRole('menuitem', { name: 'Rename, colour' }).click();
    await page.getByLabel('Name').fill('Nippon');
    await page.getByRole('radio', { name: 'Blue' }).check();
    await press(page, 'Save');
    await page.getByRole('link', { name: 'Nippon 2' }).waitFor();
    await press(page, 'More about Nippon');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    await press(page, 'More about Nippon');
    await page.getByRole('menuitem', { name: 'New tag below' }).click();
    await page.getByLabel('Name').fill('Kyoto');
    await press(page, 'Create');
    await page.getByRole('link', { name: 'Kyoto 0' }).waitFor();
    await eventually(async () =>
      (await api('GET', '/tags')).map(({ value }: any) => value).toSorted(),
    ).toEqual(['Travel', 'Travel/Nippon', 'Travel/Nippon/Kyoto']);
  });

  step('a tag can be moved below another by dragging or by name and back', async () => {
    const paths = async () => (await api('GET', '/tags')).map(({ value }: any) => value).toSorted();
    const row = (name: string) => page.locator('[data-part=tree-row]', { hasText: name });
    await api('POST', '/tags', { name: 'Cities' });
    await page.reload();
    await row('Kyoto').dragTo(row('Cities'));
    await holdToast(page, 'Kyoto moved below Cities');
    await eventually(paths).toEqual(['Cities', 'Cities/Kyoto', 'Travel', 'Travel/Nippon']);
    await undo(page, 'Kyoto moved below Cities');
    await until('it is back', async () => (await paths()).includes('Travel/Nippon/Kyoto'));
    await page.getByRole('button', { name: 'Fold Nippon' }).waitFor();
    // Not below itself.
    await row('Travel').dragTo(row('Kyoto'));
    await press(page, 'More about Cities');
    await page.getByRole('menuitem', { name: 'Move' }).click();
    await page.getByLabel('Find a tag').fill('nip');
    expect(await listFaults(page)).toEqual([]);
    await getDialog(page).getByRole('button', { name: 'Travel / Nippon', exact: true }).click();
    await toast(page, 'Cities moved below Nippon');
    await press(page, 'More about Cities');
    await page.getByRole('menuitem', { name: 'Move' }).click();
    await press(page, 'To the top');
    await toast(page, 'Cities moved to the top');
    await until('it is at the top', async () => (await paths()).includes('Cities'));
  });

  step('selected photos can be dragged onto a tag', async () => {
    await go(page, 'Photos');
    await pictures(page, 5);
    await choose(page, '2 May 2024');
    await choose(page, '1 May 2024');
    const tile = page.locator('[data-part=tile][data-chosen] [data-part=tile-link]').first();
    await tile.hover();
    await page.mouse.down();
    const { x, y } = (await tile.boundingBox())!;
    await page.mouse.move(x + 60, y + 60, { steps: 3 });
    const target = page.locator('[data-part=tag-target]', { hasText: 'Cities' });
    await target.waitFor();
    await until('the tag below the pointer', async () => {
      const place = (await target.boundingBox())!;
      await page.mouse.move(place.x + 20, place.y + 20, { steps: 4 });
      return page.locator('[data-part=tag-target][data-over]').isVisible();
    });
    await page.mouse.up();
    await toast(page, '2 items tagged Cities');
    await page.locator('[data-part=tag-drop]').waitFor({ state: 'detached' });
    await page.locator('[data-part=tile][data-chosen]').first().waitFor({ state: 'detached' });
    await go(page, 'Tags');
    await page.getByRole('link', { name: 'Cities 2' }).waitFor();
    const cities = (await api('GET', '/tags')).find(({ name }: any) => name === 'Cities');
    await api('DELETE', `/tags/${cities.id}`);
    await page.reload();
  });

  step('the page of a tag shows photos of the tags below it and can untag photos', async () => {
    await page.getByRole('link', { name: 'Travel 2' }).click();
    await pictures(page, 2);
    await page.getByRole('link', { name: 'Nippon' }).click();
    await page.getByRole('heading', { name: 'Nippon' }).nth(1).waitFor();
    await pictures(page, 2);
    await choose(page, '4 May 2024');
    await press(page, 'Remove this tag');
    await pictures(page, 1);
  });

  step('tags and albums can be pinned to the navigation and reordered', async () => {
    await press(page, 'Pin to the side');
    await toast(page, 'Pinned to the side');
    const album = await api('POST', '/albums', { albumName: 'Spring', assetIds: [ids[0]] });
    await page.goto(`/albums/${album.id}`);
    await press(page, 'Pin to the side');
    const side = page.getByRole('region', { name: 'Pinned' });
    await side.getByRole('link', { name: 'Spring' }).waitFor();
    await eventually(() => side.getByRole('link').allTextContents()).toEqual(['Nippon', 'Spring']);
    await press(page, 'Order the pins');
    await press(page, 'Move Spring up');
    await side.getByRole('link').first().getByText('Spring').waitFor();
    await press(page, 'Unpin Nippon');
    await side.getByRole('link', { name: 'Nippon' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  step('on a phone the sheet "More" shows pins and the remaining pages', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/photos');
    await pictures(phone.page, 5);
    await phone.page.getByRole('button', { name: 'More', exact: true }).tap();
    const sheet = phone.page.getByRole('dialog', { name: 'More' });
    expect(await listFaults(phone.page)).toEqual([]);
    await sheet.getByRole('link', { name: 'Spring' }).tap();
    await phone.page.getByRole('heading', { name: 'Spring' }).last().waitFor();
    await sheet.waitFor({ state: 'detached' });
    await phone.page.getByRole('button', { name: 'More', exact: true }).tap();
    await sheet.getByRole('link', { name: 'Trash' }).tap();
    await phone.page.getByText('The trash is empty').waitFor();
    await leavePhone(phone);
  });

  step('deleting a tag keeps its photos', async () => {
    await go(page, 'Tags');
    await press(page, 'More about Travel');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await getDialog(page).getByRole('button', { name: 'Delete tag' }).click();
    await page.getByText('No tags yet').waitFor();
    await go(page, 'Photos');
    await pictures(page, 5);
  });
});

chapter('edits', () => {
  const asset = () => api('GET', `/assets/${ids[4]}`);

  step('a photo can be rotated and cropped without changing the file', async () => {
    const { checksum } = await asset();
    await page.getByRole('link', { name: /5 May 2024/ }).click();
    await press(page, 'Edit');
    await page.locator('[data-part=crop] img').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Turn right');
    await press(page, '1 : 1');
    await page.getByRole('button', { name: 'First corner of the cut' }).focus();
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
    await press(page, 'As it was taken');
    await press(page, 'Save');
    await until('no edits', async () => !(await asset()).isEdited);
    await page.getByRole('dialog', { name: 'Edit' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
    await pictures(page, 5);
  });
});

chapter('stacks', () => {
  step('one photo represents its stack and shows the number of photos', async () => {
    await choose(page, '5 May 2024');
    await choose(page, '4 May 2024');
    await choose(page, '3 May 2024');
    await press(page, 'Stack');
    await toast(page, '3 items stacked');
    await pictures(page, 3);
    await eventually(() => page.locator('[data-part=badge-stack]').textContent()).toBe('3');
  });

  step('the viewer shows all photos of a stack and can change the first one', async () => {
    await page.locator('[data-part=tile-link]').first().click();
    const strip = page.getByRole('list', { name: 'Photos of this stack' });
    await strip.getByRole('button').nth(2).click();
    await press(page, 'Show this one first');
    await toast(page, 'It stands for the stack now');
    await until('another first', async () => {
      const [stack] = await api('GET', '/stacks');
      return stack.primaryAssetId !== ids[4];
    });
    expect(await listFaults(page)).toEqual([]);
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
    await press(page, 'Stack');
    await holdToast(page, '4 items stacked');
    await pictures(page, 2);
    await undo(page, '4 items stacked');
    await pictures(page, 3);
    const toIds = (one: any) => one.assets.map(({ id }: any) => id);
    const list = async () =>
      (await api('GET', '/stacks')).map((one: any) => [one.primaryAssetId, ...toIds(one)]);
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

step('no errors and no violations of the content security policy were reported', async () => {
  expect(ada.problems).toEqual([]);
});

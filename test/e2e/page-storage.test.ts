import { afterEach, beforeEach, expect } from 'bun:test';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getPageWidth, goToAdmin, PHONE, press, toast, undo } from './people.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openOwnStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// The space that files take, in a real browser.

let stage: Stage;
let ada: Visitor;
let ids: string[];

beforeEach(async () => {
  stage = await openOwnStage();
  ids = await stage.add(daysOfMay(3));
  ada = await enter(stage);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('an administrator looks for what takes space', TIMEOUT_MS);

step('measures it, by kind and by account', async () => {
  await stage.api('DELETE', '/assets', { ids: [ids[0]] });
  await goToAdmin(ada.page, 'Storage');
  await press(ada.page, 'Measure again');
  await ada.page.getByText(/^Measured:/).waitFor();
  await eventually(async () => {
    const { accounts } = await stage.api('GET', '/admin/storage');
    return accounts[0]?.uses.map(({ kind }: { kind: string }) => kind);
  }).toEqual(expect.arrayContaining(['photo', 'trash', 'preview']));
  const kinds = ada.page.getByRole('region', { name: 'By kind' });
  await kinds.getByText('Thumbnails and previews').waitFor();
  await kinds.getByText('Trash', { exact: true }).waitFor();
  await ada.page
    .getByRole('region', { name: 'By account' })
    .getByText(/Photos .*B/)
    .waitFor();
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
});

step('deletes converted videos', async () => {
  const convert = (id: string, name: string) => stage.database.sql`
    insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    values (${id}, 'encoded_video', ${name}, 'video/mp4', 700000000, 'x')`;
  await convert(ids[1]!, 'gone.mp4');
  await press(ada.page, 'Measure again');
  const removable = ada.page.getByRole('region', { name: 'Free up space' });
  await removable.getByRole('button', { name: 'Delete converted videos …' }).click();
  const dialog = ada.page.getByRole('dialog', { name: 'Delete converted videos' });
  await dialog.getByRole('radio', { name: 'Large ones: 1 video, 700 MB' }).waitFor();
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
  await dialog.getByRole('radio', { name: 'All: 1 video, 700 MB' }).check();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await stage.api('GET', '/admin/storage/transcodes')).all.files).toBe(1);
  await removable.getByRole('button', { name: 'Delete converted videos …' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await eventually(() => stage.api('GET', '/admin/storage/transcodes')).toMatchObject({
    all: { files: 0 },
    isDeleting: false,
  });
  // Measured again: there is nothing that can go.
  await removable.getByText('Converted videos', { exact: true }).waitFor({ state: 'detached' });
});

step('opens what can go on its page', async () => {
  const removable = ada.page.getByRole('region', { name: 'Free up space' });
  const settings = removable.getByRole('link', { name: 'Choose how long the trash is kept' });
  expect(await settings.getAttribute('href')).toBe('/admin/settings');
  await removable.getByRole('link', { name: 'Open your trash' }).click();
  await ada.page.getByRole('heading', { name: 'Trash' }).first().waitFor();
});

step('deletes a large file, and has it back', async () => {
  await stage.database.sql`update asset set file_size = 900000000 where id = ${ids[1]!}`;
  await ada.page.goto('/large');
  const row = ada.page.getByRole('listitem').filter({ hasText: '2.jpg' });
  await row.getByText(/900 MB/).waitFor();
  expect(await ada.page.getByRole('listitem').filter({ hasText: '3.jpg' }).count()).toBe(0);
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
  await row.getByRole('button', { name: /^Move 2.jpg/ }).click();
  await toast(ada.page, '1 item moved to the trash');
  await ada.page.getByText('No large files').waitFor();
  await undo(ada.page, '1 item moved to the trash');
  await row.waitFor();
});

step('stacks a raw photo with its picture, moves it to the trash, and has it back', async () => {
  const [, raw, picture] = ids;
  // Metadata that is read later would change the time back.
  const listUnread = () => stage.database.sql`select from asset where metadata_read_at is null`;
  await eventually(async () => (await listUnread()).length).toBe(0);
  await stage.database.sql`
    update asset set file_name = 'IMG_1.CR3', taken_at = (select taken_at from asset where id = ${picture!})
    where id = ${raw!}`;
  await stage.database.sql`update asset set file_name = 'IMG_1.jpg' where id = ${picture!}`;
  await ada.page.goto('/settings');
  const removable = ada.page.getByRole('region', { name: 'Free up space' });
  await removable.getByRole('link', { name: 'Raw photos with a picture' }).click();
  const row = ada.page.getByRole('listitem').filter({ hasText: 'IMG_1.CR3' });
  await row.getByRole('link', { name: 'IMG_1.jpg' }).waitFor();
  await ada.page.getByText(/^1 raw photo takes/).waitFor();
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
  await row.getByRole('checkbox', { name: 'Select IMG_1.CR3' }).check();
  await press(ada.page, 'Stack');
  await toast(ada.page, '1 pair stacked');
  await row.getByText('In a stack').waitFor();
  const stacks = await stage.api('GET', '/stacks');
  expect(stacks).toMatchObject([{ primaryAssetId: picture }]);
  await undo(ada.page, '1 pair stacked');
  await row.getByText('In a stack').waitFor({ state: 'detached' });
  expect(await stage.api('GET', '/stacks')).toEqual([]);
  await press(ada.page, 'Select all');
  await ada.page.getByRole('button', { name: /^Move 1 raw photo to the trash/ }).click();
  await ada.page.getByText('No raw photos with a picture').waitFor();
  expect((await stage.api('GET', `/assets/${raw}`)).isTrashed).toBe(true);
  expect((await stage.api('GET', `/assets/${picture}`)).isTrashed).toBe(false);
  await undo(ada.page, '1 item moved to the trash');
  await row.waitFor();
});

step('also on a phone', async () => {
  const phone = await onPhone(stage, ada);
  for (const path of ['/admin/storage', '/large', '/raw-pairs']) {
    await phone.page.goto(path);
    await phone.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await getPageWidth(phone.page)).toBe(PHONE.viewport.width);
    expect(await listFaultsOfLooks(phone.page)).toEqual([]);
  }
  await leavePhone(phone);
});

import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type FakeImmich, startFakeImmich } from '../support/fake-immich.ts';
import { openImportFolder } from '../support/imports.ts';
import { journey } from '../support/journey.ts';
import type { Json } from '../support/json.ts';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { pictures, press } from './people.ts';
import { startAgain, until } from './server.ts';
import { enter, onPhone, leavePhone, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// An account moves in from a server that answers as Immich does, in a real browser. The server of the test is one of its
// own: it is killed in the middle.

let stage: Stage;
let ada: Visitor;
let page: Page;
let immich: FakeImmich;
let folder: Awaited<ReturnType<typeof openImportFolder>>;

beforeAll(async () => {
  const photos = await Promise.all([
    photo('beach.jpg', '2021:05:01 12:00:00'),
    photo('hill.jpg', '2021:05:02 12:00:00'),
  ]);
  immich = await startFakeImmich({
    files: ['beach.jpg', 'hill.jpg', 'lost.jpg'],
    contents: Object.fromEntries(photos.map(({ name, buffer }) => [name, new Uint8Array(buffer)])),
    albums: { Summer: ['beach.jpg'] },
    tags: { Travel: ['hill.jpg'] },
  });
  immich.refused['lost.jpg'] = 404;
  folder = await openImportFolder();
  stage = await openOwnStage();
  ada = await enter(stage, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(() => {
  expect(ada.problems).toEqual([]);
});

afterAll(async () => {
  await stage?.close();
  await immich?.stop();
  await folder?.remove();
}, TIMEOUT_MS);

const readMove = async () => (await stage.api('GET', '/move-ins'))[0];
const fill = (name: string, text: string) =>
  page.getByRole('textbox', { name, exact: true }).fill(text);
const KEY = 'API key of your account there';
const { step } = journey('an account moves in from Immich', TIMEOUT_MS);

step('is reached from the empty timeline, and asks for the other server', async () => {
  await page.getByRole('link', { name: 'Move in from Immich' }).click();
  await page.getByRole('heading', { name: 'Move in', exact: true }).waitFor();
  await eventually(() => page.getByLabel('On an Immich server').isChecked()).toBe(true);
  await page.getByText('asset.read, asset.download').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('says at the field what is wrong with the address or the key', async () => {
  await fill('Address of the Immich server', 'http://127.0.0.1:1');
  await page.getByLabel(KEY, { exact: true }).fill('wrong');
  await press(page, 'Check');
  await page.getByText('The other server cannot be reached.').waitFor();
  await fill('Address of the Immich server', immich.url);
  await page.keyboard.press('Enter');
  await page.getByText('The other server does not know this API key.').waitFor();
  // The browser tells of each refused request.
  ada.problems.length = 0;
  expect(await stage.api('GET', '/move-ins')).toEqual([]);
});

step('shows what is there and whether it fits, also after a reload', async () => {
  await page.getByLabel(KEY, { exact: true }).fill(immich.key);
  await press(page, 'Check');
  await page.getByText('There is enough space for all of it.').waitFor();
  await page.reload();
  await page.getByText(`Found at ${immich.url}:`).waitFor();
  expect(await page.getByRole('definition').allTextContents()).toEqual([
    '3',
    '0',
    '1',
    '1',
    expect.any(String),
  ]);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  expect(immich.downloads).toEqual([]);
});

step('pauses and continues, and shows how far it is', async () => {
  let open = () => {};
  immich.gate = new Promise((resolve) => (open = resolve));
  await press(page, 'Start the move');
  await page.getByRole('progressbar', { name: 'Progress of the move' }).waitFor();
  await page.getByText('Moving in …').waitFor();
  await page.reload();
  await press(page, 'Pause');
  await page.getByText('The move is paused').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Continue');
  await page.getByText('Moving in …').waitFor();
  open();
  await page.getByText('The move is complete').waitFor();
  await page.getByText('2 files copied').waitFor();
  expect(await readMove()).toMatchObject({ status: 'completed', taken: 2, failures: 1 });
});

step('lists what could not be copied, and leads to what was added', async () => {
  await page.getByText('1 file could not be copied').click();
  await page.getByText('lost.jpg').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/move-in');
  await phone.page.getByText('The move is complete').waitFor();
  await leavePhone(phone);
  await page.getByRole('link', { name: 'Show what was added' }).click();
  await pictures(page, 2);
  expect(page.url()).toEndWith('/photos?order=added');
  expect((await stage.api('GET', '/albums'))[0]).toMatchObject({
    albumName: 'Summer',
    assetCount: 1,
  });
});

step('takes in the folder of an export, for the administrator', async () => {
  const { name, buffer } = await photo('roof.jpg', '2019:05:01 12:00:00');
  await folder.write({
    [`Photos from 2019/${name}`]: new Uint8Array(buffer),
    [`Photos from 2019/${name}.json`]: { photoTakenTime: { timestamp: '1556712000' } },
  });
  await page.goto('/move-in');
  await press(page, 'Move something else in');
  await page.getByLabel('In a folder of this server').check();
  await fill('Folder on the server', '/nowhere');
  await press(page, 'Check');
  await page.getByText('This folder is not there.').waitFor();
  // The browser tells of each refused request.
  ada.problems.length = 0;
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await fill('Folder on the server', folder.path);
  await press(page, 'Check');
  await page.getByText(`Found in ${folder.path}:`).waitFor();
  await page.getByText('An export of Google Photos.').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Start the move');
  await page.getByText('The move is complete').waitFor();
  await page.getByText('1 file copied').waitFor();
  expect(await readMove()).toMatchObject({ status: 'completed', taken: 1, failures: 0 });
});

step('asks for the key again, takes nothing twice, and has it in no log and no row', async () => {
  expect(ada.problems).toEqual([]);
  // Its page would tell of a server that is gone.
  await ada.context.close();
  const { url, key } = immich;
  immich.refused = {};
  immich.downloads.length = 0;
  immich.gate = new Promise(() => {});
  const { id } = await stage.api('POST', '/move-ins', { url, key });
  await stage.api('POST', `/move-ins/${id}/start`, {});
  await until('a run', async () => (await readMove()).status === 'running');
  const { server } = stage;
  server.process.kill('SIGKILL');
  await server.process.exited;
  immich.gate = Promise.resolve();
  const next = await startAgain(server);
  try {
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'x-api-key': stage.account.apiKey, 'content-type': 'application/json' };
      const text = body && JSON.stringify(body);
      const init = { method, headers, ...(text && { body: text }) };
      return (await fetch(`${next.url}/api${path}`, init)).json() as Promise<Json>;
    };
    await until('a question', async () => (await ask('GET', '/move-ins'))[0].needsKey);
    expect((await ask('GET', '/move-ins'))[0]).toMatchObject({ reason: 'interrupted' });
    expect(await ask('POST', `/move-ins/${id}/start`, {})).toMatchObject({
      code: 'key_required',
    });
    await ask('POST', `/move-ins/${id}/start`, { key });
    await until('the end', async () => (await ask('GET', '/move-ins'))[0].status === 'completed');
    expect(immich.downloads).toEqual(['lost.jpg']);
    expect([...server.log, ...next.log].join('\n')).not.toContain(key);
    for (const table of ['operation', 'job', 'job_done', 'move_in_failure']) {
      const rows = await stage.database.sql.unsafe(
        `select from ${table} row where row::text like '%${key}%'`,
      );
      expect(rows).toHaveLength(0);
    }
  } finally {
    await next.stop();
  }
});

import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { listEditorProblems, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import {
  createFilm,
  enterEditor,
  getClips,
  hasClips,
  isSaved,
  makeNumbers,
  second,
  showsFrame,
  toClip,
  WIDE,
} from './film-editor.ts';
import { addUser, type Api, getPageWidth, go, press, undo } from './people.ts';
import { until } from './server.ts';
import {
  enter,
  enterAgain,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// A film in several windows, of its owner and of members of an album.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let api: Api;
let videoId: string;
let projectId: string;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  [videoId] = (await stage.add([makeNumbers()])) as [string];
  const clips = [toClip(videoId, 0, second(1)), toClip(videoId, 1, second(3), second(1))];
  projectId = await createFilm(stage, 'Holiday', { clips });
  visitor = await enterEditor(stage, projectId);
  ({ page } = visitor);
  await hasClips(page, 2);
}, TIMEOUT_MS);

afterEach(async () => {
  const problems = listEditorProblems(visitor);
  await stage.close();
  expect(problems).toEqual([]);
}, TIMEOUT_MS);

/** In every font it is narrower than the space between two bits of the number that frames show. */
const TITLE = 'I';
const readDocument = async () => (await api('GET', `/studio/projects/${projectId}`)).document;

const { step } = journey('a film is open in several windows', TIMEOUT_MS);

step('another window is told about a newer revision, and loses nothing', async () => {
  const other = await enterAgain(stage, visitor, WIDE);
  await other.page.goto(page.url());
  await hasClips(other.page, 2);
  await press(page, 'Add a title');
  await page.getByLabel('Text').fill(TITLE);
  await until('it is stored', async () => (await readDocument()).titles?.[0]?.text === TITLE);
  await press(other.page, 'Add a title');
  await other.page.getByText('Changed elsewhere').waitFor();
  await eventually(async () => (await readDocument()).titles).toHaveLength(1);
  await press(other.page, 'Keep mine as a copy');
  await until('there is a copy', async () => (await api('GET', '/studio/projects')).length === 2);
  await other.page.getByRole('list', { name: 'Titles' }).getByText('Title').waitFor();
  expect(listEditorProblems(other)).toEqual([]);
  await other.context.close();
});

step('a member of the album watches it and can change nothing', async () => {
  const bob = await addUser(api, 'Bob');
  await api('POST', '/albums', {
    albumName: 'Together',
    assetIds: [videoId],
    albumUsers: [{ userId: bob.id, role: 'viewer' }],
  });
  await page.reload();
  const sharing = page.getByLabel('Shared with the members of');
  await sharing.getByRole('option', { name: 'Together' }).waitFor({ state: 'attached' });
  const isShared = async () =>
    (await api('GET', '/studio/projects')).some(
      ({ albumId }: { albumId: string | null }) => albumId !== null,
    );
  const share = async (act: string) => {
    await sharing.selectOption('Together');
    const dialog = page.getByRole('dialog', { name: 'Share this film with the members' });
    await dialog.getByText(`${bob.name} will see it`).waitFor();
    expect(await listFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: act }).click();
  };
  await share('Cancel');
  expect(await isShared()).toBe(false);
  await share('Share');
  await eventually(isShared).toBe(true);
  await undo(page, 'Shared with the members of Together');
  await eventually(isShared).toBe(false);
  await eventually(() => sharing.inputValue()).toBe('');
  await share('Share');
  await eventually(isShared).toBe(true);
  const viewer = await enter(stage, { as: bob, at: '/studio' });
  await viewer.page.getByRole('link', { name: 'Holiday' }).click();
  await viewer.page.getByText('You can only watch this project').waitFor();
  await hasClips(viewer.page, 2);
  await viewer.page.getByRole('button', { name: 'Next frame', exact: true }).click();
  await showsFrame(viewer.page, 1);
  for (const name of ['Undo', 'Add a title', 'Remove from the film'])
    await eventually(() => viewer.page.getByRole('button', { name }).count()).toBe(0);
  await go(viewer.page, 'Studio');
  await viewer.page.getByRole('article', { name: 'Holiday' }).waitFor();
  // The copy is of its owner alone.
  await eventually(() => viewer.page.getByRole('article').count()).toBe(1);
  await eventually(() => viewer.page.getByRole('button', { name: 'Delete Holiday' }).count()).toBe(
    0,
  );
  await leavePhone(viewer);
});

step('a phone shows it, and trims', async () => {
  const phone = await onPhone(stage, visitor);
  await phone.page.goto(page.url());
  await hasClips(phone.page, 2);
  await eventually(() => getPageWidth(phone.page)).toBe(390);
  await getClips(phone.page).getByRole('button').first().click();
  await phone.page.getByLabel('End (seconds)').fill('0.4');
  await phone.page.getByLabel('End (seconds)').press('Enter');
  await getClips(phone.page)
    .getByRole('button', { name: /0:00\.00 to 0:00\.12/ })
    .waitFor();
  await isSaved(phone.page);
  await leavePhone(phone);
});

import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { paintClip } from '../support/painted-clips.ts';
import { listEditorProblems, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { createFilm, enterEditor, makeVideo } from './film-editor.ts';
import { addPhotos, type Api, createApi } from './people.ts';
import { addAccount } from './server.ts';
import { daysOfMay, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The media of the editor: items and moments of videos, also of a person and of an album.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let api: Api;
let projectId: string;
let shown: string;

const moment = (as: Api, id: string, title: string, startMs: number, endMs: number) =>
  as('POST', `/enrichment/videos/${id}/moments`, { title, startMs, endMs });

/** A video of four seconds; of each name another one. */
const video = (name: string) =>
  makeVideo(name, (path) => {
    const size = `${320 + 2 * name.length}x180`;
    paintClip(path, { frames: 120, size, coding: '-c:v libx264 -preset veryfast -g 30' });
  });

async function addStranger(): Promise<void> {
  const { url } = stage.server;
  const { apiKey } = await addAccount(url, stage.account.apiKey);
  const [id] = await addPhotos(url, apiKey, [await video('stranger.mp4')]);
  await moment(createApi(url, apiKey), id!, 'Wave of a stranger', 0, 1000);
}

beforeAll(async () => {
  stage = await openStage();
  ({ api } = stage);
  const [photo] = await stage.add(daysOfMay(2));
  const names = ['a.mp4', 'plain.mp4', 'trashed.mp4', 'locked-one.mp4', 'broken-file.mp4'];
  const [first, plain, trashed, locked, broken] = await stage.add(names.map(video));
  shown = first!;
  await moment(api, shown, 'First wave', 500, 1500);
  await moment(api, shown, 'At the end', 4000, 4000);
  await moment(api, plain!, 'Second wave', 1000, 3000);
  await moment(api, trashed!, 'Trashed wave', 0, 1000);
  await moment(api, locked!, 'Locked wave', 0, 1000);
  await moment(api, broken!, 'Broken wave', 0, 1000);
  await api('DELETE', '/assets', { ids: [trashed] });
  await stage.database.sql`update asset set locked_at = now() where id = ${locked!}`;
  await stage.database
    .sql`update asset set broken_reason = 'broken: no frames' where id = ${broken!}`;
  await addStranger();
  const ann = await api('POST', '/people', { name: 'Ann' });
  const hidden = await api('POST', '/people', { name: 'Hidden Hilda', isHidden: true });
  const box = { x: 10, y: 10, width: 50, height: 50, imageWidth: 320, imageHeight: 180 };
  for (const assetId of [photo, shown])
    await api('POST', '/faces', { assetId, personId: ann.id, ...box });
  await api('POST', '/faces', { assetId: plain, personId: hidden.id, ...box });
  await api('POST', '/albums', { albumName: 'Sea', assetIds: [plain] });
  projectId = await createFilm(stage, 'Media');
  visitor = await enterEditor(stage, projectId);
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const media = () => page.getByRole('region', { name: 'Media' });
/** The moments that are listed, by time, or the items. */
const listed = async () =>
  (
    await media()
      .getByRole('listitem')
      .getByRole('button')
      .evaluateAll((all) => all.map((button) => button.getAttribute('aria-label')!))
  )
    .filter((name) => !name.startsWith('Add the sound'))
    .toSorted();
const readClips = async () => (await api('GET', `/studio/projects/${projectId}`)).document.clips;
const filter = (name: string) => media().getByLabel(name, { exact: true });
const ALL = [
  'Add moment at 0:00: First wave',
  'Add moment at 0:01: Second wave',
  'Add moment at 0:04: At the end',
];

const { step } = journey('the media of a film are found', TIMEOUT_MS);

const show = (kind: string) => media().getByRole('button', { name: kind, exact: true }).click();

step('items are those of a person, and nobody hidden is there to choose', async () => {
  await eventually(async () => (await listed()).length).toBe(2);
  await show('Photos');
  await eventually(async () => (await listed()).every((name) => name.startsWith('Add Photo'))).toBe(
    true,
  );
  expect((await listed()).length).toBe(2);
  await filter('Person').getByRole('option', { name: 'Ann' }).waitFor({ state: 'attached' });
  expect(await filter('Person').getByRole('option').allTextContents()).toEqual([
    'All people',
    'Ann',
  ]);
  await filter('Person').selectOption('Ann');
  await eventually(async () => (await listed()).length).toBe(1);
  await show('Videos');
  await eventually(listed).toEqual([expect.stringMatching(/^Add Video/)]);
  await filter('Person').selectOption('All people');
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step(
  'moments of own videos are listed, not those in the trash, in Locked or of others',
  async () => {
    await show('Moments');
    await eventually(listed).toEqual(ALL);
    await filter('Person').selectOption('Ann');
    await eventually(listed).toEqual([ALL[0]!, ALL[2]!]);
    await filter('Person').selectOption('All people');
    await filter('Album').selectOption('Sea');
    await eventually(listed).toEqual([ALL[1]!]);
    await filter('Search').fill('wave');
    await eventually(listed).toEqual([ALL[1]!]);
    await filter('Album').selectOption('All albums');
    await eventually(listed).toEqual([ALL[0]!, ALL[1]!]);
    await filter('Search').fill('nothing like it');
    await media().getByText('Nothing found').waitFor();
    await filter('Search').fill('');
    await eventually(listed).toEqual(ALL);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  },
);

step(
  'a moment is added by keys, as the part of its video; one of an instant shows its frame',
  async () => {
    await media().getByRole('button', { name: ALL[0]! }).focus();
    await page.keyboard.press('Enter');
    await media().getByRole('button', { name: ALL[2]! }).click();
    const times = (numerator: number, denominator: number) => ({ numerator, denominator });
    await eventually(readClips).toEqual([
      {
        assetId: shown,
        track: 0,
        start: times(0, 1),
        duration: times(1, 1),
        sourceIn: times(1, 2),
      },
      {
        assetId: shown,
        track: 0,
        start: times(1, 1),
        duration: times(1, 30),
        sourceIn: times(119, 30),
      },
    ]);
    expect(await listFaults(page)).toEqual([]);
    expect(listEditorProblems(visitor)).toEqual([]);
  },
);

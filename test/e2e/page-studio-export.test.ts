import { expect, test } from 'bun:test';
import { listFrames, runFfmpeg } from '../support/painted-clips.ts';
import { listEditorProblems } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { createFilm, enterEditor, hasClips, makeNumbers, second, toClip } from './film-editor.ts';
import { getDialog } from './people.ts';
import { until } from './server.ts';
import { openStage, TIMEOUT_MS } from './stage.ts';

test(
  'a film is exported: downloaded, and saved to the library',
  async () => {
    const stage = await openStage();
    const [videoId] = (await stage.add([makeNumbers()])) as [string];
    const clips = [toClip(videoId, 0, second(2, 5)), toClip(videoId, 1, second(3), second(1))];
    const visitor = await enterEditor(stage, await createFilm(stage, 'Holiday', { clips }));
    const { page } = visitor;
    await hasClips(page, 2);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = getDialog(page);
    const exportTo = async (destination: string) => {
      await dialog.getByLabel('Save to').selectOption({ label: destination });
      await dialog.getByLabel('Size').selectOption({ index: 3 });
      await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    };
    const has = (name: string) =>
      until(name, async () => (await dialog.getByRole('link', { name }).count()) === 1);
    await exportTo('File to download');
    await has('Download');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Holiday.mp4');
    const { frames } = listFrames(await download.path());
    expect(frames.slice(0, 12).map(({ number }) => number)).toEqual([...Array(12).keys()]);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    expect(listEditorProblems(visitor)).toEqual([]);
    await exportTo('Your library');
    await has('Show in library');
    await eventually(async () => (await stage.api('GET', '/assets/statistics')).videos).toBe(2);
    await dialog.getByRole('button', { name: 'Delete this export' }).first().click();
    await eventually(() => dialog.getByRole('listitem').count()).toBe(1);
    await page.keyboard.press('Escape');
    await stage.close();
  },
  TIMEOUT_MS,
);

/** Returns a frame of a film, gray, as so many pixels of this width. */
function grabFrame(path: string, seconds: number): Uint8Array {
  const filter = `scale=${WIDTH}:90:flags=area,format=gray`;
  const words = `-frames:v 1 -vf ${filter} -f rawvideo pipe:1`.split(' ');
  return runFfmpeg(['-ss', String(seconds), '-i', path, ...words]);
}
const WIDTH = 160;

/** Returns the first and the last column with something bright; undefined without any. */
function findText(frame: Uint8Array): [number, number] | undefined {
  const columns = [...frame].flatMap((light, at) => (light > 128 ? [at % WIDTH] : []));
  return columns.length === 0 ? undefined : [Math.min(...columns), Math.max(...columns)];
}

test(
  'the titles of a film are in what is exported, each at its time and place',
  async () => {
    const stage = await openStage();
    const title = (text: string, start: number, x: number) => ({
      text,
      start: second(start),
      duration: second(1),
      x,
      y: 0.5,
      size: 0.2,
      color: '#ffffff',
    });
    const titles = [title('I', 1, 0.25), title('WWWW', 3, 0.5)];
    const film = await createFilm(stage, 'Titled', { titles, background: '#000000' });
    const visitor = await enterEditor(stage, film);
    const { page } = visitor;
    await page.getByRole('list', { name: 'Titles' }).getByText('WWWW').waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = getDialog(page);
    await dialog.getByLabel('Save to').selectOption({ label: 'File to download' });
    await dialog.getByLabel('Size').selectOption({ index: 3 });
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    const link = dialog.getByRole('link', { name: 'Download' });
    await link.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const path = await download.path();
    const [before, first, between, last] = [0.5, 1.5, 2.5, 3.5].map((at) =>
      findText(grabFrame(path, at)),
    );
    expect([before, between]).toEqual([undefined, undefined]);
    const [narrow, wide] = [first!, last!];
    expect((narrow[0] + narrow[1]) / 2 / WIDTH).toBeCloseTo(0.25, 1);
    expect((wide[0] + wide[1]) / 2 / WIDTH).toBeCloseTo(0.5, 1);
    expect(wide[1] - wide[0]).toBeGreaterThan(4 * (narrow[1] - narrow[0]));
    expect(listEditorProblems(visitor)).toEqual([]);
    await stage.close();
  },
  TIMEOUT_MS,
);

import { expect, test } from 'bun:test';
import { listFrames } from '../support/painted-clips.ts';
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

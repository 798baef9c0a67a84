import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeClip } from '../../../../../test/fixtures/clips.ts';
import { createFilmExportTests, SMALL } from '../../../../../test/support/exported-films.ts';
import { jobCtx } from '../../../../../test/support/processing.ts';
import { type Encoder, SOFTWARE } from '../../../../media/encoders.ts';
import { createFilmHandler } from '../film.handlers.ts';

const the = createFilmExportTests((folder) => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=1600x900', '-frames:v', '1'];
  makeClip(join(folder, 'wide.jpg'), picture);
});

/** Hardware, as far as the film can tell: its frames pass through the filters of the encoder. */
const hardware = (...options: string[]): Encoder => ({
  name: 'libx264',
  isHardware: true,
  device: [],
  filters: ['format=nv12', 'format=yuv420p'],
  options: ['-preset', 'ultrafast', '-crf', '30', ...options],
});

/** Makes a film on a machine with this encoder. Returns the warnings, and how the film was encoded. */
async function makeFilm(encoder: Encoder): Promise<{ warnings: string[]; profile: string }> {
  const id = await the.queue([await the.add('wide.jpg'), await the.add('wide.jpg')]);
  const warnings: string[] = [];
  const ctx = jobCtx(the.database);
  const log = { ...ctx.log, warn: (text: string) => void warnings.push(text) };
  const handle = createFilmHandler(SMALL.width / 1920, async () => [encoder, SOFTWARE]);
  const effect = await handle({ ...ctx, log }, { operationId: id });
  const after = await the.database.db.transaction(async (tx) => effect?.(tx));
  await after?.();
  expect(await the.get(id)).toMatchObject({ status: 'completed', processed: 2, skipped: 0 });
  const question = 'ffprobe -v error -of csv=p=0 -select_streams v -show_entries stream=profile';
  const { stdout } = Bun.spawnSync([...question.split(' '), the.getFilmPath(id)]);
  return { warnings, profile: stdout.toString().trim() };
}

test('is encoded by hardware where there is some', async () => {
  const profile = 'Constrained Baseline';
  expect(await makeFilm(hardware('-profile:v', 'baseline'))).toEqual({ warnings: [], profile });
});

test('is made again by software where hardware fails', async () => {
  expect(await makeFilm(hardware('-profile:v', 'nonsense'))).toEqual({
    warnings: ['a film is made by software, since hardware failed'],
    profile: 'High',
  });
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { withModels } from '../../../../test/support/models.ts';
import { sample } from '../../../../test/support/sample.ts';
import { INAUGURAL, installSpeech } from '../../../../test/support/speech-models.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import { silentLog } from '../../../core/log.ts';
import { clearModelCache } from '../../../inference/capabilities.ts';
import { openInference } from '../../../inference/client.ts';
import { type TranscribedWindow, SAMPLE_RATE } from '../../../inference/index.ts';
import { openSound } from '../../../media/sound.ts';

// The real Whisper, and a real voice. In a server, where it finds the second of a film: test/e2e/speech.test.ts.
setDefaultTimeout(300_000);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-whisper-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readSamples(path: string): Promise<Int16Array> {
  const audio = { index: 0, codec: '', channels: 1 };
  const sound = openSound(path, { audio, fromMs: 0, maxMs: 30_000, rate: SAMPLE_RATE });
  const samples = await sound.read(30 * SAMPLE_RATE);
  await sound.close();
  return samples;
}

const joinText = ({ lines }: TranscribedWindow): string =>
  lines
    .map(({ text }) => text)
    .join(' ')
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '');

skipWithout('speech models', 'models').describe('the real model', () => {
  test('transcribes speech, also with noise, and nothing from noise or music alone', async () => {
    const dataDir = join(folder, 'alone');
    await installSpeech(dataDir);
    clearModelCache();
    const settings = withModels(dataDir);
    const inference = openInference({ settings, log: silentLog });
    const hear = async (name: string, ...words: string[]) =>
      inference.transcribe(await readSamples(makeClip(join(folder, name), words)));
    let most = 0;
    const watching = setInterval(() => (most = Math.max(most, inference.memory())), 20);
    try {
      const picture = await sharp({
        create: { width: 300, height: 200, channels: 3, background: '#367' },
      })
        .raw()
        .toBuffer();
      const image = { width: 300, height: 200, data: new Uint8Array(picture) };
      // With everything else in memory before and after it.
      await inference.analyze(image, ['faces', 'embedding', 'objects', 'text']);
      const clear = await hear('speech.wav', '-i', INAUGURAL);
      expect(clear.language).toBe('en');
      expect(joinText(clear)).toBe(
        'and so my fellow americans ask not what your country can do for you ' +
          'ask what you can do for your country',
      );
      for (const { confidence } of clear.lines) expect(confidence).toBeGreaterThan(0.5);
      const pink = ['-f', 'lavfi', '-i', 'anoisesrc=d=11:c=pink:a=0.03:r=16000:seed=1'];
      const mixed = ['-filter_complex', '[0][1]amix=inputs=2:duration=first:normalize=0'];
      const noisy = await hear('noisy.wav', '-i', INAUGURAL, ...pink, ...mixed);
      expect(joinText(noisy)).toContain('and so my fellow american');
      const tune =
        "aevalsrc='0.3*sin(2*PI*220*(1+floor(mod(t*3\\,5))/4)*t)*exp(-mod(t*3\\,1))':d=12";
      const storm = 'anoisesrc=d=12:c=brown:a=0.9:seed=1,tremolo=f=0.3:d=0.8';
      const noise = 'anoisesrc=d=12:c=pink:a=0.5:seed=1,tremolo=f=1:d=0.95';
      for (const source of sample('noises', [tune, storm, noise], 1)) {
        expect((await hear('none.wav', '-f', 'lavfi', '-i', source)).lines).toEqual([]);
      }
      await inference.analyze(image, ['faces', 'embedding', 'objects', 'text']);
    } finally {
      clearInterval(watching);
      await inference.close();
    }
    expect(most).toBeGreaterThan(200e6);
    expect(most).toBeLessThan(600e6);
  });
});

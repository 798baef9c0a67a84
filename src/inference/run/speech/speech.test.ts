import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SpeechShape, writeSpeech } from '../../../../test/support/generated-speech.ts';
import { silentLog } from '../../../core/log.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { getCapabilities, clearModelCache } from '../../capabilities.ts';
import { openInference } from '../../client.ts';
import { findModels } from '../../models/installed.ts';
import type { Inference } from '../../types.ts';
import { SAMPLE_RATE } from './mel.ts';
import { openSpeechTokens } from './tokens.ts';

let folder: string;
const opened: Inference[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-speech-'));
});
afterAll(async () => {
  await Promise.all(opened.map((inference) => inference.close()));
  await rm(folder, { recursive: true, force: true });
});

const TALK: SpeechShape = {
  low: [0, ' Good evening.', 100, 100, ' Caf', 'é', ' at ten.', 220, 220],
  high: [10, ' HI', 60],
};

async function library(shape: SpeechShape): Promise<Inference> {
  const dataDir = await mkdtemp(join(folder, 'library-'));
  await writeSpeech(join(dataDir, 'models/speech/made'), shape);
  clearModelCache();
  const settings = { ...defaultSettings(), dataDir };
  expect(getCapabilities(settings)).toEqual({ speech: { modelId: 'made', dimension: 0 } });
  const inference = openInference({ settings, log: silentLog });
  opened.push(inference);
  return inference;
}

/** Four syllables a second, with pauses between them. */
function voice(seconds: number, hertz: number): Int16Array {
  return Int16Array.from({ length: seconds * SAMPLE_RATE }, (_, at) => {
    const time = at / SAMPLE_RATE;
    return (time * 4) % 1 < 0.6 ? 9000 * Math.sin(2 * Math.PI * hertz * time) : 0;
  });
}

describe.each([true, false])('a made-up Whisper, merged: %p', (isMerged) => {
  test('transcribes line by line, with times and language', async () => {
    const inference = await library({ ...TALK, isMerged, language: 'fr' });
    const low = await inference.transcribe(voice(5, 200));
    expect(low).toMatchObject({ language: 'fr', transcribedMs: 5000 });
    expect(low.lines.map(({ startMs, endMs, text }) => [startMs, endMs, text])).toEqual([
      [0, 2000, 'Good evening.'],
      [2000, 4400, 'Café at ten.'],
    ]);
    for (const { confidence } of low.lines) expect(confidence).toBeWithin(0.9, 1.0001);
    const high = await inference.transcribe(voice(3, 5000));
    expect(high.lines).toMatchObject([{ startMs: 200, endMs: 1200, text: 'HI' }]);
  });
});

describe('without speech', () => {
  test('silence, hum and steady noise are not passed to the model', async () => {
    const inference = await library(TALK);
    const seconds = 8 * SAMPLE_RATE;
    const noise = Int16Array.from({ length: seconds }, (_, at) => ((at * 7919) % 4001) - 2000);
    const hum = Int16Array.from({ length: seconds }, (_, at) => 6000 * Math.sin(at / 10));
    const click = new Int16Array(seconds).fill(20_000, 5000, 5100);
    for (const sound of [new Int16Array(seconds), noise, hum, click]) {
      const heard = await inference.transcribe(sound, { language: 'de' });
      expect(heard).toEqual({ language: 'de', lines: [], transcribedMs: 8000 });
    }
    expect((await inference.transcribe(voice(5, 200))).lines).toHaveLength(2);
  });

  test('words in silent ranges are dropped', async () => {
    const inference = await library(TALK);
    const sound = voice(5, 200).fill(0, 2 * SAMPLE_RATE);
    const { lines } = await inference.transcribe(sound);
    expect(lines.map(({ text }) => text)).toEqual(['Good evening.']);
  });

  test('uncertain text and predicted silence are dropped', async () => {
    const texts = async (over: Partial<SpeechShape>) => {
      const { lines } = await (await library({ ...TALK, ...over })).transcribe(voice(5, 200));
      return lines.length;
    };
    expect(await texts({ force: 5 })).toBe(0);
    expect(await texts({ noSpeech: 0.9, force: 7.5 })).toBe(0);
    expect(await texts({ noSpeech: 0.9, force: 20 })).toBe(2);
    expect(await texts({ noSpeech: 0.1, force: 20 })).toBe(2);
  });
});

test('a sentence cut off by the window is transcribed again from its beginning', async () => {
  const inference = await library({
    low: [0, ' Good evening.', 1000, 1000, ' And so'],
    high: [],
  });
  const heard = await inference.transcribe(voice(30, 200));
  expect(heard.lines.map(({ text }) => text)).toEqual(['Good evening.']);
  expect(heard.transcribedMs).toBe(20_000);
  // At the end there is nothing more to be heard.
  const last = await inference.transcribe(voice(25, 200));
  expect(last.lines.map(({ text, endMs }) => [text, endMs])).toEqual([
    ['Good evening.', 20_000],
    ['And so', 25_000],
  ]);
  expect(last.transcribedMs).toBe(25_000);
});

test('repetitive output is dropped', async () => {
  const inference = await library({ low: [0, ' ha'.repeat(18), 500], high: [] });
  const { lines } = await inference.transcribe(voice(12, 200));
  expect(lines).toEqual([]);
});

test('an incomplete folder is no model, and tokens decode to UTF-8 bytes', async () => {
  const root = await mkdtemp(join(folder, 'half-'));
  const place = join(root, 'speech/half');
  await writeSpeech(place, TALK);
  const model = findModels([root]).speech!;
  const { decode, firstTime, languages } = openSpeechTokens(model);
  // é is two bytes: the first alone is no character.
  expect(decode([1, 2])).toBe('é');
  expect(decode([3, 1])).toBe('a');
  expect(decode([3, firstTime, 4])).toBe('ab');
  expect([...languages.values()]).toEqual(['en', 'de', 'fr']);
  await rm(join(place, 'onnx/encoder_model.onnx'));
  expect(findModels([root]).speech).toBeUndefined();
});

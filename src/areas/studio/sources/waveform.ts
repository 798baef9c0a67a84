import type { AudioStream } from '../../../media/probe.ts';
import { openSound } from '../../../media/sound.ts';
import type { Overview } from './files.ts';

/** Samples per second that are looked at. */
const RATE = 4000;
const MOST_PEAKS_PER_SECOND = 20;
const MOST_PEAKS = 20_000;
const FULL_SCALE = 32_768;

type SoundFile = {
  readonly path: string;
  readonly audio: AudioStream;
  readonly durationMs: number;
  readonly signal: AbortSignal;
};

/** Measures how loud a sound is over its time. Throws MediaError. */
export async function measurePeaks({
  path,
  audio,
  durationMs,
  signal,
}: SoundFile): Promise<NonNullable<Overview['waveform']>> {
  const seconds = Math.max(1, durationMs / 1000);
  const samplesPerPeak = Math.ceil(RATE / Math.min(MOST_PEAKS_PER_SECOND, MOST_PEAKS / seconds));
  const sound = openSound(path, { audio, fromMs: 0, maxMs: durationMs + 1000, rate: RATE, signal });
  const peaks: number[] = [];
  try {
    for (;;) {
      const samples = await sound.read(samplesPerPeak);
      if (samples.length === 0) break;
      const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      peaks.push(Math.min(255, Math.round((loudest * 255) / FULL_SCALE)));
    }
  } finally {
    await sound.close();
  }
  return { peaksPerSecond: RATE / samplesPerPeak, peaks };
}

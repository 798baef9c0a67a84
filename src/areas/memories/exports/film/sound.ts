import { rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../../../media/file-placement.ts';
import { MediaError } from '../../../../media/errors.ts';
import { CHANNELS, runFilmTool, SAMPLE_RATE } from '../../../../media/film-encoding.ts';
import { FFMPEG, SAFE_INPUT } from '../../../../media/probe.ts';
import { FADE_FRAMES, FPS } from './plan.ts';
import type { Layer } from './layer.ts';
import { getSegmentFrames, type SegmentOptions } from './segment.ts';

const BYTES_PER_FRAME = (SAMPLE_RATE / FPS) * CHANNELS * 2;
const FADE_SECONDS = FADE_FRAMES / FPS;

/**
 * Writes the sound of the part of an item as '<name>.pcm': raw samples, exactly as long as its pictures: that of a video,
 * faded in and out, else silence.
 */
export async function renderSound(
  layer: Layer,
  options: Omit<SegmentOptions, 'previous'>,
): Promise<void> {
  const { folder, name, isLast, signal } = options;
  const { item, path, probe } = layer;
  const frames = getSegmentFrames(item, isLast);
  const output = join(folder, `${name}.pcm.part`);
  await Bun.write(output, '');
  if (item.kind === 'video' && probe?.audio) {
    const seconds = frames / FPS;
    const filters = [
      // From the very start, where the pictures start, even if the first sample is late.
      `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
      `afade=t=in:d=${FADE_SECONDS}`,
      `afade=t=out:st=${(seconds - FADE_SECONDS).toFixed(3)}:d=${FADE_SECONDS}`,
    ];
    const from = ['-ss', (item.startMs / 1000).toFixed(3), '-t', seconds.toFixed(3)];
    const input = [...from, ...SAFE_INPUT, '-i', `file:${path}`, '-map', `0:${probe.audio.index}`];
    const coding = ['-af', filters.join(','), '-ac', String(CHANNELS), '-ar', String(SAMPLE_RATE)];
    const command = [...FFMPEG, ...input, ...coding, '-f', 's16le', `file:${output}`];
    await runFilmTool(command, { folder, inputs: [path], signal }).catch((error: unknown) => {
      // A film without the sound of a damaged track is better than none.
      if (!(error instanceof MediaError) || error.kind !== 'broken') throw error;
    });
  }
  // Silence fills what is missing.
  await truncate(output, frames * BYTES_PER_FRAME);
  await syncPath(output);
  await rename(output, join(folder, `${name}.pcm`));
}

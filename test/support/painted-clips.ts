import { readFileSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { makeClip } from '../fixtures/clips.ts';
import { cacheFixtureSync, readSource } from '../fixtures/fixture-cache.ts';

// Clips whose frames show their number: 16 bars from left to right, one for each bit, white for 1.

const BITS = 16;

/** Filter of ffmpeg that paints the number of the frame, a pixel for each bit. */
const PAINT = `geq=lum='255*mod(floor(N/pow(2,X)),2)':cb=128:cr=128`;

export function runFfmpeg(words: readonly string[]): Uint8Array {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['ffmpeg', '-v', 'error', '-y', ...words]);
  if (exitCode !== 0) throw new Error(`ffmpeg ${words.join(' ')}: ${stderr.toString()}`);
  return stdout;
}

type Clip = {
  readonly frames: number;
  /** As ffmpeg writes it: '30000/1001'. */
  readonly rate?: string;
  readonly size?: string;
  /** A moving picture of ffmpeg instead of numbers. */
  readonly source?: 'testsrc2';
  /** Behind the painting, as `select` to leave out frames. */
  readonly filters?: readonly string[];
  readonly coding: string;
};

/** Writes a clip with painted numbers. */
export function paintClip(
  path: string,
  { frames, rate = '30', size = '320x192', source, filters = [], coding }: Clip,
): void {
  const timing = `r=${rate}:d=${frames}`;
  const [width, height] = size.split('x');
  const [input, painting] = source
    ? [`${source}=s=${size}:${timing}`, []]
    : [
        `color=c=black:s=${BITS}x2:${timing}`,
        [PAINT, `scale=${width}:${height}:flags=neighbor`, 'setsar=1'],
      ];
  const graph = [...painting, ...filters, 'format=yuv420p'].join(',');
  const made = ['-frames:v', String(frames), '-vf', graph, ...coding.split(' ')];
  makeClip(path, ['-f', 'lavfi', '-i', input, ...made]);
}

/** Returns the number that a picture shows. */
export async function readNumber(picture: string | Uint8Array): Promise<number> {
  const { data, info } = await sharp(picture)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const row = Math.floor(info.height / 2) * info.width;
  let number = 0;
  for (let bit = 0; bit < BITS; bit += 1) {
    const x = Math.floor(((bit + 0.5) * info.width) / BITS);
    if (data[(row + x) * info.channels]! > 127) number += 2 ** bit;
  }
  return number;
}

export type PaintedFrame = {
  /** Presentation time in units of the stream. */
  readonly pts: number;
  readonly number: number;
};

type PaintedFrames = { frames: PaintedFrame[]; unit: [number, number] };

/** Returns all frames of a clip in order: what it shows, told by ffmpeg and not by our code. */
export function listFrames(path: string): PaintedFrames {
  const key = [readSource(import.meta.path), 'listFrames', readFileSync(path)];
  const list = cacheFixtureSync(`${path}.json`, key, (draft) =>
    writeFileSync(draft, JSON.stringify(decodeFrames(path))),
  );
  return JSON.parse(readFileSync(list, 'utf8'));
}

function decodeFrames(path: string): PaintedFrames {
  const shown = runFfmpeg([
    '-i',
    path,
    '-vsync',
    'passthrough',
    '-vf',
    `scale=${BITS}:1:flags=area,format=gray`,
    '-f',
    'rawvideo',
    'pipe:1',
  ]);
  const { stdout } = Bun.spawnSync([
    'ffprobe',
    '-v',
    'error',
    '-select_streams',
    'v:0',
    '-of',
    'json',
    '-show_entries',
    'frame=best_effort_timestamp:stream=time_base',
    // Some files do not tell all times.
    '-fflags',
    '+genpts',
    path,
  ]);
  const told = JSON.parse(stdout.toString());
  const unit = told.streams[0].time_base.split('/').map(Number);
  const frames = told.frames.map((frame: { best_effort_timestamp: number }, at: number) => ({
    pts: frame.best_effort_timestamp,
    number: Array.from(shown.subarray(at * BITS, (at + 1) * BITS)).reduce(
      (sum, light, bit) => sum + (light > 127 ? 2 ** bit : 0),
      0,
    ),
  }));
  return { frames, unit };
}

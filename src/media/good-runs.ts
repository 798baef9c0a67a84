import type { SampleName } from './tool-samples.ts';

type GoodRun = {
  readonly sample: SampleName;
  /** Its name; undefined: it prints what it has found. */
  readonly output?: string;
  readonly toArguments: (path: string, output: string) => readonly string[];
};

/** How each tool that gives verdicts about files works on a sample. */
export const GOOD_RUNS: Readonly<Record<string, GoodRun>> = {
  ffmpeg: {
    sample: 'clip',
    output: 'frame.tiff',
    toArguments: (path, output) => [
      '-nostdin',
      '-v',
      'error',
      '-threads',
      '1',
      '-i',
      `file:${path}`,
      '-frames:v',
      '1',
      '-c:v',
      'tiff',
      '-f',
      'image2',
      '-update',
      '1',
      `file:${output}`,
    ],
  },
  ffprobe: {
    sample: 'clip',
    toArguments: (path) => ['-v', 'error', '-show_entries', 'stream=codec_name', `file:${path}`],
  },
  'heif-convert': {
    sample: 'heic',
    output: 'picture.jpg',
    toArguments: (path, output) => ['--quiet', path, output],
  },
  convert: {
    sample: 'photo',
    output: 'picture.tiff',
    toArguments: (path, output) => [path, output],
  },
  dcraw_emu: {
    sample: 'raw',
    output: 'picture.tiff',
    toArguments: (path, output) => ['-T', '-h', '-Z', output, path],
  },
};

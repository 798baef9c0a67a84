import { test } from 'bun:test';
import {
  B_FRAMES,
  CLIP_SECONDS,
  type CountedClip,
  expectExactStream,
  FROM_ZERO,
  H264,
  HEVC,
  useStreamLibrary,
  QUICK_CLIPS,
} from '../../../test/support/exact-streams.ts';
import { sample } from '../../../test/support/sample.ts';
import { countedClip } from '../../../test/support/video-streams.ts';

// Frame rates and containers: each frame is shown once, at its time, in each variant.

const library = await useStreamLibrary();

const counted = (rate: string, filter?: string) => countedClip(rate, CLIP_SECONDS, filter);
/** The gaps between frames are 40 to 340 ms. */
const VARIABLE = "select='not(mod(n*n,7)*mod(n,5))'";
const VFR = [...counted('25', VARIABLE), ...B_FRAMES, '-g', '10', '-fps_mode', 'vfr'];

/** By what the clip is. */
const CLIPS: Readonly<Record<string, CountedClip>> = {
  '25 frames a second': {
    file: 'a.mp4',
    args: [...counted('25'), ...H264, '-g', '25'],
    passed: 4,
  },
  '29.97 frames a second and B-frames': {
    file: 'b.mp4',
    args: [...counted('30000/1001'), ...B_FRAMES, '-g', '45'],
    passed: 4,
  },
  '60 frames a second, B-frames and sound of another kind': {
    file: 'c.mkv',
    args: [...counted('60'), ...B_FRAMES, '-g', '120', '-c:a', 'libmp3lame', ...FROM_ZERO],
    passed: 4,
  },
  'a variable frame rate': {
    file: 'd.mkv',
    args: [...VFR, '-c:a', 'aac', ...FROM_ZERO],
    passed: 3,
  },
  'a variable frame rate in MP4': { file: 'e.mp4', args: VFR, passed: 3 },
  'HEVC with closed groups': {
    file: 'f.mp4',
    args: [...counted('25'), ...HEVC, 'log-level=error:open-gop=0:keyint=50'],
    passed: 3,
  },
  'a clip that begins late, with long groups': {
    file: 'g.mkv',
    args: [...counted('25'), ...B_FRAMES, '-g', '250', '-output_ts_offset', '3'],
  },
  'an AVI, which tells no times': {
    file: 'h.avi',
    args: [...counted('25'), '-c:v', 'mpeg4', '-bf', '2'],
  },
};

test.each(sample('exact', Object.keys(CLIPS), QUICK_CLIPS))('a stream of %s is exact', (name) =>
  expectExactStream(library, CLIPS[name]!),
);

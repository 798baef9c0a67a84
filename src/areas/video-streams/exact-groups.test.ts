import { test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeClip } from '../../../test/fixtures/clips.ts';
import {
  B_FRAMES,
  CLIP_SECONDS,
  type CountedClip,
  expectExactStream,
  FROM_ZERO,
  HEVC,
  OPEN_GROUPS,
  useStreamLibrary,
  QUICK_CLIPS,
} from '../../../test/support/exact-streams.ts';
import { sample } from '../../../test/support/sample.ts';
import { countedClip } from '../../../test/support/video-streams.ts';

// Groups of pictures that are open, that is whose first frames refer to frames before the key frame, and long ones: no
// segment begins where a frame of it cannot be decoded.

const library = await useStreamLibrary();

const counted = (rate: string, seconds = CLIP_SECONDS) => countedClip(rate, seconds);
const OPEN_H264 = [...B_FRAMES, '-x264-params', OPEN_GROUPS];
const OPEN_HEVC = [...HEVC, `log-level=error:${OPEN_GROUPS}`];

/** A clip of three parts, each of which begins a closed group. */
function join3(file: string, args: readonly string[]): CountedClip {
  const name = (what: string) => join(library.folder, `${file}-${what}`);
  const part = makeClip(name('part.mp4'), args);
  const list = name('list.txt');
  writeFileSync(list, `file '${part}'\n`.repeat(3));
  return { file, args: ['-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy'] };
}

const LONG_SECONDS = 24;
/** By what the clip is. */
const CLIPS: Readonly<Record<string, () => CountedClip>> = {
  'H.264 with open groups': () => ({
    file: 'a.mp4',
    args: [...counted('25'), ...OPEN_H264],
    passed: 1,
  }),
  'H.264 with open groups in Matroska': () => ({
    file: 'b.mkv',
    args: [...counted('25'), ...OPEN_H264, '-c:a', 'aac', ...FROM_ZERO],
    passed: 1,
  }),
  'HEVC with open groups': () => ({
    file: 'c.mp4',
    args: [...counted('25'), ...OPEN_HEVC],
    passed: 1,
  }),
  'H.264 with open groups, longer than a segment may be': () => ({
    file: 'd.mp4',
    args: [...counted('10', LONG_SECONDS), ...OPEN_H264],
    beeps: LONG_SECONDS - 1,
  }),
  'HEVC with open groups, longer than a segment may be': () => ({
    file: 'e.mp4',
    args: [...counted('10', LONG_SECONDS), ...OPEN_HEVC],
    beeps: LONG_SECONDS - 1,
  }),
  'H.264 whose groups are closed now and then': () => ({
    ...join3('f.mp4', [...counted('25', 2), ...OPEN_H264]),
    passed: 3,
    beeps: 3,
  }),
  'HEVC whose groups are closed now and then': () => ({
    ...join3('g.mp4', [...counted('25', 2), ...OPEN_HEVC]),
    passed: 3,
    beeps: 3,
  }),
  'groups of twelve seconds': () => ({
    file: 'h.mp4',
    args: [...counted('10', LONG_SECONDS), ...B_FRAMES, '-g', '120', '-sc_threshold', '0'],
    beeps: LONG_SECONDS - 1,
  }),
  'groups of eight seconds': () => ({
    file: 'i.mp4',
    args: [...counted('10', LONG_SECONDS), ...B_FRAMES, '-g', '80', '-sc_threshold', '0'],
    passed: 3,
    beeps: LONG_SECONDS - 1,
  }),
};

test.each(sample('exact-groups', Object.keys(CLIPS), QUICK_CLIPS))(
  'a stream of %s is exact',
  (name) => expectExactStream(library, CLIPS[name]!()),
);

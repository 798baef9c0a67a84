import { test } from 'bun:test';
import { join } from 'node:path';
import { makeClip } from '../../../test/fixtures/clips.ts';
import {
  B_FRAMES,
  CLIP_SECONDS,
  coded,
  type CountedClip,
  expectExactStream,
  GROUPS,
  H264,
  useStreamLibrary,
  QUICK_CLIPS,
} from '../../../test/support/exact-streams.ts';
import { sample } from '../../../test/support/sample.ts';
import { countedClip } from '../../../test/support/video-streams.ts';

// Clocks of tracks that do not begin together, and edit lists.

const library = await useStreamLibrary();

const [PICTURES, SOUND] = [0, 1];

/** A clip of which one track begins later than the other by so many seconds. */
function shift(file: string, track: number, seconds: number, coding = B_FRAMES): CountedClip {
  const source = countedClip('25', CLIP_SECONDS);
  const inputs = [source.slice(0, 4), source.slice(4)];
  inputs[track]!.unshift('-itsoffset', String(seconds));
  return { file, args: [...inputs.flat(), ...coding, ...GROUPS] };
}

/** A clip that is cut without coding, by an edit list, from so many seconds on. */
function cut(file: string, seconds: string): CountedClip {
  const args = [...countedClip('25', CLIP_SECONDS), ...B_FRAMES, ...GROUPS, '-g', '15'];
  const whole = makeClip(join(library.folder, `whole-${file}`), args);
  return { file, args: ['-ss', seconds, '-i', whole, '-c', 'copy'], beeps: 4 };
}

/** By what the clip is. */
const CLIPS: Readonly<Record<string, () => CountedClip>> = {
  'sound that begins later': () => ({ ...shift('a.mp4', SOUND, 0.7), passed: 4 }),
  'sound that begins later in Matroska': () => ({ ...shift('b.mkv', SOUND, 0.7), passed: 4 }),
  'sound that begins earlier': () => ({ ...shift('c.mp4', PICTURES, 0.7), passed: 4 }),
  'sound that begins earlier, without B-frames': () => ({
    ...shift('d.mp4', PICTURES, 0.7, H264),
    passed: 4,
  }),
  'an edit list that begins between key frames': () => cut('e.mp4', '1.5'),
  'an edit list that begins at a key frame': () => ({ ...cut('f.mov', '1.8'), passed: 3 }),
  'B-frames that are decoded before zero': () => ({
    ...coded('g.mp4', '-movflags', 'negative_cts_offsets'),
    passed: 4,
  }),
  'B-frames without an edit list': () => ({ ...coded('h.mp4', '-use_editlist', '0'), passed: 4 }),
};

test.each(sample('exact-tracks', Object.keys(CLIPS), QUICK_CLIPS))(
  'a stream of %s is exact',
  (name) => expectExactStream(library, CLIPS[name]!()),
);

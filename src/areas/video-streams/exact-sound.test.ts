import { test } from 'bun:test';
import { join } from 'node:path';
import { makeClip, writeTurned } from '../../../test/fixtures/clips.ts';
import {
  coded,
  type CountedClip,
  expectExactStream,
  useStreamLibrary,
  QUICK_CLIPS,
} from '../../../test/support/exact-streams.ts';
import { sample } from '../../../test/support/sample.ts';

// Kinds of sound, none, and turned pictures.

const library = await useStreamLibrary();

/** A clip whose container tells players to turn it. */
function turn(file: string): CountedClip {
  const upright = coded(`upright-${file}`);
  const whole = makeClip(join(library.folder, upright.file), upright.args);
  const turned = writeTurned(join(library.folder, `turned-${file}`), whole, 180);
  return { file, args: ['-i', turned, '-c', 'copy'] };
}

const SIX = Array.from({ length: 6 }, (_, channel) => `c${channel}=c0`).join('|');

/** By what the clip has. */
const CLIPS: Readonly<Record<string, () => CountedClip>> = {
  'a picture upside down': () => turn('i.mp4'),
  'stereo sound': () => ({ ...coded('j.mp4', '-ac', '2', '-ar', '48000'), passed: 4 }),
  'six channels of sound': () => ({ ...coded('k.mp4', '-af', `pan=5.1|${SIX}`), passed: 4 }),
  'no sound': () => ({ ...coded('l.mp4', '-an'), passed: 4, beeps: 0 }),
};

test.each(sample('exact-sound', Object.keys(CLIPS), QUICK_CLIPS))(
  'a stream of %s is exact',
  (name) => expectExactStream(library, CLIPS[name]!()),
);

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { loadVideoIndex } from '../../src/media/frame-times.ts';
import { probe } from '../../src/media/probe.ts';
import { transcode } from '../../src/media/transcode.ts';
import { DEFAULT_VIDEO_SETTINGS, type VideoSettings } from '../../src/media/video-settings.ts';
import { makeClip } from '../fixtures/clips.ts';
import { openFixtures } from '../fixtures/index.ts';

// Films as they are prepared and shown: README.md has the public threads.

setDefaultTimeout(120_000);

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph];
const make = (name: string, ...args: readonly string[]) => makeClip(fixtures.path(name), args);
const countFrames = async (path: string) =>
  (await loadVideoIndex(path, { memory: `${path}.json` })).times.length;

async function prepare(path: string, settings: Partial<VideoSettings> = {}) {
  const target = `${path}.out.mp4`;
  const all = { ...DEFAULT_VIDEO_SETTINGS, ...settings };
  await transcode(path, target, { probe: await probe(path), settings: all });
  return target;
}

test('358: a prepared film with a variable frame rate has each frame of its source', async () => {
  const graph = "testsrc=size=64x48:rate=30:duration=2,select='lt(t,1)+not(mod(n,7))'";
  const path = make('variable.mkv', ...lavfi(graph), '-fps_mode', 'vfr', '-c:v', 'mpeg4');
  expect(await countFrames(await prepare(path))).toBe(await countFrames(path));
});

test('359: a film with late pictures is as long as it says when it is prepared', async () => {
  const inputs = [
    '-itsoffset',
    '2',
    ...lavfi('testsrc=size=64x48:rate=10:duration=1'),
    ...lavfi('sine=duration=3'),
  ];
  const path = make('late.mkv', ...inputs, '-c:v', 'mpeg4', '-c:a', 'aac');
  const [said, prepared] = [await probe(path), await probe(await prepare(path))];
  expect(Math.abs((said.durationMs ?? 0) - (prepared.durationMs ?? 0))).toBeLessThan(60);
});

test('587: a film brighter than white whose tones are not mapped says so, in 8 bits, too', async () => {
  const names = '-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc'.split(' ');
  const graph = lavfi('testsrc2=size=64x48:rate=10:duration=1');
  const coding = ['-c:v', 'libx265', '-x265-params', 'log-level=error', '-pix_fmt', 'yuv420p10le'];
  const path = make('bright.mov', ...graph, ...coding, ...names);
  const { video } = await probe(await prepare(path, { tonemap: 'disabled' }));
  const color = { transfer: 'smpte2084', primaries: 'bt2020', matrix: 'bt2020nc' };
  expect(video).toMatchObject({ codec: 'h264', bitDepth: 8, isHdr: true, color });
});

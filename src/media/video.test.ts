import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { makeClip } from '../../test/fixtures/clips.ts';
import {
  H264,
  HDR,
  TONE,
  clip,
  colorAt,
  hdrClip,
  openFixtures,
  soundClip,
  turned,
  createNoise,
} from '../../test/fixtures/index.ts';
import { effort } from '../../test/support/effort.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';
import { needsTranscode } from './playable.ts';
import { renderPoster } from './poster.ts';
import { probe } from './probe.ts';
import { transcode } from './transcode.ts';
import { DEFAULT_VIDEO_SETTINGS } from './video-settings.ts';

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

const withSound = (name: string, ...options: string[]) =>
  soundClip(fixtures.path(name), ...options);
const pq = (name: string) => hdrClip(fixtures.path(name));
const turnedClip = (name: string, degrees: 90 | 180 | 270) => turned(fixtures.path(name), degrees);

const FAST = { ...DEFAULT_VIDEO_SETTINGS, preset: 'ultrafast' } as const;

const poster = (path: string) => renderPoster(path, { tempDir: fixtures.folder });
const catchKind = (work: Promise<unknown>) =>
  work.then(
    () => 'fine',
    (error: unknown) => (error as { kind?: string }).kind,
  );

describe('probe', () => {
  test('returns streams, size, duration and bit depth', async () => {
    const found = await probe(withSound('plain.mp4', '-c:a', 'aac'));
    expect(found).toMatchObject({
      durationMs: 1000,
      video: {
        codec: 'h264',
        width: 320,
        height: 180,
        rotation: 0,
        bitDepth: 8,
        fps: 25,
        isHdr: false,
        isInterlaced: false,
      },
      audio: { codec: 'aac', channels: 1 },
    });
    expect((await probe(pq('pq.mp4'))).video).toMatchObject({
      codec: 'hevc',
      bitDepth: 10,
      isHdr: true,
    });
  });

  test('returns the displayed size of a rotated clip', async () => {
    expect((await probe(turnedClip('turned.mp4', 90))).video).toMatchObject({
      width: 180,
      height: 320,
    });
    expect((await probe(turnedClip('head.mp4', 180))).video).toMatchObject({
      width: 320,
      height: 180,
      rotation: 180,
    });
  });

  test('sound has no picture, also with a cover in it', async () => {
    const red = ['-f', 'lavfi', '-i', 'color=red:size=64x64', '-frames:v', '1'];
    const cover = makeClip(fixtures.path('cover.jpg'), red);
    const attached = ['-map', '0', '-map', '1', '-c:v', 'copy', '-disposition:v', 'attached_pic'];
    for (const [name, codec] of [
      ['a.mp3', 'libmp3lame'],
      ['a.flac', 'flac'],
      ['a.m4a', 'aac'],
      ['a.ogg', 'libvorbis'],
      ['a.wav', 'pcm_s16le'],
      ['a.opus', 'libopus'],
    ] as const) {
      const art = name === 'a.mp3' ? ['-i', cover, ...attached] : [];
      const path = makeClip(fixtures.path(name), [...TONE, ...art, '-c:a', codec]);
      const found = await probe(path);
      expect([name, found.video, found.audio?.channels]).toEqual([name, undefined, 1]);
      expect(await catchKind(poster(path))).toBe('unsupported');
      const isPlayed = !['a.ogg', 'a.opus'].includes(name);
      expect([name, needsTranscode(found) === undefined]).toEqual([name, isPlayed]);
      expect(
        needsTranscode(found, { ...DEFAULT_VIDEO_SETTINGS, policy: 'disabled' }),
      ).toBeUndefined();
    }
  });

  test('playlists and scripts that name other files are not opened', async () => {
    withSound('target.mp4');
    for (const content of [
      '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\ntarget.mp4\n#EXT-X-ENDLIST\n',
      'ffconcat version 1.0\nfile target.mp4\n',
      '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"></MPD>',
      'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9999 RTP/AVP 96\n',
    ]) {
      await Bun.write(fixtures.path('list.mp4'), content);
      expect(await catchKind(probe(fixtures.path('list.mp4')))).toBeOneOf([
        'unsupported',
        'broken',
      ]);
      expect(await catchKind(poster(fixtures.path('list.mp4')))).toBeOneOf([
        'unsupported',
        'broken',
      ]);
    }
  });

  test('a picture, an empty file and garbage are no video', async () => {
    for (const content of ['', 'hello', createNoise('video', 10_000)]) {
      await Bun.write(fixtures.path('odd.mp4'), content);
      expect(await catchKind(probe(fixtures.path('odd.mp4')))).toBeOneOf(['broken', 'unsupported']);
    }
  });
});

describe('compatible videos', () => {
  const why = async (path: string) => needsTranscode(await probe(path));

  test('H.264 in 8 bit with a common sound in MP4 or MOV', async () => {
    expect(await why(withSound('ok.mp4', '-c:a', 'aac'))).toBeUndefined();
    expect(await why(withSound('ok.mov', '-c:a', 'aac'))).toBeUndefined();
    expect(await why(clip(fixtures.path('mute.mp4'), ...H264))).toBeUndefined();
  });

  test('other videos have a reason', async () => {
    expect(await why(withSound('x.mkv', '-c:a', 'aac'))).toStartWith('container matroska');
    expect(await why(withSound('pcm.mov', '-c:a', 'pcm_s16le'))).toBe('audio codec pcm_s16le');
    expect(await why(clip(fixtures.path('m.avi'), '-c:v', 'mjpeg'))).toBe('video codec mjpeg');
    expect(await why(pq('why.mp4'))).toBe('video codec hevc');
    expect(
      await why(clip(fixtures.path('444.mp4'), '-c:v', 'libx264', '-pix_fmt', 'yuv444p')),
    ).toBe('pixel format yuv444p');
    expect(
      await why(clip(fixtures.path('10.mp4'), '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le')),
    ).toBe('pixel format yuv420p10le');
    expect(
      await why(clip(fixtures.path('4k.mp4'), '-vf', 'scale=3840:2160', '-frames:v', '2', ...H264)),
    ).toBe('2160 lines');
  });
});

describe('a poster', () => {
  test('is upright, and not a black first frame', async () => {
    const black = ['-f', 'lavfi', '-i', 'color=black:size=320x180:rate=25:duration=2'];
    const red = ['-f', 'lavfi', '-i', 'color=red:size=320x180:rate=25:duration=3'];
    const joined = ['-filter_complex', '[0][1]concat', ...H264];
    const path = makeClip(fixtures.path('fade.mp4'), [...black, ...red, ...joined]);
    const image = await poster(path);
    expect([image.width, image.height]).toEqual([320, 180]);
    expect((await colorAt(image.preview.bytes))[0]).toBeGreaterThan(200);
    const portrait = await poster(turnedClip('portrait.mp4', 270));
    expect([
      portrait.width,
      portrait.height,
      portrait.preview.width,
      portrait.preview.height,
    ]).toEqual([180, 320, 180, 320]);
    expect(portrait.thumbhash.length).toBeGreaterThan(10);
  });

  test('of HDR is neither dark nor pale', async () => {
    // PQ code 0.58: paper white at 203 nits.
    const white = 'color=0x949494:size=320x180:rate=25:duration=1';
    const path = makeClip(fixtures.path('white.mp4'), ['-f', 'lavfi', '-i', white, ...HDR]);
    const [red, green, blue] = await colorAt((await poster(path)).preview.bytes);
    expect(Math.max(red!, green!, blue!) - Math.min(red!, green!, blue!)).toBeLessThan(8);
    expect(red).toBeGreaterThan(150);
    expect(red).toBeLessThan(250);
  });

  test('of one frame, and of a file cut off, still works', async () => {
    expect((await poster(clip(fixtures.path('one.mp4'), ...H264, '-frames:v', '1'))).width).toBe(
      320,
    );
    const whole = await Bun.file(withSound('cut.mkv')).bytes();
    await Bun.write(fixtures.path('cut-off.mkv'), whole.subarray(0, whole.length / 2));
    expect((await poster(fixtures.path('cut-off.mkv'))).width).toBe(320);
    expect(readdirSync(fixtures.folder).filter((name) => name.startsWith('poster-'))).toEqual([]);
  });
});

/** Whether long videos are transcoded as a whole. */
const IS_WHOLE = effort({ quick: 0, full: 1 }) === 1;

/** Returns the path of the first second of a video, in its own codecs and container. */
function cutBeginning(path: string): string {
  const streams = ['-map', '0:v:0', '-map', '0:a:0', '-c', 'copy', '-t', '1'];
  return makeClip(fixtures.path(`beginning${extname(path)}`), ['-i', path, ...streams]);
}

skipWithout('media').describe('files of real cameras', () => {
  test('the video of a live photo and an old AVI give posters and play after transcoding', async () => {
    for (const name of ['iphone-xr/IMG_3589.mov', 'cameras/DSC_0009.AVI']) {
      const path = join(MEDIA!, name);
      const found = await probe(path);
      expect(needsTranscode(found)).toBeString();
      const image = await poster(path);
      expect([image.width, image.height]).toEqual([found.video!.width, found.video!.height]);
      const target = fixtures.path('real.mp4');
      const source = IS_WHOLE ? path : cutBeginning(path);
      await transcode(source, target, { probe: await probe(source), settings: FAST });
      expect(needsTranscode(await probe(target))).toBeUndefined();
    }
  }, 300_000);
});

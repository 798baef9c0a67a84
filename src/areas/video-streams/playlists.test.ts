import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { M3U8Parser } from 'hls.js';
import { makeClip } from '../../../test/fixtures/clips.ts';
import { B_FRAMES, H264, HEVC, OPEN_GROUPS } from '../../../test/support/exact-streams.ts';
import { type Caller, seed, send } from '../../../test/support/harness.ts';
import { addFile } from '../../../test/support/processing.ts';
import { sample } from '../../../test/support/sample.ts';
import { countedClip, inspect, useStreamLibrary } from '../../../test/support/video-streams.ts';
import { stopVideoStreams } from './sessions.ts';

// Playlists and segments as a player of HTTP Live Streaming reads them (RFC 8216, and the demands of Apple on fragmented
// MP4): by the parser of hls.js, and by the boxes of the initialisation.

const library = await useStreamLibrary();

const SECONDS = 6;
const RATE = 25;
const counted = () => countedClip(`${RATE}`, SECONDS);
/** By what the clip is: what ffmpeg is told, and the names of the codecs of its variants. */
const CLIPS: Readonly<
  Record<string, readonly [args: readonly string[], codecs: readonly string[]]>
> = {
  'H.264': [
    [...counted(), ...B_FRAMES, '-g', '25'],
    ['avc1.64001e,mp4a.40.2', 'avc1.64000c,mp4a.40.2'],
  ],
  HEVC: [
    [...counted(), ...HEVC, 'log-level=error:open-gop=0:keyint=50'],
    ['avc1.64001e,mp4a.40.2', 'hvc1.1.6.L60.90,mp4a.40.2'],
  ],
  'a video without sound': [
    [...counted(), ...H264, '-an', '-g', '25'],
    ['avc1.64001e', 'avc1.42c00c'],
  ],
  'open groups': [
    [...counted(), ...B_FRAMES, '-x264-params', OPEN_GROUPS],
    ['avc1.64001e,mp4a.40.2', 'avc1.64000c,mp4a.40.2'],
  ],
};

/** The address of the main playlist; the path is that of the API. */
const toUrl = (id: string) => `http://localhost/assets/${id}/video/stream/main.m3u8`;

async function read(url: string, caller: Caller): Promise<{ type: string | null; bytes: Buffer }> {
  const { pathname, search } = new URL(url);
  const response = await send(library.app, `GET ${pathname}${search}`, caller);
  expect(response.status).toBe(200);
  const type = response.headers.get('content-type');
  return { type, bytes: Buffer.from(await response.arrayBuffer()) };
}

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl';

async function readPlaylist(url: string, caller: Caller): Promise<string> {
  const { type, bytes } = await read(url, caller);
  expect(type).toBe(PLAYLIST_TYPE);
  return bytes.toString();
}

/** Reads the playlists of a clip, and each segment of each variant once. */
async function readClip(name: string) {
  const { database, folder } = library;
  const owner = await seed(database).user();
  const path = makeClip(join(folder, `${name}.mp4`), CLIPS[name]![0]);
  const id = await addFile(database, path, { ownerId: owner.id });
  const caller = { as: owner };
  const main = await readPlaylist(toUrl(id), caller);
  const { levels, playlistParsingError } = M3U8Parser.parseMasterPlaylist(main, toUrl(id));
  expect(playlistParsingError).toBeNull();
  const variants = [];
  for (const [number, level] of levels.entries()) {
    const text = await readPlaylist(level.url, caller);
    const parsed = M3U8Parser.parseLevelPlaylist(text, level.url, number, LEVEL_TYPE, 0, null);
    const init = await read(parsed.fragments[0]!.initSegment!.url, caller);
    const segments = [];
    for (const fragment of parsed.fragments) {
      segments.push({ fragment, ...(await read(fragment.url, caller)) });
    }
    variants.push({ level, text, parsed, init, segments });
  }
  return { main, variants, original: inspect(path) };
}
/** PlaylistLevelType.MAIN, of which the library has no value. */
const LEVEL_TYPE = 'main' as Parameters<typeof M3U8Parser.parseLevelPlaylist>[3];

describe.each(sample('playlists', Object.keys(CLIPS), 2))('the playlists of %s', (name) => {
  let clip: Awaited<ReturnType<typeof readClip>>;
  beforeAll(async () => {
    clip = await readClip(name);
    await stopVideoStreams(library.database.deps);
  });

  test('name what is in each variant, and where all of it is', () => {
    const { main, variants } = clip;
    expect(main).toStartWith('#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n');
    const codecs = variants.map(({ level }) => level.attrs['CODECS']);
    expect(new Set(codecs)).toEqual(new Set(CLIPS[name]![1]));
    for (const { level, text, parsed, init, segments } of variants) {
      const { width, height, attrs, bitrate } = level;
      expect([width, height, attrs['FRAME-RATE']]).toEqual([320, 180, '25.000']);
      const { live, type, version, startSN, targetduration, totalduration } = parsed;
      expect(parsed.playlistParsingError).toBeNull();
      expect([live, type, version, startSN]).toEqual([false, 'VOD', 7, 0]);
      expect(text).toEndWith('\n#EXT-X-ENDLIST\n');
      expect(totalduration).toBeCloseTo(SECONDS, 2);
      expect(init.type).toBe('video/mp4');
      const [video] = attrs['CODECS']!.split(',');
      expect(describeSample(init.bytes)).toBe(video!);
      const { url } = segments[0]!.fragment.initSegment!;
      for (const { fragment, type: mimeType, bytes } of segments) {
        // RFC 8216 §4.3.3.1
        expect(Math.round(fragment.duration)).toBeLessThanOrEqual(targetduration);
        expect(fragment.initSegment!.url).toBe(url);
        expect(mimeType).toBe('video/iso.segment');
        expect((bytes.length * 8) / Math.max(1, fragment.duration)).toBeLessThan(bitrate);
      }
    }
  });

  test('say rightly that each segment is decoded by itself', () => {
    for (const { init, segments } of clip.variants) {
      for (const { fragment, bytes } of sample(`segments of ${name}`, segments, 2)) {
        const { numbers, frames } = inspect(Buffer.concat([init.bytes, bytes]));
        const { start, duration } = fragment;
        expect(frames.at(-1)! / 1000).toBeWithin(duration - 0.05, duration);
        const [first, end] = [start * RATE, (start + duration) * RATE].map(Math.round);
        expect(numbers).toEqual(clip.original.numbers.slice(first, end));
      }
    }
  });
});

/** Returns the name of the codec (RFC 6381) by the sample entry of the pictures. */
function describeSample(init: Buffer): string {
  const avc = init.indexOf('avcC');
  if (avc > 0) {
    expect(init.includes('avc1')).toBe(true);
    return `avc1.${init.toString('hex', avc + 5, avc + 8)}`;
  }
  // Apple plays no other.
  expect([init.includes('hvc1'), init.includes('hev1')]).toEqual([true, false]);
  const hevc = init.indexOf('hvcC') + 4;
  const [profile, level] = [init[hevc + 1]! & 0x1f, init[hevc + 12]!];
  // The compatible profiles and the constraints are those of x265.
  return `hvc1.${profile}.6.L${level}.90`;
}

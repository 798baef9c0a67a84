import { afterAll } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { DEFAULTS } from '../../src/areas/system-config/index.ts';
import { makeClip } from '../fixtures/clips.ts';
import { run } from '../fixtures/run.ts';
import { configWith } from './config.ts';
import { call, type Caller, seed, send, testApp } from './harness.ts';
import type { Json } from './json.ts';
import { addFile, openMediaLibrary } from './processing.ts';

/** A library whose videos are streamed, in up to 720 lines. */
export async function openStreamLibrary() {
  const library = await openMediaLibrary();
  const app = testApp(library.database);
  const admin = await seed(library.database).user(['all'], { isAdmin: true });
  const resolutions: (typeof DEFAULTS.ffmpeg.realtime)['resolutions'] = [480, 720];
  const realtime = { ...DEFAULTS.ffmpeg.realtime, enabled: true, resolutions };
  await call(app, 'PUT /system-config', { as: admin, body: configWith({ ffmpeg: { realtime } }) });
  return { ...library, app };
}
/** Opens one for the tests of a file. */
export async function useStreamLibrary(): Promise<StreamLibrary> {
  const library = await openStreamLibrary();
  afterAll(() => library.close());
  return library;
}
export type StreamLibrary = Awaited<ReturnType<typeof openStreamLibrary>>;

let clips = 0;
/** Adds a video of a minute, or so many seconds, that no other one is the same as, and that can be passed through. */
export async function addMinute(
  { database, folder }: Pick<StreamLibrary, 'database' | 'folder'>,
  ownerId: string,
  pictures = 'size=160x90:rate=5',
  seconds = 60,
) {
  const source = ['-f', 'lavfi', '-i', `testsrc2=${pictures}:duration=${seconds}`];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '10'];
  const clip = await Bun.file(makeClip(join(folder, 'minute.mp4'), [...source, ...coding])).bytes();
  const bytes = Buffer.concat([clip, Buffer.from(String((clips += 1)))]);
  return addFile(database, { name: 'minute.mp4', bytes }, { ownerId });
}

/** As a player of HTTP Live Streaming reads it. */
export type StreamPlayer = {
  /** The main playlist, or its error. */
  readonly main: string;
  /** As they are listed. */
  readonly variants: readonly string[];
  /** The number of the variant whose pictures are passed through, if there is one. */
  readonly original: number | undefined;
  /** In seconds. */
  readonly durations: readonly number[];
  /** Plays a variant by its number. */
  choose(variant: number): Promise<void>;
  readInit(target?: number): Promise<Response>;
  readSegment(number: number): Promise<Response>;
  end(): Promise<Response>;
};

const readText = async (response: Response): Promise<string> => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
};

/** Opens a stream of an asset, with the key of a link in `query` where it is a guest's. */
export async function openStream(
  app: Pick<App, 'handle'>,
  id: string,
  caller: Caller,
  query = '',
): Promise<StreamPlayer> {
  const base = `/assets/${id}/video/stream`;
  const main = await readText(await send(app, `GET ${base}/main.m3u8${query}`, caller));
  const variants = main.split('\n').filter((line) => line.endsWith(`playlist.m3u8${query}`));
  const [session] = variants[0]!.split('/');
  const [, original] = /NAME="original"\n[^/]+\/(\d+)\//.exec(main) ?? [];
  const player = { variant: '', durations: [] as number[], segments: [] as string[], init: '' };
  const toPath = (name: string) => `GET ${base}/${player.variant}/${name}`;
  const choose = async (variant: number) => {
    player.variant = `${session}/${variant}`;
    const text = await readText(await send(app, toPath(`playlist.m3u8${query}`), caller));
    player.durations = [...text.matchAll(/^#EXTINF:([\d.]+),$/gm)].map(([, seconds]) =>
      Number(seconds),
    );
    player.segments = text.split('\n').filter((line) => line.startsWith('seg_'));
    player.init = /^#EXT-X-MAP:URI="(.*)"$/m.exec(text)![1]!;
  };
  await choose(0);
  return {
    main,
    variants,
    original: original === undefined ? undefined : Number(original),
    get durations() {
      return player.durations;
    },
    choose,
    readInit: (target) =>
      send(app, toPath(player.init), {
        ...caller,
        headers: {
          ...caller.headers,
          ...(target !== undefined && { 'x-immich-hls-msn': String(target) }),
        },
      }),
    readSegment: (number) => send(app, toPath(player.segments[number]!), caller),
    end: () => send(app, `DELETE ${base}/${session}${query}`, caller),
  };
}

/** Plays all segments, fetched in this order, and returns the file that they make together. */
export async function readWhole(
  player: StreamPlayer,
  order: readonly number[] = player.durations.map((_, number) => number),
): Promise<Buffer> {
  const init = await readBytes(await player.readInit(order[0]));
  const segments: Buffer[] = [];
  for (const number of order) segments[number] = await readBytes(await player.readSegment(number));
  return Buffer.concat([init, ...segments]);
}

async function readBytes(response: Response): Promise<Buffer> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

export type Played = {
  /** When frames are shown, in ms after the first. */
  readonly frames: readonly number[];
  /** The numbers that the frames show, of a video that `countedClip` made. */
  readonly numbers: readonly number[];
  /** When packets of the sound begin, in ms after the first frame. */
  readonly sound: readonly number[];
  /** When beeps begin, in ms after the first frame. */
  readonly beeps: readonly number[];
  readonly width: number;
  readonly height: number;
};

/** The binary digits of the number of a frame, lowest first, each a white or black column. */
const DIGITS = 10;
const COLUMN = 32;

/** Options of ffmpeg for frames that show their number and a beep at each second. */
export function countedClip(rate: string, seconds: number, filter = 'null'): string[] {
  const digits = `geq=lum='255*mod(floor(N/pow(2,X)),2)':cb=128:cr=128`;
  // Each pixel is calculated, so the columns are made wide afterwards.
  const wide = `scale=${DIGITS * COLUMN}:180:flags=neighbor,setsar=1`;
  const picture = `nullsrc=size=${DIGITS}x2:rate=${rate}:duration=${seconds},${digits},${wide},${filter}`;
  const sound = `aevalsrc='0.8*sin(1600*PI*t)*lt(mod(t,1),0.4)*gte(t,1)':d=${seconds}:s=44100`;
  return ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound];
}

/** Decodes a file and returns what is played of it. */
export function inspect(bytes: Uint8Array | string): Played {
  const folder = mkdtempSync(join(tmpdir(), 'stream-'));
  try {
    const path = typeof bytes === 'string' ? bytes : join(folder, 'played.mp4');
    if (typeof bytes !== 'string') writeFileSync(path, bytes);
    const asking = ['ffprobe', '-v', 'error', '-fflags', '+genpts', '-of', 'json'];
    const entries =
      'stream=index,codec_type,width,height:packet=stream_index,pts_time:' +
      'frame=stream_index,best_effort_timestamp_time';
    const { streams, packets_and_frames } = JSON.parse(
      run(...asking, '-show_entries', entries, path),
    );
    const find = (type: string) =>
      streams.find((stream: { codec_type: string }) => stream.codec_type === type);
    const [video, audio] = [find('video'), find('audio')];
    const list = (type: string, index: number | undefined, time: string): number[] =>
      packets_and_frames
        .filter((one: Json) => one.type === type && one.stream_index === index)
        .map((one: Json) => Number(one[time]) * 1000);
    const shown = list('frame', video?.index, 'best_effort_timestamp_time');
    const first = shown[0] ?? 0;
    const sound = list('packet', audio?.index, 'pts_time').map((time) => time - first);
    const decoded = decode(folder, path, audio !== undefined);
    return {
      frames: shown.map((time) => Math.round(time - first)),
      numbers: readNumbers(decoded.columns),
      sound,
      beeps: decoded.sound ? listBeeps(decoded.sound).map((time) => time - first) : [],
      width: video?.width ?? 0,
      height: video?.height ?? 0,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Decodes the digits of all frames, a byte each, and the sound as samples of 16 bits. */
function decode(folder: string, path: string, hasSound: boolean) {
  const [columns, sound] = [join(folder, 'numbers.raw'), join(folder, 'sound.raw')];
  const small = ['-fps_mode', 'passthrough', '-vf', `scale=${DIGITS}:1:flags=area,format=gray`];
  // As a player does: what comes twice is heard once, and what is missing is silent.
  const placed = `aresample=${SAMPLES_PER_MS * 1000}:async=1:min_hard_comp=0.005:first_pts=0`;
  const picture = ['-map', '0:v:0', ...small, '-f', 'rawvideo', columns];
  const heard = ['-map', '0:a:0', '-af', placed, '-ac', '1', '-f', 's16le', sound];
  const decoding = '-nostdin -v fatal -y -copyts -fflags +genpts'.split(' ');
  run('ffmpeg', ...decoding, '-i', path, ...picture, ...(hasSound ? heard : []));
  return { columns: readFileSync(columns), sound: hasSound ? readFileSync(sound) : undefined };
}

const readNumbers = (columns: Buffer): number[] =>
  Array.from({ length: columns.length / DIGITS }, (_, frame) =>
    columns
      .subarray(frame * DIGITS, (frame + 1) * DIGITS)
      .reduce((sum, light, digit) => sum + (light > 127 ? 2 ** digit : 0), 0),
  );

const SAMPLES_PER_MS = 8;
const LOUD = 8000;

function listBeeps(bytes: Buffer): number[] {
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2));
  const beeps: number[] = [];
  let loudAt = -Infinity;
  for (const [at, sample] of samples.entries()) {
    if (Math.abs(sample) < LOUD) continue;
    if (at - loudAt > 100 * SAMPLES_PER_MS) beeps.push(at / SAMPLES_PER_MS);
    loudAt = at;
  }
  return beeps;
}

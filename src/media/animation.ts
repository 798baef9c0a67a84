import { type FileHandle, open } from 'node:fs/promises';
import { detectDecoder } from './decoder-detection.ts';
import { MediaError } from './errors.ts';
import { countPngFrames } from './png.ts';
import { runTool } from './tool-process.ts';
import { toList, toNumberWithin, toRecord } from './tag-values.ts';

const LIMITS = {
  timeoutMs: 60_000,
  cpuSeconds: 30,
  memoryBytes: 2 * 1024 ** 3,
  dataBytes: 200 * 1024 ** 2,
};
const MAX_FRAMES = 100_000;
const MAX_SECONDS = 7 * 86_400;

/**
 * Returns the length in ms of an animated picture, as ffprobe or jxlinfo counts it; undefined for a still, and where
 * nothing tells it.
 */
export async function measureAnimation(
  path: string,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const kind = await findKind(path);
  if (!kind) return undefined;
  try {
    const seconds = await readLength(path, kind, signal);
    return seconds === undefined || seconds <= 0 ? undefined : Math.round(seconds * 1000);
  } catch (error) {
    if (error instanceof MediaError && error.kind !== 'killed') return undefined;
    throw error;
  }
}

type AnimatedPng = { readonly frames: number };
type Kind = AnimatedPng | 'sequence' | 'jxl' | 'gif' | 'webp';

async function readLength(path: string, kind: Kind, signal: AbortSignal | undefined) {
  if (kind === 'sequence') return readTrack(path, signal);
  if (kind === 'webp') return sumWebpFrames(path);
  if (kind === 'gif') return sumGifFrames(path, signal);
  return kind === 'jxl' ? askJxl(path, signal) : sumFrames(path, kind, signal);
}

async function findKind(path: string): Promise<Kind | undefined> {
  const file = await open(path);
  try {
    const head = await readAt(file, 0, 64);
    if (head.toString('latin1', 4, 8) === 'ftyp') {
      const brands = head.toString('latin1', 8, Math.min(head.length, head.readUInt32BE(0)));
      return /avis|msf1|hev[cxms]/.test(brands) ? 'sequence' : undefined;
    }
    const ascii = head.toString('latin1', 0, 16);
    if (ascii.startsWith('GIF8')) return 'gif';
    // The second bit of its flags.
    if (/^RIFF[^]{4}WEBPVP8X/.test(ascii)) return ((head[20] ?? 0) & 2) === 0 ? undefined : 'webp';
    if (detectDecoder(head, path) === 'jxl') return 'jxl';
    if (head.toString('latin1', 0, 4) !== '\x89PNG') return undefined;
    const frames = await countPngFrames(file);
    return frames > 1 ? { frames } : undefined;
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

async function readTrack(path: string, signal: AbortSignal | undefined) {
  const fields = ['-select_streams', 'v', '-show_entries', 'stream=nb_frames,duration'];
  const streams = await ask(path, ['-f', 'mov'], fields, 'streams', signal);
  // ffmpeg 7 lists the still before the track.
  const track = streams.find((one) => toNumberWithin(one['nb_frames'], 2, MAX_FRAMES));
  return toNumberWithin(track?.['duration'], 0, MAX_SECONDS);
}

async function sumFrames(path: string, png: AnimatedPng, signal: AbortSignal | undefined) {
  const times = await askFrameTimes(path, 'apng', signal);
  const known = times.filter((time) => time !== undefined);
  return times.length === png.frames && known.length === png.frames ? sum(known) : undefined;
}

async function askFrameTimes(path: string, format: string, signal: AbortSignal | undefined) {
  const fields = ['-show_entries', 'packet=duration_time'];
  const packets = await ask(path, ['-f', format], fields, 'packets', signal);
  return packets.map((packet) => toNumberWithin(packet['duration_time'], 0, MAX_SECONDS));
}

const sum = (times: readonly number[]) => times.reduce((total, time) => total + time, 0);

/** Two frames or more; ffprobe shows one without a delay as long as browsers do. */
async function sumGifFrames(path: string, signal: AbortSignal | undefined) {
  const times = await askFrameTimes(path, 'gif', signal);
  return times.length > 1 ? sum(times.map((time) => time ?? 0)) : undefined;
}

/** Browsers show a frame that is to be shorter for as long. */
const SHORTEST_MS = 10;
const USUAL_MS = 100;

/** ffmpeg reads no animated WebP. Its chunks are padded to an even length. */
async function sumWebpFrames(path: string): Promise<number | undefined> {
  const file = await open(path);
  try {
    let [frames, milliseconds] = [0, 0];
    for (let at = 12, chunks = 0; chunks < MAX_FRAMES; chunks++) {
      const head = await readAt(file, at, 24);
      if (head.length < 8) break;
      if (head.toString('latin1', 0, 4) === 'ANMF' && head.length >= 24) {
        const time = head.readUIntLE(20, 3);
        frames++;
        milliseconds += time <= SHORTEST_MS ? USUAL_MS : time;
      }
      const size = head.readUInt32LE(4);
      at += 8 + size + (size % 2);
    }
    return frames > 1 ? milliseconds / 1000 : undefined;
  } finally {
    await file.close();
  }
}

/** Its last line is the sum of all frames, also of a file that is cut off, with an error. */
async function askJxl(path: string, signal: AbortSignal | undefined) {
  const { stdout, stderr } = await runTool(['jxlinfo', path], { ...LIMITS, signal });
  const [, seconds] = /^Animation length: ([\d.]+) seconds/m.exec(stdout) ?? [];
  return stderr === '' ? toNumberWithin(seconds, 0, MAX_SECONDS) : undefined;
}

async function ask(
  path: string,
  input: readonly string[],
  fields: readonly string[],
  list: 'streams' | 'packets',
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>>[]> {
  const probing = ['ffprobe', '-v', 'error', '-protocol_whitelist', 'file', ...input];
  const command = [...probing, '-of', 'json', ...fields, `file:${path}`];
  const { code, stdout } = await runTool(command, { ...LIMITS, signal });
  const answer = code === 0 ? toRecord(parseJson(stdout)) : undefined;
  return toList(answer?.[list], MAX_FRAMES)
    .map(toRecord)
    .filter((entry) => entry !== undefined);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { type FileHandle, open } from 'node:fs/promises';
import { detectDecoder } from './decoder-detection.ts';
import { MediaError } from './errors.ts';
import { runTool } from './tool-process.ts';
import { toList, toNumberWithin, toRecord } from './tag-values.ts';

const LIMITS = {
  timeoutMs: 60_000,
  cpuSeconds: 30,
  memoryBytes: 2 * 1024 ** 3,
  dataBytes: 200 * 1024 ** 2,
};
const MAX_CHUNKS = 1000;
const MAX_FRAMES = 100_000;
const MAX_SECONDS = 7 * 86_400;

/**
 * Returns the length in ms of an animated AVIF, HEIF, PNG or JPEG XL, as ffprobe or jxlinfo counts it;
 * undefined for a still, and where nothing tells it.
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
type Kind = AnimatedPng | 'sequence' | 'jxl';

async function readLength(path: string, kind: Kind, signal: AbortSignal | undefined) {
  if (kind === 'sequence') return readTrack(path, signal);
  return kind === 'jxl' ? askJxl(path, signal) : sumFrames(path, kind, signal);
}

async function findKind(path: string): Promise<Kind | undefined> {
  const file = await open(path);
  try {
    const head = await readAt(file, 0, 64);
    if (head.toString('latin1', 4, 8) === 'ftyp') {
      const brands = head.toString('latin1', 8, Math.min(head.length, head.readUInt32BE(0)));
      return /avis|msf1|hevs/.test(brands) ? 'sequence' : undefined;
    }
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

/** The number of frames stands before the first of them. */
async function countPngFrames(file: FileHandle): Promise<number> {
  let at = 8;
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const head = await readAt(file, at, 12);
    const type = head.toString('latin1', 4, 8);
    if (head.length < 12 || type === 'IDAT') return 1;
    if (type === 'acTL') return head.readUInt32BE(8);
    at += 12 + head.readUInt32BE(0);
  }
  return 1;
}

async function readTrack(path: string, signal: AbortSignal | undefined) {
  const fields = ['-select_streams', 'v', '-show_entries', 'stream=nb_frames,duration'];
  const streams = await ask(path, ['-f', 'mov'], fields, 'streams', signal);
  // ffmpeg 7 lists the still before the track.
  const track = streams.find((one) => toNumberWithin(one['nb_frames'], 2, MAX_FRAMES));
  return toNumberWithin(track?.['duration'], 0, MAX_SECONDS);
}

async function sumFrames(path: string, png: AnimatedPng, signal: AbortSignal | undefined) {
  const fields = ['-show_entries', 'packet=duration_time'];
  const packets = await ask(path, ['-f', 'apng'], fields, 'packets', signal);
  const times = packets.flatMap(
    (packet) => toNumberWithin(packet['duration_time'], 0, MAX_SECONDS) ?? [],
  );
  const isKnown = packets.length === png.frames && times.length === png.frames;
  return isKnown ? times.reduce((sum, time) => sum + time, 0) : undefined;
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

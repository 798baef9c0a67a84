import { withDecodeMemory } from './decode-memory.ts';
import { broken, unsupported } from './errors.ts';
import { readJpegHeader } from './jpeg.ts';
import { runTool } from './tool-process.ts';

const HEAD_BYTES = 16;

/** Longest edge, in pixels. */
const SIZE = 512;
const MAX_PIXELS = 50_000_000;
const MIB = 1024 ** 2;
/** Pictures are rendered one at a time: nobody waits for another's for long, and anybody may send one. */
const MEMORY_BYTES = 350 * MIB;
const LIMITS = { timeoutMs: 20_000, cpuSeconds: 15, memoryBytes: 2048 * MIB, dataBytes: 500 * MIB };

const TOOL = ['ffmpeg', '-nostdin', '-v', 'error', '-protocol_whitelist', 'file'];

/** By content: the reader is named, so that a playlist of addresses is never followed. */
const READERS: readonly [RegExp, string][] = [
  [/^\xff\xd8\xff/, 'jpeg_pipe'],
  [/^\x89PNG\r\n/, 'png_pipe'],
  [/^GIF8/, 'gif'],
  [/^RIFF.{4}WEBP/s, 'webp_pipe'],
];

/** EXIF numbers to the turns that undo them. */
const TURNS: Readonly<Record<number, string>> = {
  2: 'hflip',
  3: 'hflip,vflip',
  4: 'vflip',
  5: 'transpose=cclock_flip',
  6: 'transpose=clock',
  7: 'transpose=clock_flip',
  8: 'transpose=cclock',
};

/**
 * Renders a profile picture: a small upright WebP without metadata, in a separate process. Throws
 * MediaError.
 */
export async function renderProfile(from: string, to: string): Promise<void> {
  const head = await Bun.file(from).slice(0, HEAD_BYTES).arrayBuffer();
  const text = Buffer.from(head).toString('latin1');
  const reader = READERS.find(([magic]) => magic.test(text))?.[1];
  if (!reader) throw unsupported('The file is no JPEG, PNG, GIF or WebP');
  const orientation =
    reader === 'jpeg_pipe' ? (await readJpegHeader(from))?.orientation : undefined;
  const turn = TURNS[orientation ?? 1];
  const scale = `scale=w='min(${SIZE},iw)':h='min(${SIZE},ih)':force_original_aspect_ratio=decrease`;
  const input = ['-max_pixels', String(MAX_PIXELS), '-noautorotate', '-f', reader];
  const filter = turn ? `${turn},${scale}` : scale;
  const output = ['-frames:v', '1', '-map_metadata', '-1', '-vf', filter, '-c:v', 'libwebp'];
  const { code, stderr } = await withDecodeMemory(MEMORY_BYTES, undefined, () =>
    runTool(
      [
        ...TOOL,
        ...input,
        '-i',
        `file:${from}`,
        ...output,
        '-quality',
        '85',
        '-f',
        'webp',
        `file:${to}`,
      ],
      { ...LIMITS, output: to },
    ),
  );
  if (code !== 0) throw broken('The picture cannot be decoded', stderr);
}

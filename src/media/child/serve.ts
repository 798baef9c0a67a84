import { open } from 'node:fs/promises';
import sharp from 'sharp';
import { keepFreeMemory, releaseGarbage } from '../../core/malloc.ts';
import { limitFurtherMemory } from '../../core/rlimit.ts';
import { MediaError } from '../errors.ts';
import {
  detachBytes,
  type ImageReply,
  type ImageRequest,
  type ImageResults,
  type ImageFile,
} from '../image-messages.ts';
import { CHILD_MEMORY_BYTES } from '../decode-memory.ts';
import { renderEdited } from './edited.ts';
import { measureLooks } from './outline.ts';
import { readPhotoshop } from './photoshop.ts';
import { measureQuality } from './quality.ts';
import { render, turnUpright } from './render.ts';
import type { FaceBox } from '../face-crop.ts';
import { createHash } from 'node:crypto';
import { MAX_DIGESTED_PIXELS } from '../pixel-digest.ts';

/**
 * Body of an image child: one request per line on standard input, answered in order on standard
 * output.
 */
export async function serveImages(): Promise<number> {
  keepFreeMemory();
  // One thread per picture: several pictures are decoded by several processes. The cache keeps
  // decoded pixels that no one asks for again.
  sharp.concurrency(1);
  sharp.cache(false);
  // Programs in the shape of pictures, and readers that hand files on to other programs.
  sharp.block({ operation: ['VipsForeignLoadSvg', 'VipsForeignLoadPdf', 'VipsForeignLoadMagick'] });
  // Not by their path: drawing.ts says why.
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] });
  limitFurtherMemory(CHILD_MEMORY_BYTES);
  for await (const line of readLines(Bun.stdin.stream())) {
    await reply(JSON.parse(line) as ImageRequest);
  }
  return 0;
}

async function reply(request: ImageRequest): Promise<void> {
  const parts: Uint8Array[] = [];
  const memory = () => process.memoryUsage.rss();
  let head: ImageReply;
  try {
    const result = detachBytes(await perform(request), parts);
    head = { parts: parts.map(({ length }) => length), memory: memory(), result };
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    const kind = error instanceof MediaError ? error.kind : undefined;
    head = { parts: [], memory: memory(), error: { kind, message } };
  }
  const out = Bun.stdout.writer();
  await out.write(`${JSON.stringify(head)}\n`);
  for (const part of parts) await out.write(part);
  await out.flush();
  afterwards();
}

async function perform(request: ImageRequest): Promise<ImageResults[ImageRequest['op']]> {
  // A file that cannot be opened says nothing about its bytes.
  await (await open('file' in request ? request.file.path : request.path)).close();
  switch (request.op) {
    case 'render':
      return render(request.file, request.outputs);
    case 'edit':
      return renderEdited(request.file, request);
    case 'cropFace':
      return { bytes: await cropFace(request.path, request.box) };
    case 'digestPixels':
      return { bytes: await digestPixels(request.file) };
    case 'photoshop':
      return readPhotoshop(request.path);
    case 'looks':
      return measureLooks(request.path);
    case 'quality':
      return measureQuality(request.path);
  }
}

const PICTURES_PER_COLLECTION = 4;
/** Free memory goes back to the system after so long without work. */
const REST_MS = 1000;
let pictures = 0;
let resting: Timer | undefined;

/**
 * Decoded pictures lie outside the heap that the collector watches: without a hint, much of the
 * memory at the peak is pictures that nobody needs any more.
 */
function afterwards(): void {
  pictures += 1;
  if (pictures % PICTURES_PER_COLLECTION === 0) Bun.gc(false);
  clearTimeout(resting);
  resting = setTimeout(releaseGarbage, REST_MS);
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const SIDE = 250;
/** Hair and chin lie outside the box. */
const MARGIN = 1.6;

/** A square picture of a face as WebP. The box is in fractions of the picture as displayed. */
async function cropFace(path: string, box: FaceBox): Promise<Uint8Array> {
  const { data, info } = await sharp(path, { failOn: 'none' })
    .rotate()
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const wanted = MARGIN * Math.max((box.x2 - box.x1) * width, (box.y2 - box.y1) * height);
  const side = Math.max(1, Math.min(Math.round(wanted), width, height));
  const left = placed(((box.x1 + box.x2) / 2) * width - side / 2, width - side);
  const top = placed(((box.y1 + box.y2) / 2) * height - side / 2, height - side);
  return sharp(data, { raw: { width, height, channels } })
    .extract({ left, top, width: side, height: side })
    .resize(SIDE, SIDE)
    .webp({ quality: 80, effort: 0 })
    .toBuffer();
}

const placed = (at: number, last: number) =>
  Math.min(Math.max(0, Math.round(at)), Math.max(0, last));

/**
 * Returns the SHA-256 of all pixels as they are shown, upright and in sRGB. Throws MediaError 'unsupported' for what is
 * more than one picture, 'too-large', or the error of a decoder that does not guess at damaged bytes.
 */
async function digestPixels({ path, orientation }: ImageFile): Promise<Uint8Array> {
  const input = { failOn: 'warning', limitInputPixels: MAX_DIGESTED_PIXELS } as const;
  const { pages = 1, depth } = await sharp(path, input).metadata();
  if (pages > 1) throw new MediaError('unsupported', 'The file has several pictures');
  const { data, info } = await turnUpright(sharp(path, input), orientation)
    .toColourspace(depth === 'ushort' ? 'rgb16' : 'srgb')
    .raw({ depth: depth === 'ushort' ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return createHash('sha256')
    .update(`${width} ${height} ${channels} ${depth}\n`)
    .update(data)
    .digest();
}

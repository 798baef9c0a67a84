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
} from '../image-messages.ts';
import { CHILD_MEMORY_BYTES } from '../decode-memory.ts';
import { renderEdited } from './edited.ts';
import { cropFace } from './face.ts';
import { measureLooks } from './outline.ts';
import { readPhotoshop } from './photoshop.ts';
import { digestPixels } from './pixels.ts';
import { measureQuality } from './quality.ts';
import { render } from './render.ts';

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

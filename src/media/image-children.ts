import { dirname } from 'node:path';
import { releaseBytes } from '../core/release-bytes.ts';
import { CHILD_MEMORY_BYTES } from './decode-memory.ts';
import { interrupted, MediaError, type MediaErrorKind } from './errors.ts';
import {
  attachBytes,
  type ImageReply,
  type ImageRequest,
  type ImageResults,
} from './image-messages.ts';
import { type WatchEnd, watchProcess } from './process-stat.ts';
import { explainEnd, isPipeError, spawnTool } from './tool-process.ts';
import { type Proof, runProven } from './tool-proof.ts';
import { withSample } from './tool-samples.ts';

const MIB = 1024 ** 2;
const TIMEOUT_MS = 150_000;
const IDLE_MS = 5000;
/** libvips and the allocators give most memory back, not all. */
const MAX_PICTURES = 500;
const MAX_RESTING_BYTES = 200 * MIB;
/** The program itself and what it may need for a picture. */
const MAX_WORKING_BYTES = CHILD_MEMORY_BYTES + 150 * MIB;
const MEMORY_CHECK_MS = 200;
const MAX_HEAD = 64 * 1024;
const LINE_FEED = 10;
const MAX_PARTS_BYTES = 256 * MIB;

type Child = ReturnType<typeof startChild>;

/** Folders of pictures: all that the children may read. */
let folders: readonly string[] = [];

export function confineImageChildren(readable: readonly string[]): void {
  folders = readable;
}

/** Idle children of this thread, the most recently used last. */
const resting: Child[] = [];
let idle: Timer | undefined;

type CallOptions = { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number };

/**
 * Decodes a picture in an idle or a new child process; idle children end after a while. Throws
 * MediaError, ToolBroken when children do not decode a good picture either, the abort reason of `signal`, or an Error for
 * a file that cannot be opened.
 */
export const callImageChild = <R extends ImageRequest>(
  request: R,
  options: CallOptions = {},
): Promise<ImageResults[R['op']]> =>
  runProven(
    PROOF,
    () => callOnce(request, options),
    () => false,
  );

const PROOF: Proof = {
  tool: 'The decoder of pictures',
  prove: () =>
    withSample('photo', (path) =>
      callOnce({ op: 'digestPixels', file: { path, isJpeg: true } }, { timeoutMs: PROOF_MS }),
    ),
};
const PROOF_MS = 20_000;

async function callOnce<R extends ImageRequest>(
  request: R,
  { signal, timeoutMs = TIMEOUT_MS }: CallOptions,
): Promise<ImageResults[R['op']]> {
  signal?.throwIfAborted();
  const child = acquireChild('file' in request ? request.file.path : request.path);
  try {
    // Safe: the reply belongs to the request.
    const { result, memory } = await child.ask(request, { signal, timeoutMs });
    releaseChild(child, memory);
    return result as ImageResults[R['op']];
  } catch (error) {
    if (error instanceof Refusal) releaseChild(child, error.memory);
    else child.kill();
    throw error instanceof Refusal ? error.cause : error;
  }
}

function acquireChild(path: string): Child {
  const mayRead = (readable: readonly string[]) =>
    readable.some((folder) => path.startsWith(`${folder}/`));
  const at = resting.findLastIndex(({ readable }) => mayRead(readable));
  const [child] = at < 0 ? [] : resting.splice(at, 1);
  return child ?? startChild(mayRead(folders) ? folders : [dirname(path)]);
}

/** Ends all idle children. */
export async function closeImageChildren(): Promise<void> {
  clearTimeout(idle);
  const children = resting.splice(0);
  for (const child of children) child.kill();
  await Promise.all(children.map(({ exited }) => exited));
}

function releaseChild(child: Child, memory: number): void {
  if (child.served() >= MAX_PICTURES || memory > MAX_RESTING_BYTES) return child.kill();
  resting.push(child);
  clearTimeout(idle);
  idle = setTimeout(() => void closeImageChildren(), IDLE_MS);
  idle.unref();
}

/** The child has replied with an error and is healthy. */
class Refusal extends Error {
  readonly memory: number;

  constructor(cause: Error, memory: number) {
    super(cause.message, { cause });
    this.memory = memory;
  }
}

function startChild(readable: readonly string[]) {
  const child = spawnTool(
    ['image-worker'],
    { nice: 10, files: { read: readable } },
    { stdin: 'pipe', stderr: 'ignore' },
  );
  const reader = child.stdout.getReader();
  let served = 0;
  /** The bytes that came last, and how many of them are taken. */
  let piece: Uint8Array = new Uint8Array(0);
  let taken = 0;

  async function readPiece(): Promise<void> {
    releaseBytes(piece);
    const { value, done } = await reader.read();
    if (done) throw new Ended();
    piece = value;
    taken = 0;
  }

  /** Resolves with the text before the next line feed. */
  async function readLine(): Promise<string> {
    let line = Buffer.alloc(0);
    for (;;) {
      const end = piece.indexOf(LINE_FEED, taken);
      line = Buffer.concat([line, piece.subarray(taken, end < 0 ? piece.length : end)]);
      if (line.length > MAX_HEAD) throw new Error('The image child sent an endless reply');
      taken = end + 1;
      if (end >= 0) return line.toString();
      await readPiece();
    }
  }

  async function readBytes(count: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(count);
    for (let size = 0; size < count;) {
      if (taken === piece.length) await readPiece();
      const part = piece.subarray(taken, taken + count - size);
      bytes.set(part, size);
      size += part.length;
      taken += part.length;
    }
    return bytes;
  }

  async function answer(): Promise<{ result: unknown; memory: number }> {
    const head = JSON.parse(await readLine()) as ImageReply;
    const { parts: lengths, memory } = head;
    if (lengths.reduce((sum, length) => sum + length, 0) > MAX_PARTS_BYTES)
      throw interrupted('The picture became larger than is plausible');
    if ('error' in head) throw new Refusal(toError(head.error), memory);
    const parts: Uint8Array[] = [];
    for (const length of lengths) parts.push(await readBytes(length));
    return { result: attachBytes(head.result, parts), memory };
  }

  return {
    readable,
    served: () => served,
    kill: () => child.kill(),
    exited: child.exited,
    async ask(
      request: ImageRequest,
      { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number },
    ) {
      served += 1;
      let cause: WatchEnd | 'memory' | undefined;
      const end = (reason: typeof cause) => {
        cause ??= reason;
        child.kill();
      };
      const abort = () => end(undefined);
      const watch = watchProcess(child.stat, end, { limitMs: timeoutMs });
      const memory = setInterval(() => {
        if (child.residentBytes() > MAX_WORKING_BYTES) end('memory');
      }, MEMORY_CHECK_MS);
      signal?.addEventListener('abort', abort, { once: true });
      try {
        child.hold(true);
        void child.stdin.write(`${JSON.stringify(request)}\n`);
        await child.stdin.flush();
        return await answer();
      } catch (error) {
        if (!(error instanceof Ended) && !isPipeError(error)) throw error;
        await child.exited;
        signal?.throwIfAborted();
        if (cause === 'memory') throw interrupted('Decoding took more memory than allowed');
        throw (
          explainEnd(child, 'The decoder', { cause }) ??
          interrupted(`The decoder ended with code ${child.exitCode}`)
        );
      } finally {
        clearInterval(memory);
        watch.stop();
        signal?.removeEventListener('abort', abort);
        child.hold(false);
      }
    },
  };
}

class Ended extends Error {}

function toError({ kind, message }: { kind?: string | undefined; message: string }): Error {
  return kind === undefined ? new Error(message) : new MediaError(kind as MediaErrorKind, message);
}

import { connect, type Socket } from 'node:net';
import { MediaHostUnavailable } from '../../core/errors.ts';
import { killed } from '../errors.ts';
import type { ProgramRequest } from '../programs.ts';
import type { ToolChild } from '../tool-child.ts';
import { type Exit, FRAME, readFrames, type Usage, writeFrame, writePieces } from './frames.ts';

/** A host that is being restarted answers again within this time. */
const PATIENCE_MS = 5000;
const RETRY_MS = 100;
/** A host that does not end a child in this time is given up. */
const KILL_MS = 10_000;
const KILLED: Exit = { exited: 128 + 9, exitCode: null, signalCode: 'SIGKILL' };

/**
 * Starts a program as a child of the media host that listens at `path`. A host that ends takes the child
 * with it; `failure` is then a 'killed' MediaError, or MediaHostUnavailable where there was none.
 */
export function startRemotely(path: string, request: ProgramRequest): ToolChild {
  const [stdout, stderr] = [createOutput(), createOutput()];
  const started = Promise.withResolvers<void>();
  let socket: Socket | undefined;
  let usage: Usage | undefined;
  let exit: Exit | undefined;
  let failure: Error | undefined;
  let isKilled = false;
  let isHeld = true;

  async function run(): Promise<void> {
    socket = await reach(path, () => isKilled);
    if (isKilled || !socket) return;
    if (!isHeld) socket.unref();
    const starting = writeFrame(socket, FRAME.start, JSON.stringify(request));
    started.resolve();
    let refusal: string | undefined;
    try {
      await starting;
      for await (const { type, bytes } of readFrames(socket)) {
        if (type === FRAME.stdout) await stdout.push(bytes);
        else if (type === FRAME.stderr) await stderr.push(bytes);
        else if (type === FRAME.usage) usage = parseUsage(bytes);
        else if (type === FRAME.exit) exit = JSON.parse(bytes.toString()) as Exit;
        else if (type === FRAME.refused) refusal = bytes.toString();
      }
    } catch (error) {
      if (!exit) throw toLost(request, error);
    }
    if (refusal) throw new Error(`The media host refused ${request.program}: ${refusal}`);
    if (!exit) throw toLost(request);
  }

  const exited = run()
    .catch((error: unknown) => {
      if (!isKilled) failure = error as Error;
    })
    .then(() => {
      started.resolve();
      socket?.destroy();
      stdout.close();
      stderr.close();
      exit ??= KILLED;
      return exit.exited;
    });

  let written: Promise<void> = started.promise;
  const send = (type: number) => {
    if (socket && !socket.destroyed) void writeFrame(socket, type);
  };
  return {
    stdin: {
      write(data) {
        const bytes = Buffer.from(data as Uint8Array);
        written = written.then(() => socket && writePieces(socket, FRAME.input, bytes));
      },
      flush: () => written,
      end() {
        written = written.then(() => socket && writeFrame(socket, FRAME.inputEnd));
      },
    },
    stdout: stdout.stream,
    stderr: stderr.stream,
    exited,
    get exitCode() {
      return exit?.exitCode ?? null;
    },
    get signalCode() {
      return exit?.signalCode ?? null;
    },
    get failure() {
      return failure;
    },
    stat() {
      send(FRAME.ask);
      return usage;
    },
    residentBytes() {
      send(FRAME.ask);
      return usage?.residentBytes ?? 0;
    },
    kill() {
      if (isKilled || exit) return;
      isKilled = true;
      send(FRAME.kill);
      stdout.close();
      stderr.close();
      setTimeout(() => socket?.destroy(), KILL_MS).unref();
    },
    hold(value) {
      isHeld = value;
      if (isHeld) socket?.ref();
      else socket?.unref();
    },
  };
}

const toLost = ({ program }: ProgramRequest, cause?: unknown) =>
  killed(`The media host ended, and ${program} with it`, cause);

const parseUsage = (bytes: Buffer) => (JSON.parse(bytes.toString()) as Usage | null) ?? undefined;

/** Waits for a host that is being restarted. Throws MediaHostUnavailable. */
async function reach(path: string, isGivenUp: () => boolean): Promise<Socket | undefined> {
  const until = performance.now() + PATIENCE_MS;
  while (!isGivenUp()) {
    try {
      return await connectTo(path);
    } catch (error) {
      if (performance.now() > until) throw new MediaHostUnavailable(path, error);
      await Bun.sleep(RETRY_MS);
    }
  }
  return undefined;
}

export const isMediaHostReachable = (path: string): Promise<boolean> =>
  connectTo(path).then(
    (socket) => {
      socket.destroy();
      return true;
    },
    () => false,
  );

/** Rejects with the reason when nobody listens. */
async function connectTo(path: string): Promise<Socket> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  // The reader of frames reports it.
  socket.on('error', () => {});
  return socket;
}

const BUFFERED_BYTES = 256 * 1024;

type Output = {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves when the reader wants more, or nothing any more. */
  push(bytes: Uint8Array): Promise<void>;
  /** Ends the stream: later bytes are dropped. */
  close(): void;
};

/** Returns a stream that is filled no faster than it is read. */
function createOutput(): Output {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let isClosed = false;
  let wake = () => {};
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: () => wake(),
      cancel() {
        isClosed = true;
        wake();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
  );
  return {
    stream,
    async push(bytes) {
      if (isClosed) return;
      controller.enqueue(bytes);
      if ((controller.desiredSize ?? 0) > 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    close() {
      if (!isClosed) controller.close();
      isClosed = true;
      wake();
    },
  };
}

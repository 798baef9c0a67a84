import type { Socket } from 'node:net';
import type { ProcessStat } from '../process-stat.ts';

// Between a server and the media host, one connection for each child: frames of a type (1 byte), the
// length (4 bytes, little endian) and as many bytes.

export const FRAME = {
  /** To the host: ProgramRequest as JSON, the first frame. */
  start: 1,
  input: 2,
  /** Asks for `usage`. */
  ask: 3,
  kill: 4,
  /** From the host. */
  stdout: 5,
  stderr: 6,
  /** Usage as JSON. */
  usage: 7,
  /** Exit as JSON, the last frame. */
  exit: 8,
  /** The reason as text, the only frame. */
  refused: 9,
  /** To the host: there is no more input. */
  inputEnd: 10,
} as const;

export type Exit = {
  readonly exited: number;
  readonly exitCode: number | null;
  readonly signalCode: string | number | null;
};

export type Usage = ProcessStat & { readonly residentBytes: number };

export type Frame = { readonly type: number; readonly bytes: Buffer };

const HEAD_BYTES = 5;
/** Commands of long films name thousands of files. */
const MAX_FRAME_BYTES = 8 * 1024 ** 2;
const PIECE_BYTES = 256 * 1024;

/** Resolves when more may be written. */
export async function writeFrame(
  socket: Socket,
  type: number,
  data: string | Uint8Array = '',
): Promise<void> {
  const bytes = Buffer.from(data as Uint8Array);
  if (bytes.length > MAX_FRAME_BYTES) throw new Error('A frame for the media host is too long');
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type);
  head.writeUInt32LE(bytes.length, 1);
  if (socket.destroyed || socket.write(Buffer.concat([head, bytes]))) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}

/** Sends bytes of a stream, in frames of limited size. */
export async function writePieces(socket: Socket, type: number, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    await writeFrame(socket, type, bytes.subarray(from, from + PIECE_BYTES));
  }
}

/** Yields frames; nothing is read from the socket while the caller works. */
export async function* readFrames(socket: Socket): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  const chunks = socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUInt32LE(1);
      if (end > HEAD_BYTES + MAX_FRAME_BYTES) throw new Error('A frame is too long');
      if (rest.length < end) break;
      yield { type: rest.readUInt8(0), bytes: rest.subarray(HEAD_BYTES, end) };
      rest = rest.subarray(end);
    }
  }
}

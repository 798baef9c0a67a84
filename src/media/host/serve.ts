import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { getErrorMessage, type Log } from '../../core/log.ts';
import { readProcessStat, residentBytes } from '../process-stat.ts';
import { killGroup, type LocalProcess, startProgram } from '../programs.ts';
import { type Exit, FRAME, readFrames, type Usage, writeFrame, writePieces } from './frames.ts';
import { parseRequest } from './request.ts';

/** A child that does not read what it is sent is ended. */
const MAX_UNREAD_BYTES = 64 * 1024 ** 2;

export type MediaHost = {
  /** Ends all children. */
  stop(): Promise<void>;
};

/**
 * Listens at `path`, for this user only, and starts the programs that connections ask for: one child for
 * each connection, which ends with it.
 */
export async function startMediaHost(path: string, log: Log): Promise<MediaHost> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // The reader of frames reports it.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    void serveConnection(socket, log).finally(() => socket.destroySoon());
  });
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function serveConnection(socket: Socket, log: Log): Promise<void> {
  let child: LocalProcess | undefined;
  try {
    for await (const { type, bytes } of readFrames(socket)) {
      if (!child) {
        if (type !== FRAME.start) throw new Error('The first frame has to start a program');
        const request = parseRequest(bytes.toString());
        process.umask(request.umask);
        child = startProgram(request);
        void report(socket, child, log);
      } else if (type === FRAME.input) feed(child, bytes);
      else if (type === FRAME.inputEnd) endInput(child);
      else if (type === FRAME.ask) tellUsage(socket, child);
      else if (type === FRAME.kill) killGroup(child);
    }
  } catch (error) {
    const reason = getErrorMessage(error as Error);
    if (!child) {
      log.warn('refused to start a program', { reason });
      await writeFrame(socket, FRAME.refused, reason);
    } else if (!socket.destroyed) log.warn('a connection was ended', { reason });
  } finally {
    if (child) killGroup(child);
  }
}

/** Bytes that a child has not read yet. */
const unread = new WeakMap<LocalProcess, number>();
const countUnread = (child: LocalProcess): number => unread.get(child) ?? 0;

function feed(child: LocalProcess, bytes: Uint8Array): void {
  const { stdin } = child;
  const waiting = countUnread(child) + bytes.length;
  if (!stdin || typeof stdin === 'number' || waiting > MAX_UNREAD_BYTES)
    throw new Error('The program does not read what it is sent');
  unread.set(child, waiting);
  const pass = async () => {
    await stdin.write(bytes);
    await stdin.flush();
    unread.set(child, countUnread(child) - bytes.length);
  };
  // It has closed its standard input: its end follows.
  pass().catch(() => {});
}

function endInput({ stdin }: LocalProcess): void {
  if (stdin && typeof stdin !== 'number') void stdin.end();
}

function tellUsage(socket: Socket, { pid }: LocalProcess): void {
  // A server that does not read needs no further answers.
  if (socket.writableNeedDrain) return;
  const stat = readProcessStat(pid);
  const usage: Usage | null = stat ? { ...stat, residentBytes: residentBytes(pid) } : null;
  void writeFrame(socket, FRAME.usage, JSON.stringify(usage));
}

/** Sends what the child writes, as fast as it is read, and how it ends. */
async function report(socket: Socket, child: LocalProcess, log: Log): Promise<void> {
  try {
    await Promise.all([
      forward(socket, FRAME.stdout, child.stdout),
      child.stderr instanceof ReadableStream && forward(socket, FRAME.stderr, child.stderr),
      child.exited,
    ]);
    const { exitCode, signalCode } = child;
    const exit: Exit = { exited: await child.exited, exitCode, signalCode };
    await writeFrame(socket, FRAME.exit, JSON.stringify(exit));
    socket.end();
  } catch (error) {
    log.warn('lost the output of a program', { reason: getErrorMessage(error as Error) });
    socket.destroy();
  }
}

async function forward(
  socket: Socket,
  type: number,
  stream: ReadableStream<Uint8Array>,
): Promise<void> {
  for await (const bytes of stream) await writePieces(socket, type, bytes);
}

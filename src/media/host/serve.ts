import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { getErrorMessage, type Log } from '../../core/log.ts';
import { readProcessStat, residentBytes } from '../process-stat.ts';
import {
  killGroup,
  type LocalProcess,
  startProgram,
  PROGRAMS,
  type ProgramRequest,
} from '../programs.ts';
import { type Exit, FRAME, readFrames, type Usage, writeFrame, writePieces } from './frames.ts';
import { isAbsolute } from 'node:path';
import { findGuardedPath } from '../../core/guarded-path.ts';

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

const LIMITS = ['cpuSeconds', 'memoryBytes', 'dataBytes', 'fileBytes', 'nice'] as const;

/** Returns a request of one of our programs with nothing besides. Throws an Error with the reason. */
function parseRequest(text: string): ProgramRequest {
  const { program, args, limits, files, cwd, umask, stdin, stderr } = toObject(JSON.parse(text));
  const known = typeof program === 'string' && PROGRAMS.get(program);
  if (!known) throw new Error(`There is no program ${JSON.stringify(program)}`);
  const words = toStrings(args);
  if (known.accepts && !known.accepts(words)) throw new Error(`These are no options of ${program}`);
  const { read = [], write = [], usesGpu } = toObject(files);
  return {
    program,
    args: words,
    limits: toLimits(toObject(limits)),
    files: { read: toPaths(read), write: toPaths(write), usesGpu: usesGpu === true },
    cwd: cwd === undefined ? undefined : toPaths([cwd])[0],
    umask: toUmask(umask),
    stdin: stdin === 'pipe' ? 'pipe' : 'ignore',
    stderr: stderr === 'pipe' || stderr === 'inherit' ? stderr : 'ignore',
  };
}

function toUmask(value: unknown): number {
  if (typeof value !== 'number' || (value & 0o007) !== 0o007)
    throw new Error('A umask without rights of others is expected');
  return value & 0o777;
}

function toObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('An object is expected');
  return value as Record<string, unknown>;
}

function toStrings(value: unknown): string[] {
  const isText = (word: unknown) => typeof word === 'string' && !word.includes('\0');
  if (!Array.isArray(value) || !value.every(isText)) throw new Error('Texts are expected');
  return value as string[];
}

function toPaths(value: unknown): string[] {
  const paths = toStrings(value);
  if (!paths.every((path) => isAbsolute(findGuardedPath(path) ?? path)))
    throw new Error('Absolute paths are expected');
  return paths;
}

const toLimits = (limits: Record<string, unknown>): ProgramRequest['limits'] =>
  Object.fromEntries(
    LIMITS.filter((name) => limits[name] !== undefined).map((name) => {
      const value = limits[name];
      if (!(typeof value === 'number' && value >= 0 && Number.isFinite(value)))
        throw new Error(`${name} has to be a number, 0 or more`);
      return [name, value];
    }),
  );

import { type ArchiveMessage, readFrames } from './archive-frames.ts';
import { watchProcess, type WatchEnd } from './process-stat.ts';
import { explainEnd, getLastLine, readTail, spawnTool } from './tool-process.ts';

const MIB = 1024 ** 2;
/** The CPU limit grows with the archive at this rate: slow machines inflate 5 MB/s and more. */
const BYTES_PER_SECOND = 2 * MIB;
const LEAST_SECONDS = 600;
/** The child waits for the disk to which its parent writes. */
const STALL_MS = 10 * 60_000;
const MAX_RESIDENT_BYTES = 768 * MIB;
const MEMORY_CHECK_MS = 200;

/**
 * Reads a ZIP archive in a confined child process. Yields the messages about its entries, and the bytes of its files. Throws
 * MediaError or another error when the child ends early: that says nothing about the archive.
 */
export async function* readArchive(
  path: string,
  { size, signal }: { readonly size: number; readonly signal: AbortSignal },
): AsyncGenerator<ArchiveMessage | Uint8Array, void> {
  const seconds = LEAST_SECONDS + size / BYTES_PER_SECOND;
  const child = spawnTool(
    ['archive-reader', path],
    { cpuSeconds: seconds, nice: 10, files: { read: [path] } },
    { stdin: 'ignore', stderr: 'pipe' },
  );
  let cause: WatchEnd | undefined;
  const kill = () => child.kill();
  const watch = watchProcess(
    child.stat,
    (end) => {
      cause ??= end;
      kill();
    },
    { stallMs: STALL_MS },
  );
  const timer = setInterval(() => {
    if (child.residentBytes() > MAX_RESIDENT_BYTES) kill();
  }, MEMORY_CHECK_MS);
  signal.addEventListener('abort', kill, { once: true });
  const tail = readTail(child.stderr);
  try {
    let isOver = false;
    for await (const content of readFrames(child.stdout)) {
      watch.touch();
      isOver ||= 'type' in content && (content.type === 'done' || content.type === 'fault');
      yield content;
    }
    const code = await child.exited;
    signal.throwIfAborted();
    if (isOver && code === 0) return;
    const stderr = await tail;
    const tool = 'The reader of archives';
    throw (
      explainEnd(child, tool, { cause, stderr }) ??
      new Error(getLastLine(stderr) || `${tool} ended with ${code}`)
    );
  } finally {
    clearInterval(timer);
    watch.stop();
    signal.removeEventListener('abort', kill);
    kill();
  }
}

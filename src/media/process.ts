import { MediaError, ToolMissing } from './errors.ts';

export type ToolOptions = {
  /** Wall clock; the tool and its children are killed after it. */
  readonly timeoutMs: number;
  readonly cpuSeconds?: number;
  /** Address space in bytes. Left out for GPU encoders, which map far more than they use. */
  readonly memoryBytes?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onStdout?: (text: string) => void;
};

export type ToolResult = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};

const MAX_OUTPUT = 8 * 1024 * 1024;
const KEPT_STDERR = 4096;

/** Nothing of ours is inherited: no database URL, no proxy, no user configuration of the tools. */
export const TOOL_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
  HOME: '/nonexistent',
  // 64 MiB of address space per thread otherwise, which a memory limit counts.
  MALLOC_ARENA_MAX: '2',
  ...(process.env['LD_LIBRARY_PATH'] ? { LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] } : {}),
};

const WITH_US = ['setpriv', '--no-new-privs', '--pdeathsig', 'KILL', '--'];

/**
 * The limits are set by prlimit(1), so that they hold from the first instruction of the tool. It dies
 * with us, also when we are killed: exiftool would wait for its next file for ever.
 */
export function limited(
  command: readonly string[],
  limits: { cpuSeconds?: number | undefined; memoryBytes?: number | undefined },
): string[] {
  const flags = [
    ...(limits.cpuSeconds === undefined ? [] : [cpuLimit(limits.cpuSeconds)]),
    ...(limits.memoryBytes === undefined ? [] : [`--as=${limits.memoryBytes}`]),
    '--core=0',
  ];
  return [...WITH_US, 'prlimit', ...flags, '--', ...command];
}

/** Starts a tool with its limits. Throws ToolMissing when not even the limits can be set. */
export function spawnTool<In extends 'pipe' | 'ignore', Err extends 'pipe' | 'ignore'>(
  command: readonly string[],
  limits: { cpuSeconds?: number | undefined; memoryBytes?: number | undefined },
  { stdin, stderr }: { readonly stdin: In; readonly stderr: Err },
): Bun.Subprocess<In, 'pipe', Err> {
  try {
    return Bun.spawn(limited(command, limits), { stdin, stdout: 'pipe', stderr, env: TOOL_ENV });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? new ToolMissing(WITH_US[0]!, { cause: error })
      : error;
  }
}

/** What setpriv and prlimit, like every shell, end with when the program is not there (or not to be run). */
export const isMissing = (code: number | null): boolean => code === 127 || code === 126;

/**
 * Runs a tool on a file that may be hostile. Resolves with its exit code, also when that is not 0;
 * throws MediaError 'timeout', ToolMissing, or the abort reason of `signal`.
 */
export async function runTool(
  command: readonly string[],
  options: ToolOptions,
): Promise<ToolResult> {
  options.signal?.throwIfAborted();
  const child = spawnTool(command, options, { stdin: 'ignore', stderr: 'pipe' });
  let timedOut = false;
  const kill = () => child.kill('SIGKILL');
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, options.timeoutMs);
  options.signal?.addEventListener('abort', kill, { once: true });
  try {
    const [stdout, stderr, code] = await Promise.all([
      collect(child.stdout, options.onStdout, kill),
      tail(child.stderr),
      child.exited,
    ]);
    options.signal?.throwIfAborted();
    // SIGXCPU (24) ends a tool that used up its processor time.
    if (timedOut || child.signalCode === 'SIGXCPU' || code === 128 + 24)
      throw new MediaError('timeout', `${command[0]} took too long`);
    if (isMissing(code)) throw new ToolMissing(missingOf(command, stderr), { cause: stderr });
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', kill);
  }
}

const missingOf = (command: readonly string[], stderr: string): string =>
  /failed to execute (?:.*\/)?([\w-]+)/.exec(stderr)?.[1] ?? command[0]!;

async function collect(
  stream: ReadableStream<Uint8Array>,
  onText: ((text: string) => void) | undefined,
  kill: () => void,
): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    if (onText) onText(text);
    else parts.push(text);
    size += onText ? 0 : chunk.byteLength;
    if (size > MAX_OUTPUT) {
      kill();
      throw new MediaError('broken', 'The tool printed more than is plausible');
    }
  }
  return parts.join('');
}

/** The last words of a tool usually name the fault; the rest may be megabytes of warnings. */
async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let kept = '';
  for await (const chunk of stream)
    kept = (kept + decoder.decode(chunk, { stream: true })).slice(-KEPT_STDERR);
  return kept;
}

/** The soft limit one second before the hard one: SIGXCPU tells a used-up time from a crash. */
function cpuLimit(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `--cpu=${whole}:${whole + 1}`;
}

import { killGroup, type LocalProcess } from './programs.ts';
import { type ProcessStat, readProcessStat, residentBytes } from './process-stat.ts';

/** A running tool, a child of this process or of the media host. */
export type ToolChild = {
  readonly stdin: ToolInput;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<number>;
  readonly exitCode: number | null;
  readonly signalCode: string | number | null;
  /** Set when it could not be started or was lost, by no fault of its own. */
  readonly failure: Error | undefined;
  /** Undefined when there is no such process, or its state is not known yet. */
  readonly stat: () => ProcessStat | undefined;
  /** 0 when there is no such process, or its state is not known yet. */
  residentBytes(): number;
  /** Ends it, and everything that it has started. */
  kill(): void;
  /** Whether it keeps this process alive. */
  hold(isHeld: boolean): void;
};

export type ToolInput = {
  write(data: string | Uint8Array): unknown;
  flush(): unknown;
  /** Closes it: what was written before is read first. */
  end(): unknown;
};

/** A child of this process. */
export function toToolChild(child: LocalProcess): ToolChild {
  return {
    // Safe: whoever asks for a pipe has one.
    stdin: child.stdin as ToolInput,
    stdout: child.stdout,
    stderr: child.stderr as ReadableStream<Uint8Array>,
    exited: child.exited,
    failure: undefined,
    get exitCode() {
      return child.exitCode;
    },
    get signalCode() {
      return child.signalCode;
    },
    stat: () => readProcessStat(child.pid),
    residentBytes: () => residentBytes(child.pid),
    kill: () => killGroup(child),
    hold: (isHeld) => (isHeld ? child.ref() : child.unref()),
  };
}

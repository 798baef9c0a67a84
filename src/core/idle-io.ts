import { dlopen, FFIType } from 'bun:ffi';

// ioprio_set(2), which libc does not wrap.

const SYSCALLS: Partial<Record<NodeJS.Architecture, number>> = { x64: 251, arm64: 30 };
const WHO_PROCESS = 1;
const CLASS_IDLE = 3 << 13;
/** The priority then follows the niceness. */
const CLASS_NONE = 0;

const setPriority = createSetter();

function createSetter(): (priority: number) => void {
  const number = SYSCALLS[process.arch];
  if (number === undefined) return () => {};
  const { i64 } = FFIType;
  const { symbols } = dlopen('libc.so.6', {
    syscall: { args: [i64, i64, i64, i64], returns: i64 },
  });
  return (priority) => void symbols.syscall(number, WHO_PROCESS, 0, priority);
}

/**
 * Runs synchronous work whose reads the disk does when it has nothing else to do, where its scheduler
 * knows priorities. Only of this thread: asynchronous reads happen on others.
 */
export function withIdleIo<T>(work: () => T): T {
  setPriority(CLASS_IDLE);
  try {
    return work();
  } finally {
    setPriority(CLASS_NONE);
  }
}

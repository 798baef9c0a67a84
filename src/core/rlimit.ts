import { dlopen, FFIType, ptr } from 'bun:ffi';
import { readFileSync } from 'node:fs';

const RLIMIT_DATA = 2;

/**
 * From now on this process gets so many bytes of private memory more than it has, whoever of its
 * libraries asks (RLIMIT_DATA of setrlimit(2)); it cannot be raised again. The limit cannot be set
 * before the start: JavaScriptCore reserves gigabytes that it never touches.
 */
export function limitFurtherMemory(bytes: number): void {
  const used = Number(/^VmData:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  const limit = BigInt(used * 1024 + bytes);
  const { symbols } = dlopen('libc.so.6', {
    setrlimit: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
  });
  const limits = new BigUint64Array([limit, limit]);
  if (symbols.setrlimit(RLIMIT_DATA, ptr(limits)) !== 0) throw new Error('setrlimit failed');
}

import { dlopen } from 'bun:ffi';

/**
 * Sets a variable where C libraries look for it: assignments to process.env never reach getenv.
 * Not safe while other threads run native code, so only at the start of the process.
 */
export function setCEnv(name: string, value: string): void {
  const libc = dlopen('libc.so.6', {
    setenv: { args: ['cstring', 'cstring', 'i32'], returns: 'i32' },
  });
  const failed = libc.symbols.setenv(cString(name), cString(value), 1) !== 0;
  libc.close();
  if (failed) throw new Error(`Cannot set ${name} in the environment`);
  process.env[name] = value;
}

const cString = (text: string) => Buffer.from(`${text}\0`);

/**
 * ONNX Runtime 1.29 and later reports to its maker when it loads, unless told not to. To be called
 * before any native library is loaded and before any thread exists.
 */
export function silenceTelemetry(): void {
  setCEnv('ORT_DISABLE_TELEMETRY', '1');
}

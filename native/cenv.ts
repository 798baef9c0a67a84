import { dlopen } from 'bun:ffi';

/** Read by C libraries when they load. process.env does not reach them, only setenv does. */
const QUIET = { ORT_DISABLE_TELEMETRY: '1' };

/** To be called before any native library is loaded and before any thread exists. */
export function silenceTelemetry(): void {
  const libc = dlopen('libc.so.6', {
    setenv: { args: ['cstring', 'cstring', 'i32'], returns: 'i32' },
  });
  for (const [name, value] of Object.entries(QUIET)) {
    libc.symbols.setenv(Buffer.from(`${name}\0`), Buffer.from(`${value}\0`), 1);
    process.env[name] = value;
  }
  libc.close();
}

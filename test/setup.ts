// Tests run in one time zone, never against a database that someone cares about, and with the
// libraries' telemetry off: in the environment of C, which process.env does not reach.
import { dlopen } from 'bun:ffi';
import fc from 'fast-check';
import { recordUsage } from './run/usage.ts';
import { SEED } from './support/effort.ts';

process.env['TZ'] = 'UTC';
delete process.env['DATABASE_URL'];

const libc = dlopen('libc.so.6', {
  setenv: { args: ['cstring', 'cstring', 'i32'], returns: 'i32' },
});
libc.symbols.setenv(Buffer.from('ORT_DISABLE_TELEMETRY\0'), Buffer.from('1\0'), 1);
libc.close();

fc.configureGlobal({ seed: SEED });

const usageFolder = process.env['SAFELIGHT_TEST_USAGE'];
if (usageFolder) recordUsage(usageFolder);

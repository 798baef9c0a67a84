// Tests run in one time zone, never against a database that someone cares about, and with the
// libraries' telemetry off: in the environment of C, which process.env does not reach.
import { dlopen } from 'bun:ffi';
import { beforeEach } from 'bun:test';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { shareExifTool } from '../src/media/exiftool.ts';
import { confineImageChildren } from '../src/media/image-children.ts';
import { setSampleFolder } from '../src/media/tool-samples.ts';
import { recordUsage } from './run/usage.ts';
import { SEED } from './support/effort.ts';
import { SHARED_FILE_ACCESS } from './support/file-access.ts';

process.env['TZ'] = 'UTC';
delete process.env['DATABASE_URL'];

const libc = dlopen('libc.so.6', {
  setenv: { args: ['cstring', 'cstring', 'i32'], returns: 'i32' },
});
libc.symbols.setenv(Buffer.from('ORT_DISABLE_TELEMETRY\0'), Buffer.from('1\0'), 1);
libc.close();

fc.configureGlobal({ seed: SEED });

// As in a server: one process decodes the pictures of all folders, and one exiftool reads them.
confineImageChildren(SHARED_FILE_ACCESS.read);
shareExifTool({ files: SHARED_FILE_ACCESS });

// An application that a test has opened may be gone with its folder.
beforeEach(() => setSampleFolder(tmpdir()));

const usageFolder = process.env['SAFELIGHT_TEST_USAGE'];
if (usageFolder) recordUsage(usageFolder);

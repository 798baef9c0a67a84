import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../test/support/until.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { convertArchive, readArchive } from './archive.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'archive-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the process of pg_restore that this one has started, once it runs. */
async function findTool(): Promise<string> {
  let found: string | undefined;
  await until(() => {
    found = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .find((pid) => {
        try {
          const status = readFileSync(`/proc/${pid}/status`, 'utf8');
          return (
            /^Name:\s+pg_restore$/m.test(status) && status.includes(`\nPPid:\t${process.pid}\n`)
          );
        } catch {
          return false;
        }
      });
    return found !== undefined;
  });
  return found!;
}

skipWithout('seccomp').test(
  'the tool that reads a dump is confined, has limits and none of our environment',
  async () => {
    const pipe = join(folder, 'pipe');
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0);
    const archive = openSync(pipe, 'r+');
    process.env['SAFELIGHT_TEST_SECRET'] = 'of the server';
    const stopping = new AbortController();
    const { signal } = stopping;
    const reading = Array.fromAsync(convertArchive(archive, ['--list'], { signal }));
    try {
      const pid = await findTool();
      const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
      const environment = read('environ').split('\0').filter(Boolean);
      const names = environment.map((entry) => entry.split('=', 1)[0]!);
      expect(new Set(names)).toEqual(new Set(['LC_ALL', 'PATH', 'TZ']));
      expect(read('status')).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(read('status')).toMatch(/^Seccomp:\s+2$/m);
      expect(read('status')).toMatch(/^CapEff:\s+0+$/m);
      expect(read('limits')).toMatch(/^Max cpu time\s+14400 /m);
      expect(read('limits')).toMatch(/^Max data size\s+536870912 /m);
      expect(read('limits')).toMatch(/^Max file size\s+0 /m);
    } finally {
      delete process.env['SAFELIGHT_TEST_SECRET'];
      stopping.abort(new Error('no longer wanted'));
      await expect(reading).rejects.toThrow('no longer wanted');
      closeSync(archive);
    }
  },
);

test('a file that is no archive is named in one sentence, from wherever it has been read before', async () => {
  const file = join(folder, 'text');
  writeFileSync(file, '-- a script for psql\n\\! id\n');
  const archive = openSync(file, 'r');
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(readArchive(archive, ['--list'], 1000)).rejects.toThrow(
      /^The dump cannot be read: pg_restore: error: .*$/,
    );
  }
  await expect(readArchive(new Uint8Array(), ['--list'], 1000)).rejects.toThrow('cannot be read');
  closeSync(archive);
});

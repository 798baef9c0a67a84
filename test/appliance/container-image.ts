import { expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { buildPackage, ROOT, VERSION } from './packages.ts';

// The package in a container image, where podman or docker runs containers and can get images of Debian.

setDefaultTimeout(1_800_000);

const runtime = ['podman', 'docker'].find(
  (name) =>
    Bun.which(name) &&
    Bun.spawnSync([name, 'info'], { stdio: ['ignore', 'ignore', 'ignore'] }).exitCode === 0,
);
if (!runtime)
  console.log('The test of the container image is skipped: neither podman nor docker runs');

test.skipIf(!runtime)(
  'the image serves, and keeps its library in a folder of its owner',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'container-image-test-'));
    const run = (...words: string[]): string => {
      const { exitCode, stdout, stderr } = Bun.spawnSync([runtime!, ...words]);
      if (exitCode !== 0) throw new Error(`${words.join(' ')} failed: ${stderr.toString()}`);
      return stdout.toString().trim();
    };
    try {
      buildPackage(VERSION, folder);
      copyFileSync(join(ROOT, 'appliance/Containerfile'), join(folder, 'Containerfile'));
      run('build', '--tag', 'safelight-test', folder);
      const data = mkdtempSync(join(folder, 'data-'));
      const ports = ['--publish', '127.0.0.1::2283'];
      const id = run('run', '--detach', '--volume', `${data}:/data`, ...ports, 'safelight-test');
      const url = `http://${run('port', id, '2283/tcp').split('\n')[0]}/api/server/ping`;
      await until(async () => (await fetch(url).catch(() => undefined))?.status === 200, 300_000);
      expect(statSync(join(data, 'postgres')).uid).not.toBe(0);
      run('stop', '--time', '120', id);
      expect(run('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('0');
      run('rm', id);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

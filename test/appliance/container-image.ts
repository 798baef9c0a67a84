import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { writeMinimalSystem } from './container.ts';
import { buildPackage, ROOT, VERSION } from './packages.ts';

// The package in a container image, where podman or docker runs containers. Its base is made here of Debian's
// packages: not every machine gets images.

setDefaultTimeout(1_800_000);

const BASE = 'localhost/safelight-test-base';
const folder = mkdtempSync(join(tmpdir(), 'container-image-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const runtime = ['podman', 'docker'].find(
  (name) => Bun.which(name) && Bun.spawnSync([name, 'info']).exitCode === 0,
);
const obstacle = runtime ? findRefusal(runtime) : 'neither podman nor docker runs';
if (obstacle !== undefined) console.log(`The test of the container image is skipped: ${obstacle}`);

/** Makes the base; returns why no container of it can be run here, undefined when one can. */
function findRefusal(name: string): string | undefined {
  const system = join(folder, 'system.tar');
  writeMinimalSystem(system);
  Bun.spawnSync([name, 'import', system, BASE]);
  rmSync(system);
  const { exitCode, stderr } = Bun.spawnSync([name, 'run', '--rm', BASE, 'true']);
  return exitCode === 0 ? undefined : stderr.toString().trim().split('\n').at(-1);
}

test.skipIf(obstacle !== undefined)(
  'the image serves, and keeps its library in a folder of its owner',
  async () => {
    const run = (...words: string[]): string => {
      const { exitCode, stdout, stderr } = Bun.spawnSync([runtime!, ...words]);
      if (exitCode !== 0) throw new Error(`${words.join(' ')} failed: ${stderr.toString()}`);
      return stdout.toString().trim();
    };
    buildPackage(VERSION, folder);
    copyFileSync(join(ROOT, 'appliance/Containerfile'), join(folder, 'Containerfile'));
    run('build', '--build-arg', `BASE=${BASE}`, '--tag', 'safelight-test', folder);
    const data = mkdtempSync(join(folder, 'data-'));
    const ports = ['--publish', '127.0.0.1::2283'];
    const id = run('run', '--detach', '--volume', `${data}:/data`, ...ports, 'safelight-test');
    const url = `http://${run('port', id, '2283/tcp').split('\n')[0]}/api/server/ping`;
    await until(async () => (await fetch(url).catch(() => undefined))?.status === 200, 300_000);
    expect(statSync(join(data, 'postgres')).uid).not.toBe(0);
    run('stop', '--time', '120', id);
    expect(run('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('0');
    run('rm', id);
  },
);

import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchRequirement, skipWithout } from '../support/requirements.ts';
import { until } from '../support/until.ts';
import { writeMinimalSystem } from './container.ts';
import { buildPackage, ROOT, VERSION } from './packages.ts';

// The package in a container image, where podman or docker runs containers. Its base is made here of Debian's
// packages: not every machine gets images.

setDefaultTimeout(1_800_000);

const BASE = 'localhost/safelight-test-base';
const folder = mkdtempSync(join(tmpdir(), 'container-image-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const runtime = await fetchRequirement('containers', findRuntime);

/** Makes the base, and returns the program that runs containers of it. */
function findRuntime(): string {
  const name = ['podman', 'docker'].find(
    (program) => Bun.which(program) && Bun.spawnSync([program, 'info']).exitCode === 0,
  );
  if (name === undefined) throw new Error('neither podman nor docker runs');
  const system = join(folder, 'system.tar');
  writeMinimalSystem(system);
  Bun.spawnSync([name, 'import', system, BASE]);
  rmSync(system);
  const { exitCode, stderr } = Bun.spawnSync([name, 'run', '--rm', BASE, 'true']);
  if (exitCode !== 0) throw new Error(stderr.toString().trim().split('\n').at(-1));
  return name;
}

skipWithout('containers').test(
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

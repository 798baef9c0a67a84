import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dir, '../..');
const CACHE = join(ROOT, '.cache/appliance');

/** Release of Debian to test on. */
const SUITE = process.env['DEBIAN_SUITE'] ?? 'bookworm';

/** The packages that ours depends on: containers have no network. */
const PACKAGES = [
  'systemd,systemd-sysv,dbus,ca-certificates,curl,procps',
  SUITE === 'bookworm' ? 'postgresql-15' : 'postgresql-17,libheif-plugin-x265',
  'ffmpeg,perl,libheif-examples,libraw-bin,libjxl-tools,brotli,imagemagick,fontconfig,fonts-dejavu-core,openssl',
].join(',');

/** Returns why containers cannot be started here, undefined when they can. */
export function findObstacle(): string | undefined {
  if (process.getuid!() !== 0) return 'root is needed';
  for (const [program, source] of Object.entries(PROGRAMS)) {
    if (!Bun.which(program)) return `${program} is missing: apt-get install ${source}`;
  }
  const { exitCode } = Bun.spawnSync(['unshare', '--mount', '--pid', '--fork', 'true']);
  return exitCode === 0 ? undefined : 'namespaces cannot be made';
}

const PROGRAMS = {
  'systemd-nspawn': 'systemd-container',
  mmdebstrap: 'mmdebstrap',
  nsenter: 'util-linux',
};

/** Returns a root file system of Debian with the dependencies of the package, made at the first call. */
export function prepareBase(): string {
  const base = join(CACHE, SUITE);
  if (existsSync(base)) return base;
  const partial = `${base}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  const command = ['mmdebstrap', '--variant=minbase', '--aptopt=APT::Install-Recommends "false"'];
  runOrThrow([...command, `--include=${PACKAGES}`, SUITE, partial, MIRROR]);
  renameSync(partial, base);
  return base;
}

const MIRROR = process.env['DEBIAN_MIRROR'] ?? 'http://deb.debian.org/debian';

export type Result = { readonly code: number; readonly out: string };

export type Container = {
  /** Runs a shell command in it as root, in its own network. */
  run(command: string): Promise<Result>;
  /** The same, and throws with its output unless it ends with 0. */
  expectRun(command: string): Promise<string>;
  stop(): Promise<void>;
};

/** Boots systemd on a copy of the base, with `packages` as /packages; nothing of it is kept. */
export async function startContainer(base: string, packages: string): Promise<Container> {
  const folder = mkdtempSync(join(CACHE, 'container-'));
  const [upper, work, merged] = ['upper', 'work', 'root'].map((name) => join(folder, name));
  for (const path of [upper, work, merged]) mkdirSync(path!);
  const layers = `lowerdir=${base},upperdir=${upper},workdir=${work}`;
  runOrThrow(['mount', '-t', 'overlay', 'overlay', '-o', layers, merged!]);
  // No systemd of this machine has to register it.
  const flags = ['--register=no', '--keep-unit', '--private-network', '--hostname=appliance'];
  const nspawn = Bun.spawn(
    [
      'systemd-nspawn',
      '--boot',
      `--directory=${merged}`,
      ...flags,
      `--bind-ro=${packages}:/packages`,
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  );
  // The first child may be one that only prepares.
  const findInit = () =>
    readFileSync(`/proc/${nspawn.pid}/task/${nspawn.pid}/children`, 'utf8').trim().split(' ')[0]!;
  const run = async (command: string): Promise<Result> => {
    const enter = [
      'nsenter',
      `--target=${findInit()}`,
      '--mount',
      '--pid',
      '--net',
      '--uts',
      '--ipc',
    ];
    const child = Bun.spawn([...enter, 'bash', '-c', `exec 2>&1\n${command}`], {
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    });
    const out = await new Response(child.stdout).text();
    return { code: await child.exited, out: out.trim() };
  };
  const container: Container = {
    run,
    async expectRun(command) {
      const { code, out } = await run(command);
      if (code !== 0) throw new Error(`${command} ended with ${code}:\n${out}`);
      return out;
    },
    async stop() {
      // As systemd-nspawn(1) says: an orderly shutdown.
      nspawn.kill('SIGTERM');
      await nspawn.exited;
      runOrThrow(['umount', merged!]);
      rmSync(folder, { recursive: true });
    },
  };
  try {
    await until(async () => /^(?:running|degraded)$/.test((await run(STATE)).out), 300_000);
    return container;
  } catch (error) {
    await container.stop();
    throw error;
  }
}

const STATE = 'systemctl is-system-running';

/** Writes a root file system of Debian 12 with nothing but apt, as images of containers begin with. */
export const writeMinimalSystem = (archive: string): void =>
  runOrThrow(['mmdebstrap', '--variant=apt', 'bookworm', archive, MIRROR]);

function runOrThrow(command: readonly string[]): void {
  const { exitCode } = Bun.spawnSync([...command], { stdout: 'inherit', stderr: 'inherit' });
  if (exitCode !== 0) throw new Error(`${command[0]} failed`);
}

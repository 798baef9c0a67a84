import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { ROOT, VERSION } from './packages.ts';

// Emulated machines that UEFI starts from a disk image. Nothing of them is kept.

const FIRMWARE = '/usr/share/OVMF/OVMF_CODE_4M.fd';
const IMAGE = join(ROOT, `dist/safelight_${VERSION}_amd64.img.zst`);
/** Emulated, a start takes minutes. */
const START_MS = 1_800_000;

/** Returns why images cannot be started here, undefined when they can. */
export function findObstacle(): string | undefined {
  for (const [program, source] of Object.entries(PROGRAMS)) {
    if (!Bun.which(program)) return `${program} is missing: apt-get install ${source}`;
  }
  if (!existsSync(FIRMWARE)) return 'the firmware is missing: apt-get install ovmf';
  if (!existsSync(IMAGE)) return 'there is no image: make image';
  return undefined;
}

const PROGRAMS = {
  'qemu-system-x86_64': 'qemu-system-x86',
  'qemu-img': 'qemu-utils',
  mksquashfs: 'squashfs-tools',
  zstd: 'zstd',
};

export const getImageBytes = (): number => Bun.file(IMAGE).size;

/** Writes the image to a disk of `gigabytes`, which is larger than it. */
export function writeDisk(path: string, gigabytes: number): void {
  runOrThrow(['zstd', '--quiet', '--decompress', '--sparse', IMAGE, '-o', path]);
  runOrThrow(['qemu-img', 'resize', '-q', '-f', 'raw', path, `${gigabytes}G`]);
}

/**
 * Writes a disk, read-only for the machine, with images of other versions of the same system and their
 * SHA256SUMS. The arguments are the kernel's.
 */
export function writeReleases(path: string, argumentsByVersion: Record<string, string>): void {
  const folder = mkdtempSync(`${path}.files-`);
  for (const [version, flags] of Object.entries(argumentsByVersion)) {
    const image = join(folder, `safelight_${version}_amd64.img`);
    const script = join(ROOT, 'appliance/image/disk.sh');
    runOrThrow([script, join(ROOT, 'dist/image'), version, image, flags]);
    runOrThrow(['zstd', '--quiet', '-1', '--rm', image]);
  }
  runOrThrow(['sh', '-c', `cd ${folder} && sha256sum *.zst >SHA256SUMS`]);
  runOrThrow(['mksquashfs', folder, path, '-quiet', '-no-progress', '-noD', '-noF']);
  rmSync(folder, { recursive: true });
}

export type Machine = {
  /** The address of the server in it, without a path. */
  readonly url: string;
  /** Returns the output of its serial console since the last start. */
  console(): string;
  /** Resolves with the seconds since the last start when the console says that it serves. */
  untilServing(): Promise<number>;
  /** Runs a shell command on the console as root and returns the output. Throws unless it ends with 0. */
  run(command: string): Promise<string>;
  reboot(): Promise<void>;
  /** As if it lost power. */
  kill(): Promise<void>;
};

export type MachineFiles = {
  readonly disk: string;
  /** A second disk, of writeReleases. */
  readonly releases: string;
  /** Receives what it sends, in the format of pcap. */
  readonly traffic: string;
};

export function startMachine({ disk, releases, traffic }: MachineFiles): Machine {
  const port = findFreePort();
  const variables = `${disk}.variables`;
  if (!existsSync(variables)) copyFileSync(FIRMWARE.replace('CODE', 'VARS'), variables);
  const flags = [
    '-machine q35 -accel tcg,thread=multi -cpu max -smp 2 -m 2048',
    '-vga none -display none -monitor none -serial stdio -device virtio-rng-pci',
    `-drive if=pflash,format=raw,readonly=on,file=${FIRMWARE}`,
    `-drive if=pflash,format=raw,file=${variables}`,
    `-drive if=virtio,format=raw,file=${disk}`,
    `-drive if=virtio,format=raw,readonly=on,file=${releases}`,
    `-netdev user,id=lan,hostfwd=tcp:127.0.0.1:${port}-:443 -device virtio-net-pci,netdev=lan`,
    `-object filter-dump,id=traffic,netdev=lan,file=${traffic}`,
  ];
  const child = Bun.spawn(['qemu-system-x86_64', ...flags.join(' ').split(' ')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let [shown, started, hasShell] = ['', performance.now(), false];
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of child.stdout) shown += decoder.decode(chunk, { stream: true });
  })();
  const type = (line: string) => void child.stdin.write(`${line}\n`);
  const untilShown = async (pattern: RegExp, from = 0): Promise<RegExpExecArray> => {
    let found: RegExpExecArray | null = null;
    const isFound = () => (found = pattern.exec(shown.slice(from))) !== null;
    await until(() => isFound() || child.exitCode !== null, START_MS).catch(() => {});
    if (!found) throw new Error(`The console never showed ${pattern}:\n${shown.slice(-5000)}`);
    return found;
  };

  async function openShell(): Promise<void> {
    if (hasShell) return;
    type('');
    await untilShown(/root@safelight.*# /);
    // Without echo: what follows a command is its output.
    type("exec sh -c 'stty -echo; PS1= exec sh'");
    hasShell = true;
    await run('true');
  }

  async function run(command: string): Promise<string> {
    await openShell();
    const from = shown.length;
    type(`(${command}) 2>&1; echo "ended with $?."`);
    const { index, 1: code } = await untilShown(/ended with (\d+)\./, from);
    const output = shown
      .slice(from, from + index)
      .replaceAll('\r', '')
      .trim();
    if (code !== '0') throw new Error(`${command} ended with ${code}:\n${output}`);
    return output;
  }

  return {
    url: `https://127.0.0.1:${port}`,
    console: () => shown,
    run,
    async untilServing() {
      await untilShown(/Open https?:/);
      return Math.round((performance.now() - started) / 1000);
    },
    async reboot() {
      await openShell();
      [shown, started, hasShell] = ['', performance.now(), false];
      type('systemctl reboot');
    },
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

function runOrThrow(command: readonly string[]): void {
  const { exitCode } = Bun.spawnSync([...command], { stdout: 'inherit', stderr: 'inherit' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed`);
}

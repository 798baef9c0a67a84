// A disk whose power can be cut, without a virtual machine: an ext4 file system on a loop device
// over a FUSE export of qemu-storage-daemon, which logs every write and every flush. From the log
// the disk can be put together as it may be after a power cut at any write.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const MIB = 1024 ** 2;
const SECTOR = 512;
/** Acknowledgements given to clients are stored behind the file system. */
const ANSWER_BYTES = 4 * MIB;

/** Why this machine cannot do it; undefined when it can. */
export function findPowerLabObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  for (const tool of ['qemu-storage-daemon', 'fusermount3', 'losetup', 'mkfs.ext4', 'mount']) {
    if (!Bun.which(tool)) return `needs ${tool}`;
  }
  if (!existsSync('/dev/fuse') || !existsSync('/dev/loop-control')) return 'needs FUSE and loops';
  const probe = spawnSync('losetup', ['-f']);
  return probe.status === 0 ? undefined : 'needs a free loop device';
}

function run(command: string, args: readonly string[]): string {
  const result = spawnSync(command, args, { encoding: 'utf8' });
  if (result.status === 0) return result.stdout.trim();
  throw new Error(`${command} ${args.join(' ')}: ${result.stderr}`);
}

/** A process that was killed a moment ago may still hold a file. */
async function unmount(mount: string): Promise<void> {
  for (let tries = 0; spawnSync('umount', [mount]).status !== 0; tries++) {
    if (tries === 100) throw new Error(`${mount} stays busy`);
    await Bun.sleep(50);
  }
}

export type PowerLab = {
  /** Where the file system is mounted. */
  readonly mount: string;
  /** Notes, durably and in the order of all other writes, that the client was told about `n`. */
  answered(n: number): void;
  /** Unmounts; no more writes. */
  stop(): Promise<void>;
};

/** `folder` gets `disk`, `base` and `log`; `seed` is the durable content to start with. */
export async function startPowerLab(
  folder: string,
  seed: string,
  sizeMiB: number,
): Promise<PowerLab> {
  const [disk, base, log, exported] = ['disk', 'base', 'log', 'export'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const bytes = sizeMiB * MIB;
  writeFileSync(disk, '');
  truncateSync(disk, bytes);
  run('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0', '-d', seed, disk]);
  truncateSync(disk, bytes + ANSWER_BYTES);
  run('cp', ['--sparse=always', disk, base]);
  writeFileSync(log, '');
  writeFileSync(exported, '');
  const daemon = Bun.spawn(
    [
      'qemu-storage-daemon',
      '--blockdev',
      `driver=file,filename=${disk},node-name=df`,
      '--blockdev',
      'driver=raw,file=df,node-name=dr',
      '--blockdev',
      `driver=file,filename=${log},node-name=lf`,
      '--blockdev',
      'driver=blklogwrites,file=dr,log=lf,node-name=dl',
      '--export',
      `type=fuse,id=e,node-name=dl,mountpoint=${exported},writable=on`,
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  );
  while (statSync(exported).size < bytes) {
    if (daemon.exitCode !== null) throw new Error('qemu-storage-daemon ended');
    await Bun.sleep(20);
  }
  const loop = (...args: string[]) => run('losetup', ['-f', '--show', ...args, exported]);
  const files = loop('--sizelimit', String(bytes));
  const answers = loop('-o', String(bytes), '--sizelimit', String(ANSWER_BYTES));
  const mount = join(folder, 'mount');
  mkdirSync(mount);
  run('mount', [files, mount]);
  const answerFile = openSync(answers, constants.O_RDWR | constants.O_SYNC);
  return {
    mount,
    answered(n) {
      const block = Buffer.alloc(4096);
      block.write(`ANSWER ${n} `);
      writeSync(answerFile, block, 0, block.length, 0);
    },
    async stop() {
      closeSync(answerFile);
      await unmount(mount);
      run('losetup', ['-d', files, answers]);
      daemon.kill('SIGTERM');
      await daemon.exited;
    },
  };
}

type Write = {
  readonly offset: number;
  readonly length: number;
  readonly isFlush: boolean;
  /** Past the cache of the disk. */
  readonly isForced: boolean;
  /** Where the bytes are in the log; undefined for a discard. */
  readonly at: number | undefined;
};

const LOG_MAGIC = 0x6a736677736872n;

function readLog(log: number): Write[] {
  const head = readAt(log, 0, 28);
  if (head.readBigUInt64LE(0) !== LOG_MAGIC) throw new Error('no write log');
  const [count, sector] = [Number(head.readBigUInt64LE(16)), head.readUInt32LE(24)];
  const writes: Write[] = [];
  let at = sector;
  for (let n = 0; n < count; n++) {
    const entry = readAt(log, at, 32);
    const [start, sectors, flags] = [0, 8, 16].map((i) => Number(entry.readBigUInt64LE(i))) as [
      number,
      number,
      number,
    ];
    at += sector;
    const hasBytes = sectors > 0 && (flags & 4) === 0;
    const length = sectors * sector;
    writes.push({
      offset: start * SECTOR,
      length,
      isFlush: (flags & 1) !== 0,
      isForced: (flags & 2) !== 0,
      at: hasBytes ? at : undefined,
    });
    if (hasBytes) at += length;
  }
  return writes;
}

function readAt(file: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  readSync(file, buffer, 0, length, at);
  return buffer;
}

export type Cut = {
  /** Where the file system is mounted, as it came out of the power cut. */
  readonly mount: string;
  /** The last number that a client had been told. */
  readonly answered: number;
};

/**
 * Cuts the power `cuts` times, each at a random write after the first answer. Writes before the last
 * flush are kept, of those after it each with a chance of one half: a cache that reorders.
 */
export async function cutPower(
  folder: string,
  sizeMiB: number,
  { cuts, random }: { readonly cuts: number; readonly random: () => number },
  check: (cut: Cut) => Promise<void>,
): Promise<void> {
  const log = openSync(join(folder, 'log'), 'r');
  const writes = readLog(log);
  const answers = writes.map((write) =>
    write.at !== undefined && write.offset === sizeMiB * MIB
      ? Number(/^ANSWER (\d+) /.exec(readAt(log, write.at, 24).toString('latin1'))?.[1] ?? 0)
      : 0,
  );
  const first = answers.findIndex((answer) => answer > 0);
  const mount = join(folder, 'case');
  mkdirSync(mount, { recursive: true });
  for (let n = 0; n < cuts; n++) {
    const cut = first + Math.floor(random() * (writes.length - first));
    const flushed = writes.findLastIndex((write, index) => write.isFlush && index <= cut);
    const isKept = (write: Write, index: number) =>
      index <= flushed ||
      (index <= cut && (write.isForced || (write.offset < sizeMiB * MIB && random() < 0.5)));
    const kept = new Set(writes.keys().filter((index) => isKept(writes[index]!, index)));
    // A name of its own: a loop device of the case before may still be there, with what it has cached.
    const image = join(folder, `case-${n}.disk`);
    run('cp', ['--sparse=always', join(folder, 'base'), image]);
    const disk = openSync(image, 'r+');
    for (const index of kept) {
      const { at, length, offset } = writes[index]!;
      if (at !== undefined) writeSync(disk, readAt(log, at, length), 0, length, offset);
    }
    closeSync(disk);
    run('mount', ['-o', `loop,sizelimit=${sizeMiB * MIB}`, image, mount]);
    try {
      const answered = Math.max(0, ...[...kept].map((index) => answers[index]!));
      await check({ mount, answered });
    } finally {
      await unmount(mount);
      rmSync(image);
    }
  }
  closeSync(log);
}

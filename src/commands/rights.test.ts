import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { type Outcome, runCommand } from '../../test/support/command-line.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { getUserName } from '../core/account.ts';
import { silentLog } from '../core/log.ts';
import { type Cluster, startCluster } from '../db/cluster.ts';

// Commands that root calls go on as the user of the library, which may do less. Tests of that need root, which other
// users do not give up.

setDefaultTimeout(300_000);

const base = mkdtempSync(join(tmpdir(), 'rights-'));
chmodSync(base, 0o755);
const dataDir = join(base, 'data');
let user: string;
/** Else each command starts a server of its own, and stops it. */
let cluster: Cluster | undefined;
afterAll(async () => {
  await cluster?.stop();
  rmSync(base, { recursive: true, force: true });
});

const safelight = (...args: string[]) => runCommand(base, [...args, '--data', dataDir]);
const asNobody = (...args: string[]) =>
  runCommand(base, args, {
    prefix: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
  });

function makeFolder(name: string, mode = 0o755): string {
  const path = join(base, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}

/** Runs the command that a message names, as root. */
function mend({ err }: Outcome): void {
  const [, command] = /This changes that: sudo (.*)$/m.exec(err) ?? [];
  expect([err, command]).toEqual([err, expect.any(String)]);
  expect(Bun.spawnSync(['sh', '-c', command!.replaceAll(/\bsudo /g, '')]).exitCode).toBe(0);
}

skipWithout('root').describe('called by root', () => {
  beforeAll(async () => {
    await addDatabase(dataDir);
    expect(await safelight('admin', 'create', 'ada@example.org')).toMatchObject({ code: 0 });
    cluster = await startCluster({ dataDir, durability: 'none', log: silentLog });
    user = getUserName(statSync(dataDir).uid);
    expect(user).not.toBe('root');
  });

  const deny = (path: string) => `The user ${user} may not read ${path}. This changes that: sudo `;
  const listDumps = (disk: string) => readdirSync(join(disk, 'backups'));

  test('a backup is written to a new disk, in folders of the user of the library', async () => {
    const disk = makeFolder('disk');
    makeFolder('disk/lost+found', 0o700);
    for (const count of [1, 2]) {
      const { code, err } = await safelight('maintenance', 'backup', '--to', disk);
      expect([code, err]).toEqual([0, '']);
      expect(listDumps(disk)).toHaveLength(count);
      // A second is the unit of the names.
      await Bun.sleep(1_000);
    }
    expect(getUserName(statSync(disk).uid)).toBe('root');
    for (const name of ['originals', 'profiles', 'backups']) {
      const { uid, mode } = statSync(join(disk, name));
      expect([name, getUserName(uid), mode & 0o777]).toEqual([name, user, 0o700]);
    }
    const below = join(disk, 'a/b');
    expect(await safelight('maintenance', 'backup', '--to', below)).toMatchObject({ code: 0 });
    expect(getUserName(statSync(join(disk, 'a')).uid)).toBe(user);
  });

  test('a folder of another user stays as it is; the message has the command that gives it', async () => {
    const disk = makeFolder('taken');
    const backups = makeFolder('taken/backups');
    const refused = await safelight('maintenance', 'backup', '--to', disk);
    expect([refused.code, refused.err]).toEqual([
      1,
      `The user ${user} may not write to ${backups}. This changes that: sudo chown ${user}: ${backups}`,
    ]);
    mend(refused);
    expect(await safelight('maintenance', 'backup', '--to', disk)).toMatchObject({ code: 0 });
  });

  test('a folder behind a closed one is named with the one that is closed', async () => {
    const home = makeFolder('home', 0o700);
    const disk = makeFolder("home/Ada's disk");
    const refused = await safelight('maintenance', 'backup', '--to', disk);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(`The user ${user} may not enter ${home}. This changes that: sudo `),
    ]);
    mend(refused);
    expect(await safelight('maintenance', 'backup', '--to', disk)).toMatchObject({ code: 0 });
  });

  test('a dump that only root may read is proven, and refused without its originals', async () => {
    const disk = makeFolder('dumps');
    const { out } = await safelight('maintenance', 'backup', '--to', disk);
    const dump = out.split('\n').at(-1)!;
    Bun.spawnSync(['chown', 'root:', dump]);
    chmodSync(dump, 0o600);
    const proven = await safelight('maintenance', 'restore-drill', dump);
    expect([proven.err, proven.code]).toEqual(['', 0]);
    Bun.spawnSync(['chown', 'root:', join(disk, 'originals')]);
    const refused = await safelight('maintenance', 'restore-drill', dump);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(deny(join(disk, 'originals'))),
    ]);
  });

  test('models are read from an archive that only root may read', async () => {
    const archive = join(makeFolder('models', 0o700), 'models.tar');
    writeFileSync(join(base, 'models/README'), 'x');
    Bun.spawnSync(['tar', '-cf', archive, '-C', join(base, 'models'), 'README']);
    chmodSync(archive, 0o600);
    const fromArchive = await safelight('models', 'pull', '--from', archive);
    expect([fromArchive.code, fromArchive.err]).toEqual([
      1,
      expect.stringContaining(`${archive} has no `),
    ]);
    const fromFolder = await safelight('models', 'pull', '--from', join(base, 'models'));
    expect([fromFolder.code, fromFolder.err]).toEqual([
      1,
      expect.stringContaining(deny(join(base, 'models'))),
    ]);
  });

  test('an import says which folder the user of the library may not read, and goes on then', async () => {
    const folder = makeFolder('photos', 0o700);
    writeFileSync(join(folder, 'a.jpg'), 'a', { mode: 0o600 });
    for (const how of ['--copy', '--in-place']) {
      const refused = await safelight('import', folder, '--dry-run', how);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(deny(folder))]);
    }
    mend(await safelight('import', folder, '--dry-run'));
    const { code, out } = await safelight('import', folder, '--dry-run');
    expect([code, out]).toEqual([0, expect.stringContaining('1 to take in')]);
    const [file, inner] = [join(folder, 'b.jpg'), makeFolder('photos/inner', 0o700)];
    writeFileSync(file, 'b', { mode: 0o600 });
    const copied = await safelight('import', folder);
    expect([copied.code, copied.out]).toEqual([1, expect.stringContaining(deny(file))]);
    const shown = await safelight('import', folder, '--in-place');
    expect([shown.code, shown.out]).toEqual([1, expect.stringContaining(deny(inner))]);
    expect(shown.out).toContain(deny(file));
  });

  test('another user is told to call the command as root, not to open the library', async () => {
    for (const command of ['admin list', 'maintenance url', 'maintenance backup']) {
      const { code, err } = await asNobody(...command.split(' '), '--data', dataDir);
      expect([command, code, err]).toEqual([
        command,
        1,
        `The user nobody may not read ${dataDir}, which belongs to ${user}: call the command as root, or as ${user}.`,
      ]);
    }
  });
});

// To others it is a folder that they may not write to.
skipWithout('root').test(
  'a data folder where there can be none is refused with one sentence',
  async () => {
    for (const [command, path] of [
      ['serve', '/proc/x'],
      ['serve', '/sys/x'],
      ['serve', '/dev/null/x'],
      ['migrate', '/proc/1/x'],
    ]) {
      const { code, err } = await runCommand(base, [command!, '--data', path!]);
      const sentences = err.split('\n').filter((line) => !line.includes('starting'));
      expect([path, code, sentences]).toEqual([path, 1, [expect.stringContaining(` ${path}: `)]]);
      expect(existsSync(path!)).toBe(false);
    }
  },
);

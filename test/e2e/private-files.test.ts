import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { plainEnvironment, type RunningServer, signUp, startServer, until } from './server.ts';
import { getProgram } from '../support/program.ts';
import { skipWithout } from '../support/requirements.ts';
import { mountReadOnly, unmount } from '../support/mounts.ts';

// File permissions of the library, and the user that a server started by root runs as.

setDefaultTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'private-files-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let server: RunningServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** Modes of everything below the folder, by path. */
const modesBelow = (root: string): Map<string, number> =>
  new Map(
    ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })].flatMap((name) => {
      // A running server removes what it no longer needs.
      const found = lstatSync(join(root, name), { throwIfNoEntry: false });
      return found ? [[name, found.mode & 0o777] as const] : [];
    }),
  );

const openToOthers = (root: string) =>
  [...modesBelow(root)].filter(([, mode]) => (mode & 0o077) !== 0).map(([name]) => name);

const listStatusValues = (pid: number, field: string): string[] =>
  readdirSync(`/proc/${pid}/task`).map((task) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    return new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(status)![1]!;
  });

/** A small JPEG, uploaded and rendered. */
async function upload(url: string, background = '#f00'): Promise<void> {
  const { apiKey } = await signUp(url);
  const plain = { create: { width: 300, height: 200, channels: 3, background } } as const;
  const jpeg = await sharp(plain).jpeg().toBuffer();
  const form = new FormData();
  form.append('assetData', new File([jpeg], 'red.jpg', { type: 'image/jpeg' }));
  for (const name of ['fileCreatedAt', 'fileModifiedAt'])
    form.append(name, '2024-01-01T00:00:00.000Z');
  const headers = { 'x-api-key': apiKey };
  const response = await fetch(`${url}/api/assets`, { method: 'POST', body: form, headers });
  const text = await response.text();
  expect([response.status, text]).toEqual([201, text]);
  const { id } = JSON.parse(text) as { id: string };
  await until('the thumbnail', async () => {
    const { status } = await fetch(`${url}/api/assets/${id}/thumbnail`, { headers });
    return status === 200;
  });
}

async function outcome(...args: string[]) {
  const child = Bun.spawn([...getProgram(), ...args, '--log-format', 'json'], {
    env: plainEnvironment(),
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

describe('a server without settings, started with an open umask', () => {
  let running: RunningServer;
  beforeAll(async () => {
    const before = process.umask(0);
    try {
      running = await startServer();
    } finally {
      process.umask(before);
    }
    await upload(running.url);
  });
  afterAll(() => running?.stop());

  test('no other user or group can open a file of the library, whatever the umask', () => {
    const originals = [...modesBelow(join(running.dataDir, 'originals'))];
    expect(originals.filter(([name]) => /\w{64}$/.test(name)).map(([, mode]) => mode)).toEqual([
      0o400,
    ]);
    expect(readdirSync(join(running.dataDir, 'derived')).length).toBeGreaterThan(0);
    expect(openToOthers(running.dataDir)).toEqual([]);
  });

  skipWithout('root').test(
    'a server started by root switches all threads and children to the owner of the data folder',
    () => {
      const { dataDir } = running;
      const { pid } = running.process;
      const { uid, gid } = statSync(dataDir);
      expect(uid).not.toBe(0);
      const four = (id: number) => Array.from({ length: 4 }, () => id).join('\t');
      expect([...new Set(listStatusValues(pid, 'Uid'))]).toEqual([four(uid)]);
      expect([...new Set(listStatusValues(pid, 'Gid'))]).toEqual([four(gid)]);
      expect([...new Set(listStatusValues(pid, 'CapPrm'))]).toEqual(['0000000000000000']);
      expect(listStatusValues(pid, 'Groups')[0]!.split(' ')).not.toContain('0');
      const owners = [...modesBelow(dataDir).keys()].map(
        (name) => lstatSync(join(dataDir, name)).uid,
      );
      expect([...new Set(owners)]).toEqual([uid]);
    },
  );
});

test('files of an earlier version get the owner of the folder and lose the access of others once, and the group may read them if that is said', async () => {
  const dataDir = join(folder, 'earlier');
  const original = join(dataDir, 'originals/ab/cd', 'ab'.repeat(32));
  const [outside, link] = [join(folder, 'outside'), join(dataDir, 'originals/ab/link')];
  for (const path of [join(original, '..'), outside]) mkdirSync(path, { recursive: true });
  symlinkSync(outside, link);
  writeFileSync(original, 'x');
  chmodSync(original, 0o444);
  chmodSync(dataDir, 0o755);
  const record = join(dataDir, '.permissions');
  server = await startServer('--data', dataDir);
  expect(statSync(join(dataDir, 'originals')).mode & 0o777).toBe(0o700);
  await until('the record', async () => Bun.file(record).exists());
  expect([statSync(dataDir).uid, statSync(outside).uid]).toEqual([
    lstatSync(original).uid,
    process.getuid!(),
  ]);
  expect(statSync(dataDir).uid).not.toBe(0);
  rmSync(link);
  expect(openToOthers(dataDir)).toEqual([]);
  expect(statSync(original).mode & 0o777).toBe(0o400);
  await server.stop();

  chmodSync(original, 0o444);
  server = await startServer('--data', dataDir);
  // Closed from the top: it is not walked through again.
  await upload(server.url);
  expect(statSync(original).mode & 0o777).toBe(0o444);
  expect(statSync(join(dataDir, 'originals')).mode & 0o777).toBe(0o700);
  await server.stop();

  server = await startServer('--data', dataDir, '--group-access', 'read');
  await until('the record', async () => (await Bun.file(record).text()) === 'read\n');
  expect(statSync(original).mode & 0o777).toBe(0o440);
  await upload(server.url, '#00f');
  for (const name of ['.', 'originals', 'derived'])
    expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o750]);
  for (const name of ['incoming', 'removed'])
    expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o700]);
  const originals = [...modesBelow(join(dataDir, 'originals'))].filter(([name]) =>
    /\w{64}$/.test(name),
  );
  expect(originals.map(([, mode]) => mode)).toEqual([0o440, 0o440, 0o440]);
  expect([...modesBelow(dataDir)].filter(([, mode]) => (mode & 0o027) !== 0)).toEqual([]);
});

skipWithout('root').test(
  'the server stays root and logs it if the data folder holds other files or is not reachable for its owner',
  async () => {
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    writeFileSync(join(shared, 'letter.txt'), '');
    server = await startServer('--data', shared);
    expect(server.log.join('\n')).toContain('holds other files too, as letter.txt');
    expect(statSync(shared).uid).toBe(0);
    expect(statSync(shared).mode & 0o777).toBe(0o755);
    expect(statSync(join(shared, 'originals')).mode & 0o777).toBe(0o700);
    await server.stop();

    const hidden = join(folder, 'hidden');
    mkdirSync(hidden, { mode: 0o700 });
    server = await startServer('--data', join(hidden, 'data'));
    expect(server.log.join('\n')).toContain('cannot reach');
    await upload(server.url);
  },
);

skipWithout('root').test(
  'a server started by root listens on a port below 1024 and reads a key that only root can read',
  async () => {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const made = Bun.spawnSync(
      [
        'openssl',
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '1',
        '-subj',
        '/CN=x',
      ].concat(['-keyout', key, '-out', cert]),
    );
    expect(made.exitCode).toBe(0);
    chmodSync(key, 0o400);
    server = await startServer('--port', '987', '--tls-cert', cert, '--tls-key', key);
    expect(server.url).toContain('https://');
    const tls = { rejectUnauthorized: false };
    expect((await fetch('https://127.0.0.1:987/api/server/ping', { tls })).status).toBe(200);
    expect(statSync(server.dataDir).uid).not.toBe(0);
    expect([...new Set(listStatusValues(server.process.pid, 'CapPrm'))]).toEqual([
      '0000000000000000',
    ]);
  },
);

skipWithout('root', 'read-only mounts').test(
  'a read-only data folder ends the server with one error line and code 1',
  async () => {
    const dataDir = join(folder, 'read-only');
    mkdirSync(dataDir);
    mountReadOnly(dataDir, dataDir);
    try {
      const readOnly = 'the file system is read-only';
      const empty = 'There is no library in';
      for (const [command, text] of [
        ['serve', readOnly],
        ['migrate', empty],
        ['maintenance backup', empty],
        ['maintenance verify', empty],
      ] as const) {
        const { code, err } = await outcome(...command.split(' '), '--data', dataDir);
        expect([command, code]).toEqual([command, 1]);
        expect(err).toContain(text);
        expect(err).not.toContain('    at ');
        const sentences = err.split('\n').filter((line) => line && !line.startsWith('{'));
        expect(sentences).toHaveLength(1);
      }
    } finally {
      unmount(dataDir);
    }
  },
);

skipWithout('root').test(
  'a database left running by a killed server keeps its user and its files',
  async () => {
    const dataDir = join(folder, 'left-running');
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    const left = Bun.spawn(['sleep', '60'], { cwd: join(dataDir, 'postgres') });
    try {
      // Not a cluster: the start fails, after it was decided whose it is.
      const { code, err } = await outcome('serve', '--data', dataDir, '--port', '0');
      expect(code).toBe(1);
      expect(err).toContain('the database of an earlier start is still running');
      expect(statSync(join(dataDir, 'postgres')).uid).toBe(0);
    } finally {
      left.kill('SIGKILL');
      await left.exited;
    }
  },
);

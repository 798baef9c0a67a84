import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256 } from '../core/hash.ts';
import { dataPaths, originalPath } from '../core/paths.ts';
import { VERSION } from '../core/version.ts';
import { connect } from '../db/address.ts';
import { type Cluster, startCluster } from '../db/cluster.ts';
import { silentLog } from '../core/log.ts';

// A fresh database waits for the disk.
setDefaultTimeout(60_000);

const MAIN = join(import.meta.dir, '../main.ts');
const folder = mkdtempSync(join(tmpdir(), 'commands-test-'));
const dataDir = join(folder, 'data');
const paths = dataPaths(dataDir);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Outcome = { code: number; out: string; err: string };

const safelight = (...args: string[]): Promise<Outcome> => run(args);

async function run(args: string[], input?: Blob): Promise<Outcome> {
  const { DATABASE_URL: _, ...env } = process.env;
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    cwd: folder,
    env,
    stdio: [input ?? 'ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}

describe('without a database', () => {
  test('version prints one line', async () => {
    expect(await safelight('version')).toEqual({ code: 0, out: `safelight ${VERSION}`, err: '' });
    expect((await safelight('--version')).out).toBe(`safelight ${VERSION}`);
  });

  test('--help lists the commands and the settings, and every command has its own', async () => {
    const { code, out } = await safelight('--help');
    expect(code).toBe(0);
    expect(out).toContain('--database-url URL');
    const names = [...out.matchAll(/^ {2}([a-z][a-z-]+) {2,}\S/gm)].map(([, name]) => name!);
    expect(names).toContain('serve');
    expect(names).toContain('doctor');
    for (const name of names) {
      const own = await safelight(name, '--help');
      expect([own.code, own.out.split('\n')[0]]).toEqual([
        0,
        expect.stringContaining(`usage: safelight ${name}`) as never,
      ]);
    }
  });

  const WRONG: [string[], string][] = [
    [['sevre'], `Unknown command 'sevre'`],
    [['constructor'], `Unknown command 'constructor'`],
    [['serve', '--prot', '1'], 'Unknown flag --prot'],
    [['--port', 'x'], '--port must be a whole number'],
    [['version', 'now'], `Unexpected argument 'now'`],
    [['admin'], 'Say what to do'],
    [['admin', 'create'], 'e-mail address'],
    [['admin', 'create', 'a@b', '--password', 'short'], 'Unknown flag --password'],
    [['admin', 'create', 'a@b', '--password-file', '-'], 'at least 8 characters'],
    [['admin', 'api-key', 'a@b', '--permissions', 'asset.fly'], `'asset.fly'`],
    [['maintenance', 'verify', '--slice', '3/2'], '--slice must be I/N'],
    [['maintenance', 'restore', '/nowhere.dump'], 'no file /nowhere.dump'],
  ];
  test.each(WRONG)('%p ends with code 2 and starts nothing', async (args, words) => {
    const { code, err } = await safelight(...args);
    expect(err).toContain(words);
    expect(code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an unreachable database ends with code 1 and a message', async () => {
    const { code, err } = await safelight('migrate', '--database-url', 'postgres://127.0.0.1:1/x');
    expect(err).toContain('The database cannot be reached');
    expect(err).not.toContain('    at ');
    expect(code).toBe(1);
  });

  test('openapi prints the document', async () => {
    const { code, out } = await safelight('openapi');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toHaveProperty('paths');
  });

  test('a reader that leaves early is no failure', async () => {
    const pipe = `"$0" "$1" openapi 2>errors | head -c 1; echo "\${PIPESTATUS[0]}"; cat errors`;
    const cwd = mkdtempSync(join(tmpdir(), 'commands-pipe-'));
    const child = Bun.spawn(['bash', '-c', pipe, process.execPath, MAIN], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await new Response(child.stdout).text()).toBe('{0\n');
    rmSync(cwd, { recursive: true });
  });

  test('doctor reports how the folder would be created, and does not create it', async () => {
    const { out } = await safelight('doctor', '--data', join(folder, 'later'));
    expect(out).toMatch(/^ok +database +PostgreSQL \d+, to be made at the first start$/m);
    expect(out).toMatch(/^ok +ffmpeg +\S+ffmpeg, \d/m);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('doctor names a tool that is missing, how to get it, and ends with 1', async () => {
    const child = Bun.spawn([process.execPath, MAIN, 'doctor', '--json'], {
      cwd: folder,
      env: { PATH: '/nowhere' },
      stdout: 'pipe',
    });
    const found = (await new Response(child.stdout).json()) as { name: string }[];
    expect(await child.exited).toBe(1);
    expect(found.find(({ name }) => name === 'exiftool')).toEqual({
      name: 'exiftool',
      state: 'missing',
      detail: 'needed for dates, places, cameras',
      remedy: 'apt-get install libimage-exiftool-perl',
    } as never);
  });
});

describe('beside a server on the same data folder', () => {
  let cluster: Cluster;
  const flags = ['--data', dataDir];
  const query = async (text: string) => {
    const sql = connect(cluster.url, { max: 1 });
    try {
      return [...(await sql.unsafe(text))] as Record<string, unknown>[];
    } finally {
      await sql.end();
    }
  };

  beforeAll(async () => {
    cluster = await startCluster({ dataDir, durability: 'none', log: silentLog });
  });
  afterAll(() => cluster.stop());

  test('migrate applies everything once', async () => {
    expect((await safelight('migrate', ...flags)).out).toMatch(/^applied: 0001_identity, /);
    expect((await safelight('migrate', ...flags)).out).toBe('nothing to apply');
    expect((await safelight('doctor', ...flags)).out).toMatch(/^ok +database .* schema \d{4}_/m);
  });

  test('admin create makes the first administrator, and the sign-up is over', async () => {
    const made = await safelight('admin', 'create', 'Ada@Example.org', '--name', 'Ada', ...flags);
    expect(made).toMatchObject({ code: 0, err: '' });
    const password = /password: (\S{20})/.exec(made.out)![1]!;
    const [row] = await query(
      `select email, name, is_admin, password_hash, i.admin_id = u.id as first
       from app_user u, instance i`,
    );
    expect(row).toMatchObject({
      email: 'ada@example.org',
      name: 'Ada',
      is_admin: true,
      first: true,
    });
    expect(await Bun.password.verify(password, row!['password_hash'] as string)).toBe(true);

    const again = await safelight('admin', 'create', 'ada@example.org', ...flags);
    expect(again).toMatchObject({
      code: 1,
      err: 'There is an account for ada@example.org already',
    });
    expect((await safelight('admin', 'list', ...flags)).out).toBe('ada@example.org  admin  Ada');
  });

  test('admin reset-password sets the password and logs out everywhere', async () => {
    await query(
      `insert into session (user_id, token_hash) select id, sha256('token') from app_user`,
    );
    const file = join(folder, 'password');
    writeFileSync(file, 'correct horse\r\nanother line\n');
    const args = ['admin', 'reset-password', 'ada@example.org', '--password-file'];
    const reset = await safelight(...args, file, ...flags);
    expect(reset).toMatchObject({ code: 0, err: '' });
    expect(reset.out).not.toContain('horse');
    const [row] = await query(
      'select password_hash, (select count(*)::int from session) as sessions from app_user',
    );
    expect(row!['sessions']).toBe(0);
    expect(await Bun.password.verify('correct horse', row!['password_hash'] as string)).toBe(true);

    const piped = await run([...args, '-', ...flags], new Blob(['from standard input\n']));
    expect(piped.code).toBe(0);
    const [after] = await query('select password_hash from app_user');
    const hash = after!['password_hash'] as string;
    expect(await Bun.password.verify('from standard input', hash)).toBe(true);

    const missing = await safelight(...args, join(folder, 'nothing'), ...flags);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('Cannot read') });
    const unknown = await safelight('admin', 'reset-password', 'eve@example.org', ...flags);
    expect(unknown).toMatchObject({ code: 1, err: 'There is no account for eve@example.org' });
  });

  test('admin api-key prints a key that is kept as a digest only', async () => {
    const args = ['api-key', 'ada@example.org', '--permissions', 'asset.read,asset.upload'];
    const { out, code } = await safelight('admin', ...args, ...flags);
    expect(code).toBe(0);
    const [row] = await query('select key_hash, permissions from api_key');
    expect(row).toEqual({
      key_hash: Buffer.from(sha256(out)),
      permissions: ['asset.read', 'asset.upload'],
    });
  });

  const originals = ['one', 'two', 'three'].map((text) => ({ text, digest: sha256(text) }));

  test('maintenance verify names what is missing or damaged, and nothing else', async () => {
    for (const { text, digest } of originals) {
      const path = originalPath(paths, digest);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      const hex = Buffer.from(digest).toString('hex');
      await query(`insert into original (sha256, size) values ('\\x${hex}', ${text.length})`);
    }
    const verify = (...more: string[]) => safelight('maintenance', 'verify', ...flags, ...more);
    expect(await verify()).toMatchObject({
      code: 0,
      out: '3 originals are right, 0 are not',
    });

    const [one, two] = originals.map(({ digest }) => originalPath(paths, digest));
    writeFileSync(one!, 'oen');
    rmSync(two!);
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out.split('\n').sort()).toEqual(
      [`damaged: ${one}`, `missing: ${two}`, '1 originals are right, 2 are not'].sort(),
    );
    const slices = await Promise.all([1, 2, 3].map((at) => verify('--slice', `${at}/3`, '--json')));
    expect(slices.flatMap((slice) => slice.out.split('\n').filter(Boolean))).toHaveLength(2);

    const missing = () =>
      query(`select sha256 from original where missing_at is not null order by sha256`);
    const bad = originals.slice(0, 2).map(({ digest }) => ({ sha256: Buffer.from(digest) }));
    expect(await missing()).toEqual(bad.sort((a, b) => Buffer.compare(a.sha256, b.sha256)));
    writeFileSync(one!, 'one');
    writeFileSync(two!, 'two');
    expect((await verify()).code).toBe(0);
    expect(await missing()).toEqual([]);
  });

  test('maintenance backup and restore bring the database back, and keep the replaced one', async () => {
    const dump = (await safelight('maintenance', 'backup', ...flags)).out;
    expect(dirname(dump)).toBe(paths.backups);
    expect(readdirSync(paths.backups)).toHaveLength(1);
    await query('delete from original');

    const refused = await safelight('maintenance', 'restore', dump, ...flags);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toContain('is running on');

    await cluster.stop();
    writeFileSync(join(folder, 'broken.dump'), 'PGDMP');
    expect(
      (await safelight('maintenance', 'restore', `${folder}/broken.dump`, ...flags)).code,
    ).toBe(1);
    const { code, out } = await safelight('maintenance', 'restore', dump, ...flags);
    expect(code).toBe(0);
    cluster = await startCluster({ dataDir, durability: 'none', log: silentLog });
    expect(await query('select count(*)::int as count from original')).toEqual([{ count: 3 }]);
    const kept = /kept as (\S+)$/.exec(out)![1]!;
    const names = await query(`select datname as name from pg_database where datname = '${kept}'`);
    expect(names).toEqual([{ name: kept }]);
  });

  test('a dump of a newer version, or of something else, is refused by one sentence', async () => {
    await query("insert into schema_migration (name, checksum) values ('9999_later', 'x')");
    const newer = (await safelight('maintenance', 'backup', ...flags)).out;
    await query("delete from schema_migration where name = '9999_later'");
    await query('alter table schema_migration rename to other');
    // A dump is named by the second.
    renameSync(newer, `${newer}.newer`);
    const foreign = (await safelight('maintenance', 'backup', ...flags)).out;
    await query('alter table other rename to schema_migration');
    await cluster.stop();
    const cases = [
      [
        `${newer}.newer`,
        `${newer}.newer was made by a newer version (schema 9999_later): restore it with that version.`,
      ],
      [foreign, `${foreign} is not a dump of a Safelight database.`],
    ] as const;
    for (const [dump, err] of cases)
      expect(await safelight('maintenance', 'restore', dump, ...flags)).toMatchObject({
        code: 1,
        err,
      });
    cluster = await startCluster({ dataDir, durability: 'none', log: silentLog });
    expect(await query('select count(*)::int as count from original')).toEqual([{ count: 3 }]);
  });
});

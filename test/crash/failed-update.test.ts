import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { addDatabase } from '../fixtures/data-folder.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { until } from '../support/until.ts';
import { builtBinary } from '../e2e/installed.ts';
import { plainEnvironment, signUp } from '../e2e/server.ts';

// A package whose migration fails, installed over a version that works, as dpkg does it.

setDefaultTimeout(600_000);

const ROOT = join(import.meta.dir, '../..');
const folder = createMemoryFolder('failed-update-');
const failing = join(folder, 'failing');
let dataDir: string;
let program: string;
let port: number;
type Started = { readonly child: Bun.Subprocess; log: string };
let servers: Started[] = [];
beforeAll(() => {
  const entry = '--entry=test/fixtures/failing-update.ts';
  const build = [process.execPath, 'native/build.ts', entry, `--out=${failing}`];
  expect(Bun.spawnSync(build, { cwd: ROOT, stdout: 'ignore', stderr: 'inherit' }).exitCode).toBe(0);
});
beforeEach(async () => {
  const place = mkdtempSync(join(folder, 'place-'));
  dataDir = join(place, 'data');
  program = join(place, 'lib/safelight');
  mkdirSync(join(place, 'lib'));
  install(builtBinary());
  await addDatabase(dataDir);
  const free = Bun.serve({ port: 0, fetch: () => new Response() });
  port = free.port!;
  await free.stop(true);
});
afterEach(async () => {
  for (const { child } of servers) {
    child.kill('SIGKILL');
    await child.exited;
  }
  servers = [];
  rmSync(join(program, '../..'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As preinst keeps the program of before, and dpkg unpacks the next one. */
function install(binary: string): void {
  if (existsSync(program)) {
    mkdirSync(join(program, '../previous'), { recursive: true });
    const previous = join(program, `../previous/safelight-${Date.now()}`);
    linkSync(program, previous);
  }
  copyFileSync(binary, `${program}.new`);
  renameSync(`${program}.new`, program);
}

const flags = () => ['--data', dataDir, '--host', '127.0.0.1', '--port', String(port)];

function spawn(): Started {
  const command = [program, 'serve', ...flags(), '--log-format', 'json'];
  const env = plainEnvironment();
  const child = Bun.spawn(command, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const server: Started = { child, log: '' };
  void (async () => {
    for await (const chunk of child.stderr) server.log += new TextDecoder().decode(chunk);
  })();
  servers.push(server);
  return server;
}

async function run(...words: string[]) {
  const child = Bun.spawn([program, ...words, '--data', dataDir], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = await new Response(child.stdout).text();
  return { code: await child.exited, out: out.trim() };
}

const url = () => `http://127.0.0.1:${port}`;
const ping = async (): Promise<number> =>
  (await fetch(`${url()}/api/server/ping`, { headers: { connection: 'close' } })).status;
/** Whether the library is served: in maintenance mode `ping` answers too. */
const isServing = () =>
  fetch(`${url()}/api/server/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );
const isReplaced = ({ child }: Started) =>
  readlinkSync(`/proc/${child.pid}/exe`).includes('/previous/');
const stop = async ({ child }: Started) => {
  child.kill('SIGTERM');
  return child.exited;
};
const getFile = (name: string) => join(dataDir, 'maintenance', name);

test('an update that fails gives way to the program of before, which every window tells, until a version works', async () => {
  const first = spawn();
  await until(isServing, 120_000);
  const { apiKey } = await signUp(url());
  expect(await run('status', '--wait', '60')).toEqual({ code: 0, out: `Serving at ${url()}` });
  expect(await stop(first)).toBe(0);
  expect(await run('status', '--wait', '60')).toEqual({ code: 1, out: 'Not running' });

  install(failing);
  const second = spawn();
  const told = run('status', '--wait', '120');
  await until(
    () =>
      ping().then(
        () => true,
        () => false,
      ),
    60_000,
  );
  // From the first answer on nobody is refused, also while the programs change.
  await until(async () => (await ping()) === 200 && isReplaced(second), 120_000);
  await until(isServing, 120_000);
  const text =
    /The update to \S+ failed at the migration 9999_failing because: division by zero\. Nothing is lost: \S+ goes on serving/;
  const { code, out } = await told;
  expect([code, out]).toEqual([1, expect.stringMatching(text)]);
  expect(out).toContain('Updating the database');
  const doctor = await run('doctor');
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(text)]);
  expect((await run('status')).out).toMatch(text);
  const headers = { 'x-api-key': apiKey };
  const notifications = async () =>
    (await (await fetch(`${url()}/api/notifications`, { headers })).json()) as {
      title: string;
      description: string;
    }[];
  const find = async () => (await notifications()).filter(({ title }) => title === 'Update failed');
  await until(async () => (await find()).length === 1);
  expect((await find())[0]!.description).toMatch(text);
  const machine = await (await fetch(`${url()}/api/admin/machine`, { headers })).json();
  expect(machine.state).toMatchObject({ isWell: false, text: expect.stringMatching(text) });

  // The next start does not try again, and does not tell again.
  expect(await stop(second)).toBe(0);
  const third = spawn();
  await until(isServing, 120_000);
  expect(isReplaced(third)).toBe(true);
  expect(third.log).not.toContain('has to be updated');
  expect(await find()).toHaveLength(1);
  expect(await stop(third)).toBe(0);

  // A package that fails as well: the one that served last goes on, not the one that failed.
  install(failing);
  const fourth = spawn();
  await until(async () => (await isServing()) && isReplaced(fourth), 120_000);
  expect(fourth.log).toContain('has to be updated');
  expect(await stop(fourth)).toBe(0);

  install(builtBinary());
  const fifth = spawn();
  await until(isServing, 120_000);
  expect(isReplaced(fifth)).toBe(false);
  await until(() => !existsSync(getFile('failed-update.json')));
  expect((await run('doctor')).out).toMatch(/^ok +server +Serving at/m);
  expect(await stop(fifth)).toBe(0);
});

test('a program that is killed while it gives way is replaced at the next start', async () => {
  const first = spawn();
  await until(isServing, 120_000);
  expect(await stop(first)).toBe(0);
  install(failing);
  const second = spawn();
  await until(() => existsSync(getFile('failed-update.json')), 120_000);
  second.child.kill('SIGKILL');
  await second.child.exited;
  const third = spawn();
  await until(isServing, 120_000);
  expect(isReplaced(third)).toBe(true);
  expect(JSON.parse(readFileSync(getFile('failed-update.json'), 'utf8')).migration).toBe(
    '9999_failing',
  );
});

test('without a program of before that can be run, the next start is maintenance mode with the reason', async () => {
  const first = spawn();
  await until(isServing, 120_000);
  expect(await stop(first)).toBe(0);
  install(failing);
  for (const name of readdirSync(join(program, '../previous'))) {
    chmodSync(join(program, '../previous', name), 0o600);
  }
  const second = spawn();
  expect(await second.child.exited).toBe(1);
  expect(second.log).toContain('the program of before cannot be run');
  const third = spawn();
  await until(() => third.log.includes('updating the database failed'), 60_000);
  expect(await run('status', '--wait', '60')).toEqual({
    code: 1,
    out: expect.stringMatching(/In maintenance mode at \S+: The migration 9999_failing failed/),
  });
  expect((await run('doctor')).code).toBe(1);
});

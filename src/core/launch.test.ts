import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileAccess, launch, type LaunchOptions, probeConfinement } from './launch.ts';

let folder: string;
let input: string;
let other: string;
let scratch: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'launch-'));
  [input, other, scratch] = [join(folder, 'input'), join(folder, 'other'), join(folder, 'scratch')];
  for (const file of [input, other]) writeFileSync(file, 'content');
  mkdirSync(scratch);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(command: readonly string[], options: Partial<LaunchOptions> = {}) {
  const child = Bun.spawn(launch(command, { death: 'KILL', ...options }), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out: out.trim(), err: err.trim(), signal: child.signalCode };
}

const perl = (script: string, files: FileAccess = {}) => run(['perl', '-e', script], { files });

const { seccomp, landlock } = probeConfinement();

test('the compiled launchers are those of the source beside them', () => {
  const native = join(import.meta.dir, '../../native');
  const digest = createHash('sha256')
    .update(readFileSync(join(native, 'launch.c')))
    .digest('hex');
  for (const arch of ['x64', 'arm64']) {
    const program = readFileSync(join(native, `launch.linux-${arch}`));
    expect([arch, program.includes(`source ${digest}`)]).toEqual([arch, true]);
  }
});

test('ends with 127 without the program and with 126 for one that cannot be run', async () => {
  expect(await run(['no-such-program'])).toMatchObject({
    code: 127,
    err: 'launch: failed to execute no-such-program: not found',
  });
  expect((await run([input])).code).toBe(126);
});

test('the exit code, the output and the arguments are those of the program', async () => {
  const script = 'echo "$@"; exit 7';
  const { code, out } = await run(['sh', '-c', script, 'sh', '--read=/', '--', 'a b']);
  expect({ code, out }).toEqual({ code: 7, out: '--read=/ -- a b' });
});

test('limits hold: processor time ends it by SIGXCPU, memory fails to be had, no core is written', async () => {
  expect((await run(['sh', '-c', 'while :; do :; done'], { cpuSeconds: 1 })).signal).toBe(
    'SIGXCPU',
  );
  const { out } = await run(['sh', '-c', 'ulimit -v; ulimit -c'], { memoryBytes: 512 * 1024 ** 2 });
  expect(out).toBe(`${512 * 1024}\n0`);
});

test('a file that would pass its limit ends the child by SIGXFSZ', async () => {
  const path = join(scratch, 'large');
  const write = (fileBytes: number) =>
    run(['dd', 'if=/dev/zero', `of=${path}`, 'bs=1000', 'count=100'], { fileBytes });
  expect(await write(50_500)).toMatchObject({ signal: 'SIGXFSZ' });
  expect(statSync(path).size).toBe(50_500);
  expect(await write(100_000)).toMatchObject({ code: 0 });
});

test('the child dies with its parent', async () => {
  const source = join(import.meta.dir, 'launch.ts');
  const script = `
    const { launch } = await import(${JSON.stringify(source)});
    const child = Bun.spawn(launch(['sleep', '60'], { death: 'KILL' }));
    console.log(child.pid);`;
  const parent = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  const { value } = await parent.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value));
  parent.kill('SIGKILL');
  await parent.exited;
  const isRunning = () =>
    existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  while (isRunning()) await Bun.sleep(5);
});

test.skipIf(!seccomp)(
  'a confined child makes no socket of any kind, but may use pipes',
  async () => {
    const families = ['AF_UNIX', 'AF_INET', 'AF_INET6'];
    const script = `use Socket; pipe(A, B) or die "no pipe";
    for my $family (${families.join(', ')}) {
      print socket(my $socket, $family, SOCK_STREAM, 0) ? "made" : "refused", "\\n" }`;
    expect((await perl(script)).out.split('\n')).toEqual(['refused', 'refused', 'refused']);
  },
);

test.skipIf(!seccomp)(
  'a confined child cannot administer the machine or leave its namespaces',
  async () => {
    for (const command of [
      ['unshare', '--user', 'true'],
      ['unshare', '--mount', 'true'],
      ['mount', '-t', 'tmpfs', 'none', scratch],
      ['chroot', '/', 'true'],
    ]) {
      const { code } = await run(command, { files: { read: ['/'], write: [scratch] } });
      expect([command.join(' '), code === 0]).toEqual([command.join(' '), false]);
    }
  },
);

test.skipIf(landlock < 3)(
  'a confined child uses the files it was given and no others',
  async () => {
    const files = { read: [input], write: [scratch] };
    const tries = {
      'read the input': ['cat', input],
      'write to scratch': [
        'sh',
        '-c',
        `echo a > ${scratch}/a && echo b >> ${scratch}/a && rm ${scratch}/a`,
      ],
      'write to the input': ['sh', '-c', `echo a >> ${input}`],
      'remove the input': ['rm', input],
      'read another file': ['cat', other],
      'list the folder': ['ls', folder],
      'make a file elsewhere': ['touch', join(folder, 'new')],
      'read secrets of services': ['cat', '/etc/hostname'],
      'leave a link': ['ln', '-s', other, join(scratch, 'link')],
      'leave a pipe': ['mkfifo', join(scratch, 'pipe')],
      'look into its parent': ['cat', `/proc/${process.pid}/environ`],
    };
    const results = Object.entries(tries).map(async ([name, command]) => [
      name,
      (await run(command, { files })).code === 0,
    ]);
    expect(Object.fromEntries(await Promise.all(results))).toEqual(
      Object.fromEntries(Object.keys(tries).map((name, index) => [name, index < 2])),
    );
  },
);

test.skipIf(landlock < 6)('a confined child sends no signal to others', async () => {
  expect((await perl(`print kill(0, ${process.pid})`)).out).toBe('0');
});

test('a file that is not there is no reason to fail', async () => {
  const files = { read: ['/no/such/file'], write: ['/no/such/folder'], usesGpu: true };
  expect((await run(['true'], { files })).code).toBe(0);
});

test('as root, a confined child has no privileges of root, also over files', async () => {
  const { out } = await run(['grep', 'Cap\\(Prm\\|Eff\\)', '/proc/self/status'], { files: {} });
  expect(out.match(/\t0+$/gm)).toHaveLength(2);
});

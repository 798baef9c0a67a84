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
import { type FileAccess, launch, type LaunchOptions, type NetworkAccess } from './launch.ts';
import { skipWithout } from '../../test/support/requirements.ts';

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

const perl = (script: string, files: FileAccess = {}, network?: NetworkAccess) =>
  run(['perl', '-e', script], { files, ...(network && { network }) });

type Confined = Pick<LaunchOptions, 'files' | 'network'>;

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

test('it has a process group of its own, in our session, where its niceness counts', async () => {
  const [pid, group, session] = listIds((await run(['cat', '/proc/self/stat'])).out);
  expect(group).toBe(pid!);
  expect(session).toBe(listIds(readFileSync('/proc/self/stat', 'utf8'))[2]!);
});

/** Returns the process, its group and its session of a line of /proc/PID/stat. */
function listIds(line: string): string[] {
  const [pid, , , , group, session] = line.replace(/\(.*\)/s, '()').split(' ');
  return [pid!, group!, session!];
}

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

skipWithout('seccomp').describe('of sockets', () => {
  const UDP = ['AF_INET, SOCK_DGRAM, 0', 'AF_INET6, SOCK_DGRAM, 17', '16, SOCK_RAW, 0'];
  const OTHERS = [
    'AF_INET, SOCK_STREAM, 0',
    'AF_INET6, SOCK_STREAM, 6',
    'AF_INET, SOCK_DGRAM, 1',
    'AF_INET, SOCK_DGRAM, 136',
    'AF_INET, SOCK_RAW, 17',
    'AF_UNIX, SOCK_STREAM, 0',
    'AF_UNIX, SOCK_DGRAM, 0',
    '16, SOCK_RAW, 9',
    '17, SOCK_DGRAM, 0',
    '40, SOCK_DGRAM, 0',
  ];
  /** Returns what happens to each: 0, or the number of the error. */
  const tryAll = async (calls: readonly string[], network?: NetworkAccess) => {
    const tries = calls.map((call) => `print +(${call}) ? 0 : $! + 0, "\\n";`);
    const { out } = await perl(`use Socket; ${tries.join('')}`, {}, network);
    return Object.fromEntries(out.split('\n').map((error, at) => [calls[at], Number(error)]));
  };
  const all = (calls: readonly string[], error: number) =>
    Object.fromEntries(calls.map((call) => [call, error]));
  const make = (sockets: readonly string[]) => sockets.map((which) => `socket(my $s, ${which})`);
  const EACCES = 13;
  const EISCONN = 106;

  test('a confined child makes none of any kind', async () => {
    const calls = make([...UDP, ...OTHERS]);
    expect(await tryAll(calls)).toEqual(all(calls, EACCES));
  });

  test('one that may use UDP makes those, and looks up addresses, but no others', async () => {
    const [made, refused] = [make(UDP), make(OTHERS)];
    expect(await tryAll([...made, ...refused], 'udp')).toEqual({
      ...all(made, 0),
      ...all(refused, EACCES),
    });
  });

  test('one that may use UDP sends to others', async () => {
    const received = Promise.withResolvers<string>();
    const socket = await Bun.udpSocket({
      hostname: '127.0.0.1',
      socket: { data: (_, data) => received.resolve(data.toString()) },
    });
    const to = `pack_sockaddr_in(${socket.port}, inet_aton("127.0.0.1"))`;
    const script = `use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0) or die; send($s, "hello", 0, ${to}) or die`;
    expect((await perl(script, {}, 'udp')).code).toBe(0);
    expect(await received.promise).toBe('hello');
    socket.close();
  });

  test.each([undefined, 'udp'] as const)(
    'a child has pipes, and pairs that cannot be connected elsewhere (%s)',
    async (network) => {
      const path = join(folder, `listener-${network}`);
      const server = Bun.listen({ unix: path, socket: { data() {} } });
      const pair = (type: string) => `socketpair(my $a, my $b, AF_UNIX, ${type}, 0)`;
      const connect = `socketpair(C, D, AF_UNIX, SOCK_STREAM, 0) && connect(C, pack_sockaddr_un("${path}"))`;
      const expected = {
        'pipe(my $a, my $b)': 0,
        [pair('SOCK_STREAM')]: 0,
        [pair('SOCK_DGRAM')]: EACCES,
        [pair('SOCK_RAW')]: EACCES,
        [connect]: EISCONN,
      };
      expect(await tryAll(Object.keys(expected), network)).toEqual(expected);
      server.stop();
    },
  );
});

skipWithout('seccomp', 'Landlock 3').test(
  'the child of a confined child has what both may have',
  async () => {
    const native = join(import.meta.dir, '../../native');
    const nest = (command: readonly string[], outer: Confined, inner: Confined) => {
      const launched = launch(command, { death: 'KILL', ...inner });
      // The shell becomes the launcher, which has the same parent.
      return run(['sh', '-c', 'exec "$@"', 'sh', ...launched], {
        ...outer,
        files: { ...outer.files, run: [native] },
      });
    };
    const [none, one, both] = [[], [input], [input, other]].map((read) => ({ files: { read } }));
    const read = async (outer: Confined, inner: Confined) =>
      (await nest(['cat', input, other], outer, inner)).out;
    expect(await read(both!, both!)).toBe('contentcontent');
    expect(await read(both!, one!)).toBe('content');
    expect(await read(one!, both!)).toBe('content');
    expect(await read(none!, both!)).toBe('');
    const script = 'use Socket; print socket(my $s, AF_INET, SOCK_DGRAM, 0) ? "made" : "refused"';
    const make = async (outer: Confined, inner: Confined) =>
      (await nest(['perl', '-e', script], outer, inner)).out;
    const udp = { ...none!, network: 'udp' } as const;
    expect(await make(udp, udp)).toBe('made');
    expect(await make(udp, none!)).toBe('refused');
    expect(await make(none!, udp)).toBe('refused');
  },
);

skipWithout('seccomp').test(
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

skipWithout('Landlock 3').test(
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
      'see how its parent was started': ['cat', `/proc/${process.pid}/cmdline`],
      'see the state of its parent': ['cat', `/proc/${process.pid}/status`],
      'list the processes': ['ls', '/proc'],
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

test('a confined child reads what there is about itself and the machine', async () => {
  for (const name of ['self/status', 'self/maps', 'cpuinfo', 'meminfo', 'sys/kernel/osrelease'])
    expect([name, (await run(['cat', `/proc/${name}`], { files: {} })).code]).toEqual([name, 0]);
});

skipWithout('Landlock 6').test('a confined child sends no signal to others', async () => {
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

import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readExample } from './example.ts';

// The machines of appliance/cluster: each has a network of its own, and its own /etc, /var/lib and /run above those of
// this machine. Everything ends with the namespaces that test/cluster/run.ts has made.

const INTERFACE = 'eth0';
/** Address of the tests, as of a client outside. */
const OWN_ADDRESS = '10.0.0.1/24';

export type Machine = {
  readonly name: string;
  readonly address: string;
  /** Words before a command that run it on the machine. */
  readonly enter: readonly string[];
  /** Returns where a path below /etc, /var/lib or /run is outside of the machine. */
  getPath(path: string): string;
  /** Starts a program, as root or as this user of the system; what it writes goes to `getLog`. */
  spawn(command: readonly string[], options?: SpawnOptions): Bun.Subprocess;
  /** Returns all that programs of that name have written. */
  getLog(program: string): string;
  /** Runs a program to its end, and returns what it has written; throws when it fails. */
  run(command: readonly string[], options?: SpawnOptions): Promise<string>;
  /** Drops all packets to and from it, or none. */
  setConnected(isConnected: boolean): void;
};

export type SpawnOptions = {
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
};

export function runHere(...command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command]);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`);
  return stdout.toString();
}

/** Does nothing to a process that has ended. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

const ip = (...args: readonly string[]) => runHere('ip', ...args);

/** Makes a switch, and machines on demand, for the addresses of appliance/cluster/hosts. */
export function createNetwork() {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  runHere('mount', '-t', 'tmpfs', 'tmpfs', '/run/netns');
  ip('link', 'add', 'switch', 'type', 'bridge');
  ip('address', 'add', OWN_ADDRESS, 'dev', 'switch');
  ip('link', 'set', 'switch', 'up');
  const hosts = readExample('hosts');
  const running: Bun.Subprocess[] = [];
  const mounts: string[] = [];

  function add(
    name: string,
    address = new RegExp(`^(\\S+) ${name}$`, 'm').exec(hosts)?.[1],
  ): Machine {
    if (address === undefined) throw new Error(`no address for ${name}`);
    ip('netns', 'add', name);
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', INTERFACE, 'netns', name);
    ip('link', 'set', name, 'master', 'switch', 'up');
    ip('-n', name, 'address', 'add', `${address}/24`, 'dev', INTERFACE);
    for (const device of ['lo', INTERFACE]) ip('-n', name, 'link', 'set', device, 'up');
    const root = join(folder, name);
    for (const place of ['/etc', '/var/lib']) {
      mounts.push(overlay(place, join(root, place)));
    }
    mkdirSync(join(root, 'run'), { recursive: true });
    writeFileSync(join(root, 'etc/hosts'), `127.0.0.1 localhost\n${hosts}`);
    writeFileSync(join(root, 'boot_id'), `${crypto.randomUUID()}\n`);
    const script = `
      mount --bind ${root}/etc /etc && mount --rbind ${root}/var/lib /var/lib && mount --bind ${root}/run /run &&
      mount --bind ${root}/boot_id /proc/sys/kernel/random/boot_id && hostname ${name} && cd / && exec "$0" "$@"`;
    const enter = ['ip', 'netns', 'exec', name, 'unshare', '--mount', '--uts', 'sh', '-c', script];
    const start = (
      command: readonly string[],
      { user, env }: SpawnOptions,
      output: number | 'pipe',
    ) => {
      const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`];
      const groups = user === undefined ? [] : ['--init-groups', '--'];
      return Bun.spawn([...enter, ...as, ...groups, ...command], {
        env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: '/tmp', ...env },
        stdio: ['ignore', output, output],
      });
    };
    const getLogPath = (program: string) => join(root, `${basename(program)}.log`);
    return {
      name,
      address,
      enter,
      spawn(command, options = {}) {
        const log = openSync(getLogPath(command[0] ?? ''), 'a');
        const child = start(command, options, log);
        closeSync(log);
        running.push(child);
        return child;
      },
      getLog: (program) => readFileSync(getLogPath(program), 'utf8'),
      getPath: (path) => join(root, path),
      async run(command, options = {}) {
        const child = start(command, options, 'pipe');
        const [code, ...texts] = await Promise.all([
          child.exited,
          new Response(child.stdout as BodyInit).text(),
          new Response(child.stderr as BodyInit).text(),
        ]);
        if (code !== 0) throw new Error(`${command.join(' ')}: ${texts.join('')}`);
        return texts[0];
      },
      setConnected: (isConnected) =>
        void ip('link', 'set', name, ...(isConnected ? ['master', 'switch'] : ['nomaster'])),
    };
  }

  return {
    add,
    folder,
    async stop(): Promise<void> {
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(running.map((child) => child.exited));
      for (const path of mounts) runHere('umount', '--lazy', path);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Shows a folder of this machine at another place, where changes stay. */
function overlay(lower: string, upper: string): string {
  const [changes, work] = [`${upper}.changes`, `${upper}.work`];
  for (const path of [upper, changes, work]) mkdirSync(path, { recursive: true });
  const options = `lowerdir=${lower},upperdir=${changes},workdir=${work}`;
  runHere('mount', '-t', 'overlay', 'overlay', '-o', options, upper);
  return upper;
}

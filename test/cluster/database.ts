import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { getFirst } from '../../src/core/required.ts';
import { until } from '../support/until.ts';
import { install, readEnvironment } from './example.ts';
import { type Machine, signalProcess } from './machines.ts';

// etcd and PostgreSQL with Patroni by the files of appliance/cluster, and by the commands of its page.

const ETCD_FILE = '/etc/default/etcd';
const PATRONI_FILE = '/etc/patroni/config.yml';
const PATRONI_ENVIRONMENT = '/etc/patroni_env.conf';
const PASSWORD = 'change-me-3';

/** Makes a folder on the machine with the owner that another one has here, as packages make it. */
function makeFolder(machine: Machine, path: string, ownerOf: string): void {
  const folder = machine.getPath(path);
  const { uid, gid } = statSync(ownerOf);
  mkdirSync(folder, { recursive: true });
  chownSync(folder, uid, gid);
}

function startEtcd(machine: Machine): void {
  install(machine, 'etcd', ETCD_FILE);
  const env = { ETCD_DATA_DIR: '/var/lib/etcd/default', ...readEnvironment(machine, ETCD_FILE) };
  machine.spawn(['etcd'], { user: 'etcd', env });
}

type Role = 'primary' | 'replica' | 'synchronous';

export type DatabaseMachine = {
  readonly machine: Machine;
  start(): void;
  /** Kills Patroni and PostgreSQL with SIGKILL, as a machine that goes off. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  is(role: Role): Promise<boolean>;
};

async function prepare(machine: Machine): Promise<void> {
  install(machine, 'patroni.yml', PATRONI_FILE);
  install(machine, 'patroni_env.conf', PATRONI_ENVIRONMENT);
  makeFolder(machine, '/run/postgresql', '/var/lib/postgresql');
  makeFolder(machine, '/var/lib/postgresql', '/var/lib/postgresql');
  const { name } = machine;
  await machine.run([
    'sh',
    '-c',
    `openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj /CN=${name} -addext subjectAltName=DNS:${name} \
      -keyout /etc/patroni/server.key -out /etc/patroni/server.crt`,
  ]);
  await machine.run(['chown', 'postgres:', '/etc/patroni/server.key', '/etc/patroni/server.crt']);
}

async function addDatabaseMachine(machine: Machine): Promise<DatabaseMachine> {
  await prepare(machine);
  let child: ReturnType<Machine['spawn']> | undefined;
  const getPostmaster = async (): Promise<number | undefined> => {
    const file = join(machine.getPath('/var/lib/postgresql'), '15/safelight/postmaster.pid');
    const text = await Bun.file(file)
      .text()
      .catch(() => '');
    return Number(text.split('\n')[0]) || undefined;
  };
  /** Patroni, the postmaster and its children. */
  const signal = async (name: NodeJS.Signals) => {
    const postmaster = await getPostmaster();
    const tree = postmaster ? listProcessTree(postmaster) : [];
    for (const pid of [child?.pid, ...tree]) {
      if (pid) signalProcess(pid, name);
    }
  };
  return {
    machine,
    start() {
      const env = readEnvironment(machine, PATRONI_ENVIRONMENT);
      child = machine.spawn(['patroni', PATRONI_FILE], { user: 'postgres', env });
    },
    async kill() {
      await signal('SIGKILL');
      await child?.exited;
    },
    signal: (name) => void signal(name),
    is: (role) =>
      fetch(`http://${machine.address}:8008/${role}`, { signal: AbortSignal.timeout(2000) }).then(
        ({ status }) => status === 200,
        () => false,
      ),
  };
}

/** Resolves when one is the primary and the other its synchronous standby. Throws with what Patroni tells instead. */
export async function untilReplicated(databases: readonly DatabaseMachine[]): Promise<void> {
  try {
    await until(async () => (await find(databases, 'synchronous')) >= 0);
  } catch (error) {
    const list = ['patronictl', '-c', PATRONI_FILE, 'list'];
    throw new Error(await getFirst(databases).machine.run(list), { cause: error });
  }
}

async function find(databases: readonly DatabaseMachine[], role: Role): Promise<number> {
  const found = await Promise.all(databases.map((database) => database.is(role)));
  return found.indexOf(true);
}

export const findPrimary = (databases: readonly DatabaseMachine[]): Promise<number> =>
  find(databases, 'primary');

/** Makes one of them the primary, as administrators do. */
export async function makePrimary(databases: readonly DatabaseMachine[], at: number) {
  const before = await findPrimary(databases);
  if (before === at) return;
  const { machine } = databases[before]!;
  const words = ['switchover', '--leader', machine.name, '--candidate'];
  const candidate = databases[at]!.machine.name;
  await machine.run(['patronictl', '-c', PATRONI_FILE, ...words, candidate, '--force']);
  await until(() => databases[at]!.is('primary'));
  await untilReplicated(databases);
}

/** Returns the first column of what the primary answers, as text. */
export async function query(
  databases: readonly DatabaseMachine[],
  text: string,
): Promise<readonly string[]> {
  const { machine } = databases[await findPrimary(databases)]!;
  const command = ['psql', '--no-psqlrc', '--tuples-only', '--no-align', 'safelight', '-c', text];
  const out = await machine.run(command, { user: 'postgres' });
  return out.split('\n').filter(Boolean);
}

/** Starts all three machines that decide, and both databases; makes the database of the library. */
export async function startDatabases(
  first: Machine,
  second: Machine,
  third: Machine,
): Promise<readonly DatabaseMachine[]> {
  for (const machine of [first, second, third]) startEtcd(machine);
  const databases = [await addDatabaseMachine(first), await addDatabaseMachine(second)];
  for (const database of databases) database.start();
  await until(async () => (await findPrimary(databases)) >= 0);
  const { machine } = databases[await findPrimary(databases)]!;
  const psql = (text: string) => machine.run(['psql', '-c', text], { user: 'postgres' });
  await psql(`create role safelight login createdb password '${PASSWORD}'`);
  await psql('create database safelight owner safelight');
  await untilReplicated(databases);
  return databases;
}

/** Returns the certificates of the databases: of the file that `sslrootcert` names. */
export const readCertificates = async (databases: readonly DatabaseMachine[]): Promise<string> =>
  (
    await Promise.all(
      databases.map(({ machine }) => Bun.file(machine.getPath('/etc/patroni/server.crt')).text()),
    )
  ).join('');

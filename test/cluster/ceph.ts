import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from '../../src/storage/s3-request.ts';
import { parseS3Address } from '../../src/core/s3-address.ts';
import { runHere, signalProcess } from './machines.ts';
import { until } from '../support/until.ts';

// Ceph in a folder and on one address, from Debian's packages: a monitor, a manager, an OSD and a gateway.

const KEY_ID = 'cluster-key';
const SECRET = 'cluster-secret';
/** The monitor, and behind it the OSD and the manager. */
const MONITOR_PORT = 19_001;
const GATEWAY_PORT = 7480;
const OSD_BYTES = 8 * 1024 ** 3;

export type CephPart = 'gateway' | 'osd';

export type Ceph = {
  /** The URL of a bucket. */
  readonly url: string;
  readonly credentials: string;
  signal(part: CephPart, name: NodeJS.Signals): void;
  /** Starts it again, and resolves when the store answers. */
  start(part: CephPart): Promise<void>;
  stop(): void;
};

const formatConfig = (folder: string, fsid: string, address: string) => `[global]
fsid = ${fsid}
mon host = v2:${address}:${MONITOR_PORT}/0
public network = ${address}/32
cluster network = ${address}/32
ms bind msgr1 = false
ms bind port min = ${MONITOR_PORT + 1}
ms bind port max = ${MONITOR_PORT + 40}
keyring = ${folder}/keyring
osd pool default size = 1
osd pool default min size = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
mon data = ${folder}/mon
osd data = ${folder}/osd
mgr data = ${folder}/mgr
rgw data = ${folder}/rgw
run dir = ${folder}/run
log file = ${folder}/log/$name.log
mon cluster log file = ${folder}/log/cluster.log
admin socket = ${folder}/run/$name.asok
pid file = ${folder}/run/$name.pid
osd objectstore = bluestore
bluestore block size = ${OSD_BYTES}
osd memory target = 1073741824
mon data avail warn = 2
mon data avail crit = 1
auth allow insecure global id reclaim = true
osd max object name len = 256
[client.rgw.a]
rgw frontends = beast endpoint=${address}:${GATEWAY_PORT}
rgw enable usage log = false
`;

const KEYS: readonly (readonly [name: string, caps: readonly string[]])[] = [
  ['mon.', ['mon', 'allow *']],
  ['client.admin', ['mon', 'allow *', 'osd', 'allow *', 'mgr', 'allow *']],
  ['osd.0', ['mon', 'allow profile osd', 'osd', 'allow *', 'mgr', 'allow profile osd']],
  ['mgr.x', ['mon', 'allow profile mgr', 'osd', 'allow *', 'mds', 'allow *']],
  ['client.rgw.a', ['mon', 'allow rw', 'osd', 'allow rwx', 'mgr', 'allow rw']],
];

type Place = {
  readonly address: string;
  /** Words before a command that run it on a machine with this address. */
  readonly enter: readonly string[];
};

/** Starts the store with an empty bucket; takes 15 to 40 s. */
export async function startCeph(
  folder: string,
  { address, enter }: Place = { address: '127.0.0.1', enter: [] },
): Promise<Ceph> {
  for (const name of ['mon', 'osd', 'mgr', 'rgw', 'run', 'log']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const config = join(folder, 'ceph.conf');
  const fsid = crypto.randomUUID();
  writeFileSync(config, formatConfig(folder, fsid, address));
  const run = (program: string, ...args: readonly string[]) =>
    runHere(...enter, program, '-c', config, ...args);
  const keyring = join(folder, 'keyring');
  for (const [at, [name, caps]] of KEYS.entries()) {
    const pairs = Array.from({ length: caps.length / 2 }, (_, n) => caps.slice(2 * n, 2 * n + 2));
    const flags = pairs.flatMap(([what = '', may = '']) => ['--cap', what, may]);
    run('ceph-authtool', ...(at === 0 ? ['-C'] : []), keyring, '--gen-key', '-n', name, ...flags);
  }
  const map = join(folder, 'monmap');
  const monitor = `[v2:${address}:${MONITOR_PORT}]`;
  run('monmaptool', '--create', '--clobber', '--addv', 'a', monitor, '--fsid', fsid, map);
  run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring);
  run('ceph-mon', '-i', 'a');
  await until(
    () => Bun.spawnSync([...enter, 'timeout', '60', 'ceph', '-c', config, '-s']).exitCode === 0,
  );
  run('ceph-mgr', '-i', 'x');
  const osd = crypto.randomUUID();
  run('ceph', 'osd', 'new', osd);
  run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd);
  writeFileSync(join(folder, 'rgw/keyring'), readFileSync(keyring));

  const url = `http://${address}:${GATEWAY_PORT}/photos?region=default`;
  const credentials = join(folder, 'credentials');
  writeFileSync(credentials, `aws_access_key_id = ${KEY_ID}\naws_secret_access_key = ${SECRET}\n`);
  const bucket = createConnection(parseS3Address(url), credentials);
  const isAnswering = () =>
    bucket.send({ method: 'GET', query: { 'max-keys': '1' }, expects: [403, 404] }).then(
      () => true,
      () => false,
    );
  const begin = (part: CephPart) =>
    part === 'osd' ? run('ceph-osd', '-i', '0') : run('radosgw', '-n', 'client.rgw.a');
  const signal = (name: string, what: NodeJS.Signals) => {
    const file = join(folder, 'run', `${name}.pid`);
    if (existsSync(file)) signalProcess(Number(readFileSync(file, 'utf8').trim()), what);
  };
  const NAMES: Readonly<Record<CephPart, string>> = { gateway: 'client.rgw.a', osd: 'osd.0' };
  begin('osd');
  await until(() => run('ceph', 'osd', 'stat').includes('1 up'));
  begin('gateway');
  await until(isAnswering);
  const keys = ['--access-key', KEY_ID, '--secret-key', SECRET];
  run('radosgw-admin', 'user', 'create', '--uid=photos', '--display-name=photos', ...keys);
  await bucket.send({ method: 'PUT' });
  return {
    url,
    credentials,
    signal: (part, what) => signal(NAMES[part], what),
    async start(part) {
      begin(part);
      await until(isAnswering);
    },
    stop() {
      for (const name of ['client.rgw.a', 'osd.0', 'mgr.x', 'mon.a']) signal(name, 'SIGKILL');
    },
  };
}

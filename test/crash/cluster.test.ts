import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { withConnection } from '../../src/db/databases.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { installNewerPostgres, NEWER, OLDER } from '../support/newer-postgres.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { bundle } from './bundle.ts';

setDefaultTimeout(600_000);

const folder = createMemoryFolder('crash-cluster-');
const packages = installNewerPostgres(folder);
const model = join(folder, 'model');
let script: string;
let dataDir: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'cluster-child.ts'));
  await addDatabase(model);
  const cluster = await startCluster({ dataDir: model, durability: 'none', log: silentLog });
  await withConnection(
    cluster.url,
    (sql) => sql`insert into app_user (email, name) values ('ada@example.org', 'Ada')`,
  );
  await cluster.stop();
});
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  Bun.spawnSync(['cp', '-a', `${model}/.`, dataDir]);
});
afterEach(() => rmSync(dataDir, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const toFolder = (name: string) => join(dataDir, name);
const readMajor = (name: string) =>
  Number(readFileSync(join(toFolder(name), 'PG_VERSION'), 'utf8'));
const listOtherClusters = () => readdirSync(dataDir).filter((name) => name.startsWith('postgres.'));

test.each(FAULT_POINTS.cluster)(
  'a cluster whose upgrade was killed at %s is the old one or the new one, with every row',
  async (point) => {
    const command = [process.execPath, script, dataDir, packages, point];
    const child = Bun.spawn(command, { stderr: 'inherit' });
    await child.exited;
    expect(child.signalCode).toBe('SIGKILL');
    const isMoved = !existsSync(toFolder('postgres'));
    expect(isMoved).toBe(point === 'cluster.moved');

    const cluster = await startCluster({ dataDir, durability: 'none', log: silentLog, packages });
    const isNew = point === 'cluster.moved' || point === 'cluster.swapped';
    expect(readMajor('postgres')).toBe(isNew ? NEWER : OLDER);
    const [kept, ...others] = listOtherClusters();
    expect([kept && readMajor(kept), others]).toEqual([isNew ? OLDER : undefined, []]);
    const names = await withConnection(cluster.url, (sql) => sql`select name from app_user`);
    expect([...names]).toEqual([{ name: 'Ada' }]);
    await cluster.stop();
  },
);

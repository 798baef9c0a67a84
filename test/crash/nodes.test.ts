import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { Sql } from 'postgres';
import type { NodeListItem } from '../../src/areas/server/nodes/nodes.schemas.ts';
import { connect } from '../../src/db/address.ts';
import { runCommand } from '../support/command-line.ts';
import { journey } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { type RunningServer, signUp, startAgain, startServer } from '../e2e/server.ts';

// Two servers on one database and one data folder.

const LIMIT_MS = 300_000;
setDefaultTimeout(LIMIT_MS);

let first: RunningServer;
let second: RunningServer;
let third: RunningServer | undefined;
let apiKey: string;
let sql: Sql;
beforeAll(async () => {
  first = await startServer();
  ({ apiKey } = await signUp(first.url));
  second = await startAgain(first);
  sql = connect(first.databaseUrl, { max: 1 });
});
afterAll(async () => {
  await sql?.end();
  await third?.stop();
  await second?.stop();
  await first?.stop();
});

async function listNodes({ url }: RunningServer): Promise<NodeListItem[]> {
  const headers = { 'x-api-key': apiKey };
  return (await fetch(`${url}/api/admin/nodes`, { headers })).json() as Promise<NodeListItem[]>;
}
const findNode = async (server: RunningServer, from = second) =>
  (await listNodes(from)).find(({ address }) => address === server.url);

const { step } = journey('two servers share a library', LIMIT_MS);

step('both are listed, and one of them leads', async () => {
  await until(async () => (await listNodes(second)).length === 2);
  await until(async () => (await findNode(first))?.isLeader === true);
  expect(await findNode(second)).toMatchObject({
    state: 'ready',
    isLeader: false,
    isAnswering: true,
  });
  const { dataDir, databaseUrl } = first;
  const args = ['status', '--nodes', '--data', dataDir, '--database-url', databaseUrl];
  const { code, out } = await runCommand(dataDir, args);
  expect(code).toBe(0);
  expect(out).toContain(`${first.url}, leader`);
  expect(out).toContain(second.url);
});

step('one takes over from the other, which was killed: its jobs and the lead', async () => {
  const { id } = (await findNode(first))!;
  // No version knows this job: it is released, and not run.
  const [job] = await sql`
    insert into job (name, queue, lane, payload, state, attempt, worker, lease_until, started_at)
    values ('some.job', 'backgroundTask', 'background', '{}', 'running', 1,
      ${`${id}:background:1`}, now() + interval '1 hour', now()) returning id`;
  const getState = async () =>
    (await sql`select state from job where id = ${job!['id']}`)[0]?.['state'];
  expect((await findNode(first))?.runningJobs).toBe(1);
  first.process.kill('SIGKILL');
  await until(async () => (await getState()) === 'waiting');
  expect((await findNode(first))?.state).toBe('gone');
  await until(async () => (await findNode(second))?.isLeader === true);
});

step(
  'one that stops says that it is not ready, and answers until the others have its requests',
  async () => {
    third = await startAgain(first);
    await until(async () => (await findNode(third!))?.state === 'ready');
    const ask = async (path: string) => (await fetch(`${second.url}${path}`)).status;
    expect(await ask('/readyz')).toBe(200);
    second.process.kill('SIGTERM');
    await until(async () => (await ask('/readyz')) === 503);
    expect(await ask('/api/server/ping')).toBe(200);
    expect(await findNode(second, third)).toMatchObject({ state: 'draining', isLeader: false });
    await second.process.exited;
    expect(second.process.exitCode).toBe(0);
    await until(async () => (await findNode(third!, third))?.isLeader === true);
    // The killed one is listed for a day, the stopped one has said that it is gone.
    expect((await listNodes(third)).map(({ state }) => state).toSorted()).toEqual([
      'gone',
      'ready',
    ]);
  },
);

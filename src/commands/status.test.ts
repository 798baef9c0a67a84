import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../test/support/command-line.ts';
import { type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { runInTerminal } from '../../test/support/terminal.ts';
import { openDatabase } from '../db/client.ts';
import { formatStatus, type Status } from './status.view.ts';

setDefaultTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'status-test-'));
let database: TestDatabase;
let args: string[];
beforeAll(async () => {
  database = await testDatabase();
  const { databaseUrl } = database.deps.settings;
  args = ['status', '--data', database.deps.paths.root, '--database-url', databaseUrl!];
});
beforeEach(async () => {
  await database.sql`truncate job, job_done, job_run, queue cascade`;
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...more: string[]) => runCommand(folder, [...args, ...more]);

const addJobs = (queue: string, jobs: number, state = 'waiting') => database.sql`
  insert into job (name, queue, lane, payload, state, run_at)
  select 'some.job', ${queue}, 'background', '{}', ${state}, now() - interval '90 seconds'
  from generate_series(1, ${jobs})`;
const addRun = async (name: string, { items = 4, counted = true, succeeded = 0, error = '' }) => {
  const [row] = await database.sql`
    insert into job_run (id, name, queue, trigger, is_forced, items, counted_at, error, created_at)
    values (gen_random_uuid(), ${name}, 'ocr', 'manual', false, ${items},
      ${counted ? new Date().toISOString() : null}, ${error || null}, now()) returning id`;
  await database.sql`insert into job_run_count (run_id, succeeded, finished_at)
    values (${row!['id']}, ${succeeded}, now())`;
};

test('prints queues, runs that have not ended, and the last failed jobs', async () => {
  await addJobs('thumbnailGeneration', 1200);
  await addJobs('thumbnailGeneration', 1, 'running');
  await addJobs('ocr', 1, 'cancelled');
  await database.sql`insert into queue (name, is_paused) values ('sidecar', true)`;
  await database.sql`insert into job (name, queue, lane, payload, state, finished_at, last_error)
    select 'bad.job', 'search', 'background', '{}', 'failed', now() - n * interval '1 minute',
      'message ' || n || E'\n\x1b[2J of it' from generate_series(1, 9) n`;
  await addRun('in-part', { succeeded: 1 });
  await addRun('uncounted', { counted: false, succeeded: 4 });
  await addRun('ended', { succeeded: 4 });
  await addRun('broken', { error: 'no' });

  const { code, out, err } = await run();
  expect([code, err]).toEqual([0, '']);
  const lines = out.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
  expect(lines[0]).toMatch(/^Safelight \S+, no server is running$/);
  expect(lines[1]).toMatch(/^machine: (?:small|medium|large) \(\S+ \S+ of memory, \d+ cores\)$/);
  expect(lines[2]).toMatch(/^database: \S+ MiB, disk: \S+ \S+ of \S+ \S+ free$/);
  expect(lines).toContain('thumbnailGeneration 1,200 0 1 0 1 min');
  expect(lines).toContain('search 0 0 0 9');
  expect(lines).toContain('sidecar 0 0 0 0 paused');
  expect(lines.some((line) => line.startsWith('ocr'))).toBe(false);
  const at = lines.indexOf('Runs');
  expect(lines.slice(at + 1, at + 4)).toEqual([
    ' uncounted: 4 so far',
    ' in-part: 1 of 4 (25 %)',
    '',
  ]);
  const failures = lines.slice(lines.indexOf('Last failed jobs') + 1);
  expect(failures).toHaveLength(5);
  expect(failures[0]).toMatch(/^ \S+Z bad\.job: message 1 \[2J of it$/);
  expect(out).not.toContain('\u001B');
});

test('ends with 1 while jobs wait for the machine', async () => {
  await database.sql`
    insert into job_fault (name, lane, error) values ('assets.readMetadata', 'metadata', 'no perl')`;
  expect((await run()).code).toBe(1);
  expect((await run('--json')).code).toBe(1);
  await database.sql`delete from job_fault`;
  expect((await run()).code).toBe(0);
});

test('--json prints the same for programs', async () => {
  await addJobs('ocr', 2);
  const before = Date.now();
  const server = openDatabase(database.deps.settings.databaseUrl!, { max: 1, name: 'server' });
  await server.sql`select 1`;
  const { code, out } = await run('--json');
  await server.close();
  expect(code).toBe(0);
  const status = JSON.parse(out);
  expect(Date.parse(status.server.runningSince)).toBeWithin(before, Date.now() + 1);
  expect(status.queues.find(({ name }: { name: string }) => name === 'ocr')).toMatchObject({
    waiting: 2,
    running: 0,
    isPaused: false,
    succeededTotal: 0,
  });
  expect(Object.keys(status).sort()).toEqual(
    [
      'at',
      'certificate',
      'database',
      'disk',
      'failures',
      'isMediaHostAway',
      'machine',
      'queues',
      'runs',
      'server',
      'state',
      'version',
    ].sort(),
  );
});

const ENTERED = '\u001B[?1049h';
const LEFT = '\u001B[?25h\u001B[?1049l';

test.each(['q', '\u0003'])(
  'in a terminal it goes on until %j and gives the terminal back',
  async (key) => {
    const terminal = runInTerminal(folder, args);
    await terminal.until(
      (text) => text.startsWith(ENTERED) && text.includes('All queues are empty'),
    );
    await addJobs('ocr', 7);
    await terminal.until((text) => /ocr +7 /.test(text) && text.includes('jobs/s'));
    expect(terminal.read()).not.toContain(LEFT);
    terminal.write(key);
    expect(await terminal.exited).toBe(0);
    expect(terminal.read().trimEnd()).toEndWith(LEFT);
  },
);

test('a signal gives the terminal back', async () => {
  const terminal = runInTerminal(folder, args);
  await terminal.until((text) => text.includes('q ends'));
  terminal.kill('SIGTERM');
  expect(await terminal.exited).toBe(0);
  expect(terminal.read().trimEnd()).toEndWith(LEFT);
});

test('rates are those since the earlier status', () => {
  const queue = {
    name: 'ocr',
    isPaused: false,
    waiting: 0,
    delayed: 0,
    running: 0,
    failed: 0,
    oldestSeconds: null,
    failedTotal: 1,
  } as const;
  const make = (at: number, succeededTotal: number): Status => ({
    version: '1',
    at,
    state: { version: '1', mode: { kind: 'stopped' }, problems: [] },
    machine: { profile: 'large', memory: 0, cores: 2 },
    isMediaHostAway: false,
    certificate: null,
    database: { servedSince: 0, bytes: 0 },
    disk: undefined,
    queues: [{ ...queue, succeededTotal }],
    runs: [],
    failures: [],
  });
  expect(formatStatus(make(2000, 50), make(0, 40)).at(-1)).toMatch(/^ocr .* 5\.0$/);
  expect(formatStatus(make(2000, 50), make(0, 50)).at(-1)).toBe('All queues are empty');
  expect(formatStatus(make(2000, 50))[0]).toBe('Safelight 1, running for 2 s');
});

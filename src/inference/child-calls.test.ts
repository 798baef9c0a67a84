import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { writeClip } from '../../test/support/generated-models.ts';
import { replacePrograms } from '../../test/support/replaced-programs.ts';
import { silentLog } from '../core/log.ts';
import { isMachineFault } from '../jobs/machine-faults.ts';
import { type Caller, openCaller } from './child-calls.ts';
import { findModels } from './models/installed.ts';
import { until } from '../../test/support/until.ts';
import { listOwnProcesses } from '../../test/support/processes.ts';

const MIB = 1024 ** 2;

let folder: string;
let caller: Caller | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-calls-'));
  await writeClip(join(folder, 'clip/made'), { dimension: 32, side: 32 });
});
afterEach(() => caller?.close());
afterAll(() => rm(folder, { recursive: true, force: true }));

function open(over: Partial<Parameters<typeof openCaller>[0]> = {}): Caller {
  caller = openCaller({
    log: silentLog,
    configure: () => ({
      folders: [folder],
      published: [],
      models: findModels([folder]),
      threads: 1,
      concurrency: 1,
      isExclusive: false,
    }),
    memoryBytes: 1024 * MIB,
    ...over,
  });
  return caller;
}

const listChildren = (): number[] => listOwnProcesses('\0inference\0');
/** Those of other files of tests that this process has run. */
const others = new Set(listChildren());

/** Processes that run the models for this file. */
const children = (): number[] => listChildren().filter((pid) => !others.has(pid));

const query = (text: string) => ({ kind: 'embedQuery', text, modelId: 'made' }) as const;
const catchError = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

test('a call that was running when the child died is answered by the next one', async () => {
  const { call } = open();
  await call(query('a'));
  const [pid] = children();
  // It would answer them if it were fast.
  process.kill(pid!, 'SIGSTOP');
  const calls = ['b', 'c', 'd'].map((text) => call(query(text)));
  process.kill(pid!, 'SIGKILL');
  for (const vector of await Promise.all(calls)) expect(vector).toHaveLength(32);
  expect(children()).not.toContain(pid!);
});

test('a call that crashes the child twice fails; calls behind it do not', async () => {
  let starts = 0;
  const { call } = open({ log: { ...silentLog, debug: () => void (starts += 1) } });
  await call(query('a'));
  // A pipe that nobody writes into: it would be decoded for ever.
  const path = join(folder, 'pipe.jpg');
  Bun.spawnSync(['mkfifo', path]);
  const bad = catchError(call({ kind: 'analyze', image: { path }, tasks: ['embedding'] }));
  const good = call(query('b'));
  expect(await good).toHaveLength(32);
  for (let life = 0; life < 2; life++) {
    // A process that has just been started may be listed with another program for a moment.
    let running: number[] = [];
    await until(() => (running = children()).length === 1);
    const [pid] = running;
    // Before it has started no call can be what ends it.
    await until(() => starts > life);
    process.kill(pid!, 'SIGKILL');
    await until(() => !children().includes(pid!));
  }
  expect((await bad)?.name).toBe('InferenceCrashed');
  expect(await call(query('c'))).toHaveLength(32);
});

test('a silent child is killed', async () => {
  // Longer than a busy machine lets a child wait while it starts.
  const { call } = open({ stallMs: 3000 });
  const path = join(folder, 'silent.jpg');
  Bun.spawnSync(['mkfifo', path]);
  const bad = catchError(call({ kind: 'analyze', image: { path }, tasks: ['embedding'] }));
  expect((await bad)?.name).toBe('InferenceCrashed');
});

test('a stopped child is replaced, and its call is answered by the next one', async () => {
  const { call } = open({ stallMs: 3000 });
  await call(query('a'));
  const [pid] = children();
  process.kill(pid!, 'SIGSTOP');
  expect(await call(query('b'))).toHaveLength(32);
  expect(children()).not.toContain(pid!);
});

test('a child without work ends, and the next call starts another', async () => {
  const { call, memory } = open({ idleMs: 50 });
  await call(query('a'));
  const [pid] = children();
  await until(() => children().length === 0);
  expect(memory()).toBe(0);
  expect(await call(query('b'))).toHaveLength(32);
  expect(children()).not.toContain(pid!);
});

test('a child over its memory is replaced between calls, and no call is lost', async () => {
  // Less than any child needs, but not by so much that it is ended during its work.
  const said: string[] = [];
  const note = (message: string) => void said.push(message);
  const log = { ...silentLog, debug: note, warn: note };
  const { call } = open({ memoryBytes: 70 * MIB, log });
  for (const text of ['a', 'b', 'c']) expect(await call(query(text))).toHaveLength(32);
  expect(said).toEqual(Array.from({ length: 3 }, () => 'inference child started'));
});

test('a model whose files are links to another folder runs', async () => {
  const [made, hub] = [join(folder, 'hub'), join(folder, 'links')];
  await writeClip(join(made, 'blob'), { dimension: 48, side: 32 });
  const linked = join(hub, 'clip/linked');
  for (const name of readdirSync(join(made, 'blob'), { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const from = join(name.parentPath, name.name);
    const to = join(linked, relative(join(made, 'blob'), from));
    await mkdir(dirname(to), { recursive: true });
    await symlink(from, to);
  }
  const { call } = open({
    configure: () => ({
      folders: [hub],
      published: [],
      models: findModels([hub]),
      threads: 1,
      concurrency: 1,
      isExclusive: false,
    }),
  });
  const answer = await call({ kind: 'embedQuery', text: 'a', modelId: 'linked' });
  expect(answer).toHaveLength(48);
});

test('other models start another child', async () => {
  let models = findModels([folder]);
  const { call } = open({
    configure: () => ({
      folders: [folder],
      published: [],
      models,
      threads: 1,
      concurrency: 1,
      isExclusive: false,
    }),
  });
  await call(query('a'));
  const [pid] = children();
  const other = join(folder, 'other');
  await writeClip(join(other, 'clip/larger'), { dimension: 48, side: 32 });
  models = findModels([other]);
  expect(await call({ ...query('a'), modelId: 'larger' })).toHaveLength(48);
  expect(children()).not.toContain(pid!);
});

test('an aborted call rejects, and closing ends running calls', async () => {
  const { call, close } = open();
  const abort = new AbortController();
  const given = catchError(call(query('a'), abort.signal));
  abort.abort(new Error('enough'));
  expect((await given)?.message).toBe('enough');
  const last = catchError(call(query('b')));
  await close();
  expect((await last)?.message).toBe('Inference is closed');
  expect(children()).toEqual([]);
});

test('a child that does not start is a fault of the machine, and no crash by a call', async () => {
  const programs = replacePrograms(folder);
  try {
    for (const fault of ['has a library of another version', 'cannot be executed'] as const) {
      programs.break('bun', fault);
      expect([fault, isMachineFault(await catchError(open().call(query('a'))))]).toEqual([
        fault,
        true,
      ]);
      await caller!.close();
    }
    programs.repair('bun');
    expect(await open().call(query('a'))).toHaveLength(32);
  } finally {
    programs.restore();
  }
});

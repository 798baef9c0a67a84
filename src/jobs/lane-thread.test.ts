import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../core/log.ts';
import { defaultSettings } from '../core/settings.ts';
import { createLaneThread, type LaneThreadOptions } from './lane-thread.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-thread-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
/** A lane whose thread runs this code; what it posts is seen by the lane only. */
async function start(code: string, over: Partial<LaneThreadOptions> = {}) {
  const script = join(folder, `${++made}.ts`);
  await Bun.write(script, code);
  let lives = 0;
  const died: string[] = [];
  const ended = Promise.withResolvers<void>();
  const hopeless = Promise.withResolvers<string>();
  const thread = createLaneThread({
    lane: 'image',
    log: silentLog,
    databaseUrl: 'postgres://nowhere',
    settings: defaultSettings(),
    createWorkerName: () => `life ${++lives}`,
    idleMs: 10,
    backoffMs: 1,
    onDeath: (worker) => died.push(worker),
    onEnd: () => ended.resolve(),
    onRepeatedDeath: (reason) => hopeless.resolve(reason),
    script,
    ...over,
  });
  thread.wake();
  return { ...thread, died, ended: ended.promise, hopeless: hopeless.promise };
}

const OBEDIENT = `onmessage = ({ data }) => {
  if (data.type === 'start') postMessage({ type: 'idle' });
  if (data.type === 'stop') postMessage({ type: 'stopped' });
};`;

test.each([
  ['throws', `onmessage = () => { throw new Error('bad day'); };`],
  ['exits', `onmessage = () => { process.exit(3); };`],
  ['says so', `onmessage = () => { postMessage({ type: 'broken', reason: 'bad day' }); };`],
  ['cannot be loaded', `import './missing.ts';`],
])('a thread that %s is restarted and its jobs are released, six times in all', async (_, code) => {
  const lane = await start(code);
  expect(await lane.hopeless).toContain('lane image keeps dying');
  expect(lane.died).toEqual(['life 1', 'life 2', 'life 3', 'life 4', 'life 5', 'life 6']);
  await lane.stop(0);
});

test('an idle thread is asked to end, and a wake begins the next', async () => {
  const lane = await start(OBEDIENT);
  await lane.ended;
  expect(lane.died).toEqual([]);
  lane.wake();
  await lane.stop(60_000);
  expect(lane.died).toEqual([]);
});

test('an unresponsive thread is terminated, and its jobs are released', async () => {
  const lane = await start('onmessage = () => { for (;;); };', { stopTimeoutMs: 50 });
  await Bun.sleep(20);
  await lane.stop(0);
  expect(lane.died).toEqual(['life 1']);
});

const died = async (lane: { died: string[] }, lives: number) => {
  while (lane.died.length < lives) await Bun.sleep(5);
};

const SAYS_ITS_ID = `import { getThreadId } from ${JSON.stringify(join(import.meta.dir, '../core/thread-id.ts'))};
postMessage({ type: 'started', threadId: getThreadId() });`;
const DAY_MS = 86_400_000;

test.each([
  ['uses the processor', `${SAYS_ITS_ID} onmessage = () => { for (;;); };`, DAY_MS],
  [
    'sleeps',
    `${SAYS_ITS_ID} onmessage = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    400,
  ],
  ['has not said its id', 'onmessage = () => { for (;;); };', 400],
])(
  'a thread that blocks and %s is replaced, however often it is woken',
  async (_, code, stallMs) => {
    const lane = await start(code, { silenceMs: 100, stallMs, stopTimeoutMs: 50 });
    const waking = setInterval(() => lane.wake(), 20);
    await died(lane, 2);
    clearInterval(waking);
    await lane.stop(0);
    expect(lane.died.slice(0, 2)).toEqual(['life 1', 'life 2']);
  },
);

test('a thread that reports progress does not count as blocked', async () => {
  const code = `onmessage = ({ data }) => {
    if (data.type === 'start') setInterval(() => postMessage({ type: 'alive' }), 20);
    if (data.type === 'stop') postMessage({ type: 'stopped' });
  };`;
  const lane = await start(code, { silenceMs: 5000 });
  await Bun.sleep(6000);
  await lane.stop(60_000);
  expect(lane.died).toEqual([]);
});

/** Runs a process that is stopped nine tenths of the time, until `isOver`; returns what it has printed. */
async function starve(
  kind: string,
  isOver: (printed: string) => boolean,
  stopMs = 450,
): Promise<string> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, '../../test/support/starved-lane.ts'),
      join(folder, `${kind}.ts`),
      kind,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  let printed = '';
  const reading = (async () => {
    for await (const chunk of child.stdout) printed += Buffer.from(chunk).toString();
  })();
  while (!printed.includes('started')) await Bun.sleep(10);
  while (!isOver(printed) && child.exitCode === null) {
    child.kill('SIGSTOP');
    await Bun.sleep(stopMs);
    child.kill('SIGCONT');
    await Bun.sleep(stopMs / 9);
  }
  child.kill('SIGKILL');
  await reading;
  return printed;
}

test('no thread is ended on a machine without processor time, but one that loops without end is', async () => {
  const until = performance.now() + 12_000;
  expect(await starve('slow', () => performance.now() > until)).toBe('started\n');
  expect(await starve('endless', (printed) => printed.includes('died'))).toContain('died');
}, 120_000);

test('no thread is ended when the whole process is stopped for longer than its patience', async () => {
  let stops = 0;
  expect(await starve('slow', () => ++stops > 2, 5000)).toBe('started\n');
}, 60_000);

const stuck = (onStop: string) => `onmessage = ({ data }) => {
  if (data.type === 'start' && data.worker === 'life 1') {
    postMessage({ type: 'stuck', reason: 'a job ignored its time limit' });
  } else if (data.type === 'start') postMessage({ type: 'idle' });
  if (data.type === 'stop') { ${onStop} }
};`;

test('a thread with a stuck job may finish the others, then the next one begins', async () => {
  const names: string[] = [];
  const lane = await start(stuck(`postMessage({ type: 'stopped' });`), {
    createWorkerName: () => {
      names.push(`life ${names.length + 1}`);
      return names.at(-1)!;
    },
  });
  while (names.length < 2) await Bun.sleep(5);
  await lane.stop(60_000);
  expect(lane.died).toEqual([]);
});

test('a stuck job that keeps its thread from stopping loses it, and the next one begins', async () => {
  const lane = await start(stuck(''), { replaceGraceMs: 20, stopTimeoutMs: 20 });
  await died(lane, 1);
  lane.wake();
  expect(lane.died).toEqual(['life 1']);
  await lane.stop(0);
});

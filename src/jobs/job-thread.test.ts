import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../core/log.ts';
import { defaultSettings } from '../core/settings.ts';
import { createJobThread, type JobThreadOptions } from './job-thread.ts';

// `job-thread-faults.test.ts` stops the whole process.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-thread-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
/** A job thread, by default of one lane, that runs this code. */
async function start(code: string, over: Partial<JobThreadOptions> = {}) {
  const script = join(folder, `${++made}.ts`);
  await Bun.write(script, code);
  let lives = 0;
  const died: string[] = [];
  const ended = Promise.withResolvers<void>();
  const hopeless = Promise.withResolvers<string>();
  const thread = createJobThread({
    lanes: ['image'],
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
  thread.wake('image');
  return Object.assign(thread, { died, ended: ended.promise, hopeless: hopeless.promise });
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
  const thread = await start(code);
  expect(await thread.hopeless).toContain('the thread of image keeps dying');
  expect(thread.died).toEqual(['life 1', 'life 2', 'life 3', 'life 4', 'life 5', 'life 6']);
  await thread.stop(0);
});

test('an idle thread is asked to end, and a wake begins the next', async () => {
  const thread = await start(OBEDIENT);
  await thread.ended;
  expect(thread.died).toEqual([]);
  thread.wake('image');
  await thread.stop(60_000);
  expect(thread.died).toEqual([]);
});

test('the next thread is woken for the lanes whose work arrived while the one before ended', async () => {
  const woken = new BroadcastChannel('woken');
  const heard: string[] = [];
  woken.onmessage = ({ data }) => heard.push(data);
  // It says in which life it was woken for what, and takes its time to end.
  const code = `let workers;
  const woken = new BroadcastChannel('woken');
  onmessage = ({ data }) => {
    if (data.type === 'start') workers = data.workers;
    if (data.type === 'wake') {
      woken.postMessage(workers.get(data.lane));
      postMessage({ type: 'idle' });
    }
    if (data.type === 'stop') {
      woken.postMessage('stop');
      setTimeout(() => postMessage({ type: 'stopped' }), 200);
    }
  };`;
  let lives = 0;
  const thread = await start(code, {
    lanes: ['metadata', 'image', 'video'],
    createWorkerName: (lane) => `${lane} ${Math.ceil(++lives / 3)}`,
  });
  while (!heard.includes('stop')) await Bun.sleep(5);
  thread.wake('video');
  thread.wake('metadata');
  while (heard.length < 4) await Bun.sleep(5);
  await thread.stop(60_000);
  woken.close();
  expect(heard.slice(0, 4)).toEqual(['image 1', 'stop', 'video 2', 'metadata 2']);
});

test('a thread that works again after it was idle is not asked to end', async () => {
  // Long enough for the second message to be read in time on a machine that is overloaded.
  const idleMs = 2000;
  const code = `onmessage = ({ data }) => {
    if (data.type === 'start') {
      postMessage({ type: 'idle' });
      postMessage({ type: 'alive' });
    }
    if (data.type === 'stop') postMessage({ type: 'stopped' });
  };`;
  const thread = await start(code, { idleMs });
  const ended = await Promise.race([thread.ended.then(() => true), Bun.sleep(idleMs + 500)]);
  expect(ended).toBeUndefined();
  await thread.stop(60_000);
});

test('the jobs of all lanes are released when their thread dies, and when it is stopped in vain', async () => {
  const lanes = ['metadata', 'image'] as const;
  const dead = await start(`onmessage = () => { throw new Error('bad day'); };`, {
    lanes,
    createWorkerName: (lane) => lane,
  });
  await dead.hopeless;
  expect(dead.died.slice(0, 4)).toEqual(['metadata', 'image', 'metadata', 'image']);
  await dead.stop(0);
  const deaf = await start('onmessage = () => { for (;;); };', {
    lanes,
    createWorkerName: (lane) => lane,
    stopTimeoutMs: 50,
  });
  await Bun.sleep(20);
  await deaf.stop(0);
  expect(deaf.died).toEqual(['metadata', 'image']);
});

test('an unresponsive thread is terminated, and its jobs are released', async () => {
  const thread = await start('onmessage = () => { for (;;); };', { stopTimeoutMs: 50 });
  await Bun.sleep(20);
  await thread.stop(0);
  expect(thread.died).toEqual(['life 1']);
});

const died = async (thread: { died: string[] }, lives: number) => {
  while (thread.died.length < lives) await Bun.sleep(5);
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
    const thread = await start(code, { silenceMs: 100, stallMs, stopTimeoutMs: 50 });
    const waking = setInterval(() => thread.wake('image'), 20);
    await died(thread, 2);
    clearInterval(waking);
    await thread.stop(0);
    expect(thread.died.slice(0, 2)).toEqual(['life 1', 'life 2']);
  },
);

test('a thread that reports progress does not count as blocked', async () => {
  const code = `onmessage = ({ data }) => {
    if (data.type === 'start') setInterval(() => postMessage({ type: 'alive' }), 20);
    if (data.type === 'stop') postMessage({ type: 'stopped' });
  };`;
  const thread = await start(code, { silenceMs: 5000 });
  await Bun.sleep(6000);
  await thread.stop(60_000);
  expect(thread.died).toEqual([]);
});

const stuck = (onStop: string) => `onmessage = ({ data }) => {
  if (data.type === 'start' && data.workers.get('image') === 'life 1') {
    postMessage({ type: 'stuck', reason: 'a job ignored its time limit' });
  } else if (data.type === 'start') postMessage({ type: 'idle' });
  if (data.type === 'stop') { ${onStop} }
};`;

test('a thread with a stuck job may finish the others, then the next one begins', async () => {
  const names: string[] = [];
  const thread = await start(stuck(`postMessage({ type: 'stopped' });`), {
    createWorkerName: () => {
      names.push(`life ${names.length + 1}`);
      return names.at(-1)!;
    },
  });
  while (names.length < 2) await Bun.sleep(5);
  await thread.stop(60_000);
  expect(thread.died).toEqual([]);
});

test('a stuck job that keeps its thread from stopping loses it, and the next one begins', async () => {
  const thread = await start(stuck(''), { replaceGraceMs: 20, stopTimeoutMs: 20 });
  await died(thread, 1);
  thread.wake('image');
  expect(thread.died).toEqual(['life 1']);
  await thread.stop(0);
});

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { heapStats } from 'bun:jsc';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { effort } from '../../../../test/support/effort.ts';
import { seed, testApp, type TestUser } from '../../../../test/support/harness.ts';
import {
  countDescriptors,
  createStreamClient,
  listStreamProcesses,
  listUdpPorts,
  LONELY_ANSWER,
  makeShortFilm,
  type StreamClient,
} from '../../../../test/support/streams.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { until } from '../../../../test/support/until.ts';
import { stopStreams } from './supervisor.ts';

const LONG_MS = 600_000;
const STREAMS = effort({ quick: 5, full: 50 });
/** Below those that the system gives to other tests. */
const PORTS = { min: 28_800, max: 28_801 };

let studio: Studio;
let me: TestUser;
let client: StreamClient;
let assetId: string;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  me = await seed(studio.database).user();
  assetId = await studio.add(me, 'short.mp4');
  client = createClient(PORTS);
});
afterEach(() => stopStreams(studio.database.deps));

function createClient(studioPorts: typeof PORTS): StreamClient {
  const settings = { ...studio.database.deps.settings, studioPorts, studioStreams: 10 };
  return createStreamClient({ app: testApp(studio.database, { settings }) }, { as: me });
}

const makeFilm = () => makeShortFilm(studio, me, { known: assetId });
const countChildren = () => listStreamProcesses(process.pid).children.length;
const listFolders = () => readdirSync(join(studio.database.deps.paths.studio, 'streams'));
const listTaken = () => [PORTS.min, PORTS.max].filter((port) => listUdpPorts().includes(port));

/** Counts the child processes, ended ones too, that something still refers to. */
function countReferred(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts['Subprocess'] ?? 0;
}

async function openFilm() {
  const project = await makeFilm();
  const { body } = await client.open(project.id);
  expect(body.state).toBe('waiting');
  return { project, id: body.id as string };
}

test('ER-014: a stream is refused when all ports have one, until one of them is closed', async () => {
  const { id } = await openFilm();
  const other = await openFilm();
  expect(listTaken()).toEqual([PORTS.min, PORTS.max]);
  const { id: third } = await makeFilm();
  const { status, body, headers } = await client.open(third);
  expect([status, body.code]).toEqual([429, 'session_limit']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect([countChildren(), listFolders().length]).toEqual([2, 2]);
  expect((await client.get(other.id)).body.state).toBe('waiting');
  await client.close(id);
  expect((await client.open(third)).body.state).toBe('waiting');
  expect(listTaken()).toEqual([PORTS.min, PORTS.max]);
});

test('a stream keeps its place when all ports are taken: superseded, and after a reconnection', async () => {
  const { project } = await openFilm();
  const { id } = await openFilm();
  const next = await client.open(project.id);
  expect([next.status, next.body.state]).toEqual([201, 'waiting']);
  for (const negotiation of [2, 3]) {
    await client.answer(id, LONELY_ANSWER);
    expect((await client.reconnect(id)).body).toMatchObject({ state: 'waiting', negotiation });
  }
  expect(countChildren()).toBe(2);
});

test(
  'many streams one after the other take the same port, and leave nothing behind',
  async () => {
    const { min } = PORTS;
    client = createClient({ min, max: min });
    const { id, project } = await openFilm();
    await client.close(id);
    await until(() => countChildren() === 0);
    const descriptors = countDescriptors(process.pid);
    const referred = countReferred();
    for (let round = 0; round < STREAMS; round += 1) {
      const opened = (await client.open(project.id)).body;
      expect(opened.state).toBe('waiting');
      expect(listTaken()).toEqual([min]);
      await client.close(opened.id);
    }
    await until(() => {
      const { children, ffmpeg } = listStreamProcesses(process.pid);
      return children.length === 0 && ffmpeg.length === 0;
    });
    // A process is gone a moment before its sockets.
    await until(() => listTaken().length === 0);
    await until(() => countDescriptors(process.pid) < descriptors + STREAMS);
    // The garbage collector may take a number on the stack for a reference to one.
    expect(countReferred()).toBeLessThan(referred + STREAMS / 2);
    await until(() => listFolders().length === 0);
  },
  LONG_MS,
);

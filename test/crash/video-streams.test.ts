import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSeededRandom, effort } from '../support/effort.ts';
import { seed, type TestUser } from '../support/harness.ts';
import { listVideoProcesses } from '../support/streams.ts';
import { until } from '../support/until.ts';
import {
  addMinute,
  openStream,
  openStreamLibrary,
  type StreamLibrary,
  type StreamPlayer,
} from '../support/video-streams.ts';
import { bundle } from './bundle.ts';
import { firstLine } from './child.ts';

let library: StreamLibrary;
let script: string;
let me: TestUser;
let ids: string[];
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'video-stream-child.ts'));
  library = await openStreamLibrary();
  me = await seed(library.database).user();
  ids = [];
  for (let number = 0; number < STREAMS; number++)
    ids.push(await addMinute(library, me.id, PICTURES));
});
afterAll(() => library.close());

const STREAMS = 5;
/** More than the pipes hold of a stream: its encoder waits for its player. */
const PICTURES = 'size=480x270:rate=10';
const KILLS = effort({ quick: 3, full: 20 });
const random = createSeededRandom('kills of video streams');

async function startServer() {
  const { databaseUrl, dataDir } = library.database.deps.settings;
  // A failed test must not leave it running.
  const command = ['setpriv', '--pdeathsig', 'KILL', '--', process.execPath, script];
  const child = Bun.spawn([...command, databaseUrl!, dataDir], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string };
  return { child, url };
}

test('a killed server leaves no encoder and no file, and its players go on after the next start', async () => {
  const scratch = join(library.database.deps.paths.derived, 'scratch');
  let server = await startServer();
  const handle = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(`${server.url}${pathname}${search}`, request));
  };
  const open = async (id: string, number: number): Promise<StreamPlayer> => {
    const player = await openStream({ handle }, id, { as: me });
    // Two are transcoded, as many as an account may watch.
    await player.choose(number < 2 ? 0 : 1);
    return player;
  };
  const players = await Promise.all(ids.map(open));
  for (let kill = 0; kill < KILLS; kill++) {
    // Far from what was encoded before.
    const segment = ((kill >> 1) % 8) + (kill % 2) * 20;
    const reads = players.map((player) => player.readSegment(segment).catch(() => undefined));
    await Promise.all(kill % 2 === 0 ? reads : [Bun.sleep(random.below(300)), reads[0]]);
    const encoders = listVideoProcesses(server.child.pid);
    if (kill % 2 === 0) expect(encoders.length).toBeGreaterThan(0);
    server.child.kill('SIGKILL');
    await Promise.all([server.child.exited, ...reads]);
    await until(() => !encoders.some((pid) => isAlive(pid)));
    expect(readdirSync(scratch)).toEqual([]);
    server = await startServer();
    // The session is nothing but a name in the addresses that the player has.
    const statuses = players.map(async (player) => (await player.readSegment(segment)).status);
    expect(await Promise.all(statuses)).toEqual(players.map(() => 200));
    for (const player of players) expect((await player.end()).status).toBe(204);
    await until(() => listVideoProcesses(server.child.pid).length === 0);
  }
  server.child.kill('SIGKILL');
  await server.child.exited;
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

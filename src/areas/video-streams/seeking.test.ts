import { afterEach, beforeEach, expect, test } from 'bun:test';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import { listVideoProcesses } from '../../../test/support/streams.ts';
import { until } from '../../../test/support/until.ts';
import {
  addMinute,
  openStream,
  type StreamPlayer,
  useStreamLibrary,
} from '../../../test/support/video-streams.ts';
import { countRunning, stopVideoStreams } from './sessions.ts';

const library = await useStreamLibrary();
let me: TestUser;
beforeEach(async () => {
  me = await seed(library.database).user();
});
afterEach(() => stopVideoStreams(library.database.deps));

/** A video of eleven segments. */
const open = async () => {
  const id = await addMinute(library, me.id, 'size=854x480:rate=25', 20);
  return { id, player: await openStream(library.app, id, { as: me }) };
};

/** Asks for a segment that does not come, however fast the machine is. */
async function askInVain(player: StreamPlayer) {
  const answer = player.readSegment(5);
  const list = () => listVideoProcesses(process.pid);
  await until(() => list().length === 1);
  for (const pid of list()) process.kill(pid, 'SIGSTOP');
  return { answer };
}

test('a player that seeks before a segment has come gets the one that it asked for last', async () => {
  const { player } = await open();
  const left = await askInVain(player);
  expect((await player.readSegment(9)).status).toBe(200);
  const { status, headers } = await left.answer;
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  const [init, segment] = await Promise.all([player.readInit(1), player.readSegment(6)]);
  expect([init.status, segment.status]).toEqual([200, 200]);
});

test('so does one that chooses another quality', async () => {
  const { player } = await open();
  const left = await askInVain(player);
  await player.choose(1);
  expect((await player.readSegment(5)).status).toBe(200);
  expect((await left.answer).status).toBe(503);
});

test('nothing is encoded for a request whose session was ended, or whose player has gone', async () => {
  const { id, player } = await open();
  const waiting = await askInVain(player);
  expect((await player.end()).status).toBe(204);
  expect((await waiting.answer).status).toBe(503);
  expect(countRunning(library.database.deps)).toBe(0);

  const gone = new AbortController();
  const path = player.variants[0]!.replace('playlist.m3u8', 'seg_9.m4s');
  const request = new Request(`http://localhost/api/assets/${id}/video/stream/${path}`, {
    headers: { 'x-api-key': me.key },
    signal: gone.signal,
  });
  const answer = library.app.handle(request);
  gone.abort();
  expect((await answer).status).toBe(499);
});

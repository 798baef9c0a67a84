import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACCESS_ENDINGS, type AccessEnding } from '../../../test/support/access-endings.ts';
import { effort } from '../../../test/support/effort.ts';
import { type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { sample } from '../../../test/support/sample.ts';
import { stopClock } from '../../../test/support/stopped-clock.ts';
import { listOpenFiles, listVideoProcesses } from '../../../test/support/streams.ts';
import { until } from '../../../test/support/until.ts';
import {
  addMinute,
  openStream,
  type StreamPlayer,
  useStreamLibrary,
} from '../../../test/support/video-streams.ts';
import { originalPath } from '../../storage/stored-file.ts';
import { getTranscodes } from '../studio/index.ts';
import { countRemembered, countRunning, stopVideoStreams } from './sessions.ts';

// However a session ends, nothing of it is left. test/crash/video-streams.test.ts kills the server.

const library = await useStreamLibrary();

const FORGOTTEN = effort({ quick: 2, full: 50 });
/** An account may play six videos, two of which are transcoded. */
const [VIDEOS_OF_ACCOUNT, TRANSCODES_OF_ACCOUNT] = [6, 2];

const end = async (player: StreamPlayer) => expect((await player.end()).status).toBe(204);

/** Kills the encoder of a video, as the system does where memory is short. One that has written all has ended. */
async function killEncoder(id: string): Promise<void> {
  const [row] = await library.database.sql`select sha256 from asset where id = ${id}`;
  const path = originalPath(library.database.deps.paths, row!['sha256'] as Buffer);
  const pids = listVideoProcesses(process.pid, path);
  expect(pids.length).toBeLessThanOrEqual(1);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

type Ending = (owner: TestUser, id: string) => Promise<AccessEnding & { readonly isEnd?: true }>;

/** By what happens. */
const ENDINGS: readonly Ending[] = [
  async (owner, id) => ({ caller: { as: owner }, end: () => killEncoder(id) }),
  async (owner) => ({ caller: { as: owner }, end: async () => {}, isEnd: true }),
  ...sample('endings', Object.values(ACCESS_ENDINGS), 2).map(
    (lose): Ending =>
      async (owner, id) => {
        const { database } = library;
        return lose({ database, id, owner, other: await seed(database).user() });
      },
  ),
];

/** Sessions that end; those that are forgotten are opened between the last of them. */
const ENDED = effort({ quick: ENDINGS.length, full: 50 });

/** A player waits and asks again where there is no room. */
async function play(id: string, variant: number, caller: Caller, query = '') {
  const player = await openStream(library.app, id, caller, query);
  await player.choose(variant);
  await until(async () => {
    const { status } = await player.readSegment(0);
    expect([200, 429]).toContain(status);
    return status === 200;
  });
  return player;
}

async function openAndForget(): Promise<void> {
  const owner = await seed(library.database).user();
  await play(await addMinute(library, owner.id), 1, { as: owner });
}

async function openAndEnd(number: number): Promise<void> {
  const owner = await seed(library.database).user();
  const id = await addMinute(library, owner.id);
  const ending = ENDINGS[number % ENDINGS.length]!;
  const { caller, query, end: lose, isEnd } = await ending(owner, id);
  const variant = (number + Math.floor(number / ENDINGS.length)) % 2;
  const player = await play(id, variant, caller, query);
  await lose();
  if (isEnd) await end(player);
}

async function countLeft() {
  const { deps } = library.database;
  return {
    ...countRemembered(deps),
    running: countRunning(deps),
    transcodes: getTranscodes(deps.sql).size,
    processes: listVideoProcesses(process.pid).length,
  };
}
const NOTHING = { sessions: 0, encoders: 0, running: 0, transcodes: 0, processes: 0 };

test('nothing is left of sessions that were killed, closed, refused and forgotten', async () => {
  for (let number = 0; number < ENDED; number++) {
    await openAndEnd(number);
    if (number >= ENDED - FORGOTTEN) await openAndForget();
  }
  expect(await countLeft()).not.toEqual(NOTHING);
  // None of them was read from lately.
  const goOn = stopClock(60_000);
  await until(async () => Bun.deepEquals(await countLeft(), NOTHING)).finally(goOn);

  const scratch = join(library.database.deps.paths.derived, 'scratch');
  expect(readdirSync(scratch)).toEqual([]);
  const owner = await seed(library.database).user();
  const players: StreamPlayer[] = [];
  for (let number = 0; number < VIDEOS_OF_ACCOUNT; number++) {
    const player = await openStream(library.app, await addMinute(library, owner.id), { as: owner });
    await player.choose(number < TRANSCODES_OF_ACCOUNT ? 0 : 1);
    expect((await player.readSegment(0)).status).toBe(200);
    players.push(player);
  }
  for (const player of players) await end(player);
  await until(async () => Bun.deepEquals(await countLeft(), NOTHING));
  // Segments are kept for whoever watches the video again.
  expect(listOpenFiles(process.pid, scratch)).not.toEqual([]);
  await stopVideoStreams(library.database.deps);
  await until(() => listOpenFiles(process.pid, scratch).length === 0);
});

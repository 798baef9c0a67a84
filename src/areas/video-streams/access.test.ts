import { afterEach, beforeEach, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import {
  ACCESS_ENDINGS,
  type AccessEnding,
  shareByLink,
} from '../../../test/support/access-endings.ts';
import { type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { stopClock } from '../../../test/support/stopped-clock.ts';
import { until } from '../../../test/support/until.ts';
import {
  addMinute,
  openStream,
  type StreamPlayer,
  useStreamLibrary,
} from '../../../test/support/video-streams.ts';
import { sharedLinks } from '../../db/tables/albums.ts';
import { countRemembered, countRunning, stopVideoStreams } from './sessions.ts';

// An encoder ends when nobody may watch it any more.

const library = await useStreamLibrary();
let me: TestUser;
let other: TestUser;
beforeEach(async () => {
  me = await seed(library.database).user();
  other = await seed(library.database).user();
});
afterEach(() => stopVideoStreams(library.database.deps));

const count = () => countRunning(library.database.deps);

async function play(id: string, caller: Caller, query = ''): Promise<StreamPlayer> {
  const player = await openStream(library.app, id, caller, query);
  await player.choose(1);
  expect((await player.readSegment(0)).status).toBe(200);
  return player;
}

test('however the access ends, the next segment is refused, and what makes them is ended', async () => {
  const { database } = library;
  const watched: { name: string; player: StreamPlayer; end: AccessEnding['end'] }[] = [];
  // Nobody is idle for long enough to be ended for that, however slow the machine is.
  const goOn = stopClock();
  try {
    for (const [name, prepare] of Object.entries(ACCESS_ENDINGS)) {
      const owner = await seed(database).user();
      const id = await addMinute(library, owner.id);
      const { caller, query, end } = await prepare({ database, id, owner, other });
      watched.push({ name, player: await play(id, caller, query), end });
    }
    expect(count()).toBe(watched.length);
    for (const { end } of watched) await end();
    // Their access is to be checked again.
    stopClock(10_000);
    for (const { name, player } of watched) {
      const answers = [await player.readSegment(0), await player.readInit()];
      const areRefused = answers.map(({ status }) => [400, 401].includes(status));
      expect([name, ...areRefused]).toEqual([name, true, true]);
    }
    await until(() => count() === 0);
  } finally {
    goOn();
  }
});

test('an encoder goes on for one who may see the video when another may not any more', async () => {
  const id = await addMinute(library, me.id);
  const { database } = library;
  await play(id, {}, await shareByLink({ database, id, owner: me, other }));
  const mine = await play(id, { as: me });
  // The last one of these is further ahead than the encoder goes for the other one.
  for (let number = 1; number <= 17; number++)
    expect((await mine.readSegment(number)).status).toBe(200);
  expect(count()).toBe(1);
  await database.db.delete(sharedLinks).where(eq(sharedLinks.ownerId, me.id));
  const goOn = stopClock(10_000);
  await until(() => countRemembered(database.deps).sessions === 1).finally(goOn);
  expect(count()).toBe(1);
  await mine.end();
  await until(() => count() === 0);
});

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import {
  addMinute,
  openStream,
  type StreamPlayer,
  useStreamLibrary,
} from '../../../test/support/video-streams.ts';
import { getTranscodes } from '../studio/index.ts';
import { countRunning, stopVideoStreams } from './sessions.ts';

const library = await useStreamLibrary();
let me: TestUser;
beforeEach(async () => {
  me = await seed(library.database).user();
});
afterEach(() => stopVideoStreams(library.database.deps));

describe('is refused with 429', () => {
  const readRefusal = async (player: StreamPlayer) => {
    const response = await player.readSegment(0);
    const { message } = (await response.json()) as { message: string };
    return [response.status, response.headers.get('retry-after'), message];
  };
  const open = async (variant = 0) => {
    const id = await addMinute(library, me.id);
    const player = await openStream(library.app, id, { as: me });
    await player.choose(variant);
    return player;
  };

  test('a third video of an account that is transcoded, which is passed through all the same', async () => {
    const players = [await open(), await open(), await open()];
    const [first, second, third] = players as [StreamPlayer, StreamPlayer, StreamPlayer];
    const readBoth = () => Promise.all([first, second].map((player) => player.readSegment(0)));
    expect((await readBoth()).map(({ status }) => status)).toEqual([200, 200]);
    // Streams that nobody has read from for a while would make room.
    await readBoth();
    const message = 'An account may play 2 videos that are transcoded at the same time';
    expect(await readRefusal(third)).toEqual([429, '5', message]);
    await third.choose(1);
    expect((await third.readSegment(0)).status).toBe(200);
    await third.choose(0);
    await first.end();
    expect((await third.readSegment(0)).status).toBe(200);
  });

  test('a seventh video of an account', async () => {
    const players: StreamPlayer[] = [];
    for (let n = 0; n < 6; n++) players.push(await open(1));
    const seventh = await open(1);
    const read = () => Promise.all(players.map((player) => player.readSegment(0)));
    expect((await read()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    await read();
    const message = 'An account may play 6 videos at the same time';
    expect(await readRefusal(seventh)).toEqual([429, '5', message]);
    expect(countRunning(library.database.deps)).toBe(6);
  });

  test('one more than the machine transcodes, whoever asks, beside previews of the studio', async () => {
    // As many as two processors play.
    const previews = Array.from({ length: 100 }, () => ({}));
    const transcodes = getTranscodes(library.database.deps.sql);
    for (const preview of previews) transcodes.add(preview);
    const message = 'The server transcodes as many videos as it can';
    expect(await readRefusal(await open())).toEqual([429, '5', message]);
    for (const preview of previews) transcodes.delete(preview);
    expect((await (await open()).readSegment(0)).status).toBe(200);
    expect(transcodes.size).toBe(1);
    await stopVideoStreams(library.database.deps);
    expect(transcodes.size).toBe(0);
  });
});

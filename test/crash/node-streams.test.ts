import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import type { App } from '../../src/app.ts';
import { DEFAULTS } from '../../src/areas/system-config/index.ts';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { configWith } from '../support/config.ts';
import { type Caller, call, seed, type TestUser } from '../support/harness.ts';
import { addLink } from '../support/household.ts';
import { createNodeChildren, type NodeChild } from '../support/node-children.ts';
import {
  createStreamClient,
  listStreamProcesses,
  LONELY_ANSWER,
  makeShortFilm,
} from '../support/streams.ts';
import { openStudio, type Studio } from '../support/studio.ts';
import { until } from '../support/until.ts';
import { addMinute, openStream } from '../support/video-streams.ts';

// Streams live in a process: they are reached through any server of the library.

setDefaultTimeout(120_000);

let studio: Studio;
let children: ReturnType<typeof createNodeChildren>;
let one: NodeChild;
let other: NodeChild;
let me: TestUser;
let clip: string;
beforeAll(async () => {
  studio = await openStudio();
  const { database } = studio;
  children = createNodeChildren(database);
  one = await children.start();
  other = await children.start();
  me = await seed(database).user();
  clip = await studio.add(me, 'short.mp4');
  const realtime = { ...DEFAULTS.ffmpeg.realtime, enabled: true };
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const body = configWith({ ffmpeg: { realtime } });
  expect((await call(studio.app, 'PUT /system-config', { as: admin, body })).status).toBe(200);
});
afterEach(async () => {
  await studio.database.sql`delete from studio_stream`;
  await until(() => countStreams(one) + countStreams(other) === 0);
});
afterAll(async () => {
  await children.stopAll();
  await studio.close();
});

const connect = ({ app }: NodeChild, caller: Caller = { as: me }) =>
  createStreamClient({ app }, caller);
const countStreams = ({ pid }: NodeChild) => listStreamProcesses(pid).children.length;
const countEncoders = ({ pid }: NodeChild) => listProcessTree(pid).length - 1;

const makeFilm = () => makeShortFilm(studio, me, { known: clip });

async function openFilm(node: NodeChild): Promise<string> {
  const { status, body } = await connect(node).open((await makeFilm()).id);
  expect([status, body.state]).toEqual([201, 'waiting']);
  return body.id;
}

describe('a preview stream', () => {
  test('is asked for, answered, moved, connected again and closed through another server', async () => {
    const id = await openFilm(one);
    expect([countStreams(one), countStreams(other)]).toEqual([1, 0]);
    const client = connect(other);
    expect((await client.get(id)).body.state).toBe('waiting');
    expect((await client.answer(id, 'v=0')).status).toBe(400);
    expect((await client.answer(id, LONELY_ANSWER)).body.state).toBe('answered');
    expect((await client.reconnect(id)).body).toMatchObject({ state: 'waiting', negotiation: 2 });
    expect((await client.move(id)).body.state).toBe('waiting');
    expect((await connect(one).get(id)).body.state).toBe('waiting');
    expect((await client.close(id)).body).toMatchObject({
      state: 'closed',
      closeReason: 'deleted',
    });
    await until(() => countStreams(one) === 0);
    expect((await client.get(id)).body.state).toBe('closed');
  });

  test('is superseded by one of another server for the same project, and counts there for its account', async () => {
    const project = await makeFilm();
    const first = await connect(one).open(project.id);
    await openFilm(one);
    const third = await makeFilm();
    const refused = await connect(other).open(third.id);
    expect([refused.status, refused.body.code]).toEqual([429, 'session_limit']);
    expect((await connect(other).open(project.id)).body.state).toBe('waiting');
    expect((await connect(other).get(first.body.id)).body.closeReason).toBe('superseded');
    await until(() => countStreams(one) === 1 && countStreams(other) === 1);
  });

  test('is nothing to a stranger, a weak key and nobody', async () => {
    const id = await openFilm(one);
    const stranger = await seed(studio.database).user();
    const weak = await seed(studio.database).user(['asset.read']);
    const callers = [
      [{ as: stranger }, 404],
      [{ as: weak }, 403],
      [{}, 401],
    ] as const;
    for (const [caller, status] of callers) {
      const client = connect(other, caller);
      const replies = [
        client.get(id),
        client.answer(id, LONELY_ANSWER),
        client.move(id),
        client.reconnect(id),
        client.close(id),
      ];
      for (const reply of await Promise.all(replies)) expect(reply.status).toBe(status);
    }
    expect((await connect(one).get(id)).body.state).toBe('waiting');
  });

  test('goes on when another server starts, and is lost with its own', async () => {
    const id = await openFilm(one);
    const third = await children.start();
    expect((await connect(third).get(id)).body.state).toBe('waiting');
    const own = await openFilm(third);
    await third.kill();
    expect((await connect(other).get(own)).body).toMatchObject({
      state: 'closed',
      closeReason: 'worker-lost',
    });
    expect((await connect(other).get(id)).body.state).toBe('waiting');
  });
});

describe('a video stream', () => {
  /** Begins at the first server, and goes on at the other one. */
  const begin = (id: string, caller: Caller, query = '') => {
    const handle = (request: Request) =>
      (request.url.includes('main.m3u8') ? one : other).app.handle(request);
    return openStream({ handle } as unknown as App, id, caller, query);
  };

  test('is encoded where it was begun, and elsewhere once that is gone', async () => {
    const doomed = one;
    // More than an encoder makes ahead.
    const video = await addMinute(studio, me.id, 'size=854x480:rate=5');
    const player = await begin(video, { as: me });
    const before = countEncoders(other);
    expect((await player.readInit()).status).toBe(200);
    const segment = await player.readSegment(0);
    expect([segment.status, (await segment.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    expect([countEncoders(doomed) > 0, countEncoders(other) - before]).toEqual([true, 0]);
    await doomed.kill();
    expect((await player.readSegment(20)).status).toBe(200);
    expect(countEncoders(other)).toBeGreaterThan(before);
    expect((await player.end()).status).toBe(204);
    one = await children.start();
  });

  test('is played by the guests of a link, and by nobody who may not see the video', async () => {
    const { database } = studio;
    const id = await addMinute(studio, me.id);
    await addLink(database, { ownerId: me.id, slug: 'film' }, [id]);
    const guest = await begin(id, {}, '?slug=film');
    expect((await guest.readSegment(0)).status).toBe(200);
    const [path] = (await begin(id, { as: me })).variants;
    const get = async (caller: Caller) =>
      (await call(other.app, `GET /assets/${id}/video/stream/${path}`, caller)).status;
    const stranger = await seed(database).user();
    const weak = await seed(database).user(['asset.read']);
    expect([await get({ as: stranger }), await get({ as: weak }), await get({})]).toEqual([
      400, 403, 401,
    ]);
    await database.sql`delete from shared_link where slug = 'film'`;
    expect((await guest.readSegment(0)).status).toBe(401);
  });
});

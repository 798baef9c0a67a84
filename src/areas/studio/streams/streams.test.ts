import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { getSharedBrowser } from '../../../../test/e2e/shared.ts';
import { seed, testApp, type TestUser } from '../../../../test/support/harness.ts';
import { openStreamViewer, type StreamViewer } from '../../../../test/support/stream-viewer.ts';
import {
  createStreamClient,
  listSockets,
  listStreamProcesses,
  LONELY_ANSWER,
  makeShortFilm,
  type StreamClient,
} from '../../../../test/support/streams.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { until } from '../../../../test/support/until.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import { stopStreams } from './supervisor.ts';

let studio: Studio;
let viewer: StreamViewer;
let me: TestUser;
let client: StreamClient;
beforeAll(async () => {
  [studio, viewer] = await Promise.all([openStudio(), getSharedBrowser().then(openStreamViewer)]);
});
afterAll(() => Promise.all([viewer.close(), studio.close()]));
beforeEach(async () => {
  me = await seed(studio.database).user();
  client = createStreamClient(studio, { as: me });
});
afterEach(async () => {
  await Promise.all([viewer.forget(), stopStreams(studio.database.deps)]);
});

const HALF = { numerator: 1, denominator: 2 };

async function openFilm(seconds?: number) {
  const project = await makeShortFilm(studio, me, { seconds });
  const { body } = await client.open(project.id);
  return { project, id: body.id as string, offer: body.offer.sdp as string };
}

const connect = async (id: string, offer: string) => {
  const answered = await client.answer(id, await viewer.answer(offer));
  await until(async () => (await client.get(id)).body.state === 'connected');
  return answered;
};

describe('a preview stream', () => {
  test('ST-078: is opened with an offer, and a browser sees the film move to its end', async () => {
    const project = await makeShortFilm(studio, me);
    const opened = await client.open(project.id, { time: { numerator: 1, denominator: 1 } });
    expect(opened.status).toBe(201);
    expect(opened.body).toEqual({
      id: expect.any(String),
      projectId: project.id,
      revision: 1,
      state: 'waiting',
      negotiation: 1,
      offer: { type: 'offer', sdp: expect.stringContaining('a=end-of-candidates') },
      maxBitrateKbps: 1200,
      keepAliveSeconds: 30,
      closeReason: null,
      createdAt: expect.any(String),
      closedAt: null,
    });
    const { id, offer } = opened.body;
    expect(offer.sdp).not.toMatch(/a=candidate:\S+ \d tcp/);
    expect((await client.get(id)).body.offer).toEqual(offer);
    const answered = await connect(id, offer.sdp);
    expect([answered.status, answered.body.state, answered.body.offer]).toEqual([
      200,
      'answered',
      null,
    ]);
    await viewer.waitUntil(({ count }) => count > 1);
    const seen = await viewer.seen();
    expect(seen).toMatchObject({ width: 320, height: 192 });
    expect(seen.number).toBeWithin(30, 60);
    await viewer.waitUntil(({ number }) => number === 59);
  });

  skipWithout('seccomp').test('is sent by a confined child, over UDP only', async () => {
    const { id, offer } = await openFilm();
    await connect(id, offer);
    await viewer.waitUntil(({ count }) => count > 1);
    // The child of the test before may still be on its way out.
    await until(() => listStreamProcesses(process.pid).children.length === 1);
    const { children, ffmpeg } = listStreamProcesses(process.pid);
    expect([children.length, ffmpeg.length]).toEqual([1, 1]);
    for (const pid of [...children, ...ffmpeg]) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^Seccomp:\t2$/m);
    }
    expect(listSockets(children[0]!)).toEqual(['udp']);
    expect(listSockets(ffmpeg[0]!)).toEqual([]);
  });

  test('is closed when its ffmpeg is killed while somebody watches', async () => {
    const { id, offer } = await openFilm();
    await connect(id, offer);
    await viewer.waitUntil(({ count }) => count > 1);
    const { ffmpeg } = listStreamProcesses(process.pid);
    expect(ffmpeg).toHaveLength(1);
    process.kill(ffmpeg[0]!, 'SIGKILL');
    await until(async () => (await client.get(id)).body.state === 'closed');
    expect((await client.get(id)).body.closeReason).toBe('error');
    await until(() => listStreamProcesses(process.pid).children.length === 0);
  });

  test('ST-079: is superseded by another one of the same project and account', async () => {
    const { project, id } = await openFilm();
    const next = await client.open(project.id);
    expect([next.status, next.body.state]).toEqual([201, 'waiting']);
    expect((await client.get(id)).body).toMatchObject({
      state: 'closed',
      closeReason: 'superseded',
      offer: null,
    });
    expect((await client.get(next.body.id)).body.state).toBe('waiting');
  });

  test('ST-081: is closed when a newer revision is stored', async () => {
    const { project, id } = await openFilm();
    await studio.storeRevision(me, project);
    expect((await client.get(id)).body).toMatchObject({
      state: 'closed',
      closeReason: 'revision-superseded',
    });
  });

  test('ST-082: is closed when its client has not asked for longer than it may', async () => {
    const { id } = await openFilm();
    const after = (ms: number) => {
      const now = () => new Date(studio.database.deps.now().getTime() + ms);
      return createStreamClient({ app: testApp(studio.database, { now }) }, { as: me });
    };
    // Each of them extends the lease.
    expect((await after(29_000).get(id)).body.state).toBe('waiting');
    expect((await after(58_000).get(id)).body.state).toBe('waiting');
    expect((await after(89_000).get(id)).body).toMatchObject({
      state: 'closed',
      closeReason: 'keepalive-expired',
    });
  });

  test('ST-083: takes a complete answer, once', async () => {
    const { id, offer } = await openFilm();
    const sdp = await viewer.answer(offer);
    const stale = await client.answer(id, sdp, { negotiation: 2 });
    expect([stale.status, stale.body.code]).toEqual([409, 'invalid_state']);
    const answered = await client.answer(id, sdp, { negotiation: 1 });
    expect([answered.status, answered.body.state]).toEqual([200, 'answered']);
    expect((await client.answer(id, sdp)).status).toBe(409);
  });

  test('ST-084: refuses an answer that is not complete or sends something, and still waits', async () => {
    const { id } = await openFilm();
    const refused = [
      LONELY_ANSWER.replace('a=end-of-candidates\r\n', ''),
      LONELY_ANSWER.replace('recvonly', 'sendrecv'),
      `${LONELY_ANSWER}m=video 9 UDP/TLS/RTP/SAVPF 96\r\n`,
      `${LONELY_ANSWER}m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n`,
      `${LONELY_ANSWER}m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n`,
    ];
    for (const sdp of refused) {
      const { status, body } = await client.answer(id, sdp);
      expect([status, body.errors[0].path]).toEqual([400, ['sdp']]);
    }
    expect((await client.get(id)).body.state).toBe('waiting');
    expect((await client.answer(id, LONELY_ANSWER)).status).toBe(200);
  });

  test('ST-085: takes no answer when it waits for none', async () => {
    const { id } = await openFilm();
    await client.close(id);
    const { status, body } = await client.answer(id, LONELY_ANSWER);
    expect([status, body.code]).toEqual([409, 'invalid_state']);
  });

  test('ST-086: makes another offer for a browser that was cut off, and goes on', async () => {
    const { id, offer } = await openFilm();
    const early = await client.reconnect(id);
    expect([early.status, early.body.code]).toEqual([409, 'invalid_state']);
    await connect(id, offer);
    await viewer.waitUntil(({ count }) => count > 1);
    await viewer.drop();
    const { status, body } = await client.reconnect(id);
    expect([status, body.state, body.negotiation]).toEqual([200, 'waiting', 2]);
    const before = (await viewer.seen()).count;
    await connect(id, body.offer.sdp);
    await viewer.waitUntil(({ count }) => count > before + 1);
    expect((await client.get(id)).body).toMatchObject({ state: 'connected', negotiation: 2 });
  });

  test('goes on from another moment, or stands still there', async () => {
    const { id, offer } = await openFilm(2);
    await connect(id, offer);
    const still = await client.move(id, { time: HALF, isPlaying: false });
    expect([still.status, still.body.id]).toEqual([200, id]);
    await viewer.waitUntil(({ number }) => number === 15);
    const { count } = await viewer.seen();
    await viewer.waitUntil((seen) => seen.count > count + 3);
    expect((await viewer.seen()).number).toBe(15);
    const many = Array.from({ length: 20 }, (_, at) => ({ numerator: at, denominator: 20 }));
    await Promise.all(many.map((time) => client.move(id, { time })));
    await client.move(id, { time: HALF });
    await viewer.waitUntil(({ number }) => number === 59);
    await until(() => listStreamProcesses(process.pid).ffmpeg.length === 0);
    await client.move(id);
    await viewer.waitUntil(({ number }) => number < 59);
    await client.close(id);
    expect((await client.move(id)).body).toMatchObject({ state: 'closed', closeReason: 'deleted' });
  });

  test('ST-088: is closed by its client', async () => {
    const { id, offer } = await openFilm();
    await connect(id, offer);
    const closed = await client.close(id);
    expect(closed.status).toBe(200);
    expect(closed.body).toMatchObject({
      state: 'closed',
      closeReason: 'deleted',
      offer: null,
      closedAt: expect.any(String),
    });
    expect((await client.close(id)).body).toEqual(closed.body);
    expect((await client.get(id)).body).toEqual(closed.body);
    expect((await client.reconnect(id)).body).toEqual(closed.body);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../../../test/e2e/browser.ts';
import { seed, type TestUser } from '../../../../test/support/harness.ts';
import {
  openStreamViewer,
  STREAM_FLAGS,
  type StreamViewer,
} from '../../../../test/support/stream-viewer.ts';
import { createStreamClient, makeShortFilm } from '../../../../test/support/streams.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { until } from '../../../../test/support/until.ts';
import { stopStreams } from './supervisor.ts';

let studio: Studio;
let browser: Browser;
let viewer: StreamViewer;
let me: TestUser;
let client: ReturnType<typeof createStreamClient>;
beforeAll(async () => {
  [studio, browser] = await Promise.all([openStudio(), openBrowser(STREAM_FLAGS)]);
  viewer = await openStreamViewer(browser);
});
afterAll(async () => {
  await stopStreams(studio.database.deps);
  await Promise.all([studio.close(), browser.close()]);
});
beforeEach(async () => {
  me = await seed(studio.database).user();
  client = createStreamClient(studio, { as: me });
});

/** Opens a stream and lets the browser connect to it. */
async function watch(projectId: string, over: object = {}): Promise<string> {
  const { id, offer } = (await client.open(projectId, over)).body;
  await client.answer(id, await viewer.answer(offer.sdp));
  await until(async () => (await client.get(id)).body.state === 'connected');
  return id;
}

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
    expect(offer.sdp).not.toMatch(/a=candidate:.*(tcp|127\.0\.0\.1)/);
    const answered = await client.answer(id, await viewer.answer(offer.sdp), { negotiation: 1 });
    expect([answered.status, answered.body.state, answered.body.offer]).toEqual([
      200,
      'answered',
      null,
    ]);
    await until(async () => (await viewer.seen()).count > 1);
    expect(await viewer.seen()).toMatchObject({ width: 320, height: 192 });
    expect((await viewer.seen()).number).toBeWithin(30, 60);
    await until(async () => (await viewer.seen()).number === 59);
    expect((await client.get(id)).body.state).toBe('connected');
  });

  test('ST-088: is closed by its client', async () => {
    const project = await makeShortFilm(studio, me);
    const id = await watch(project.id);
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
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { originalPath } from '../../../storage/stored-file.ts';
import { seed, type TestUser } from '../../../../test/support/harness.ts';
import {
  createStreamClient,
  listStreamProcesses,
  LONELY_ANSWER,
  makeShortFilm,
  type StreamClient,
} from '../../../../test/support/streams.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { until } from '../../../../test/support/until.ts';
import { closeAbandonedStreams, stopStreams } from './supervisor.ts';

let studio: Studio;
let me: TestUser;
let client: StreamClient;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  me = await seed(studio.database).user();
  client = createStreamClient(studio, { as: me });
});
afterEach(() => stopStreams(studio.database.deps));

async function openFilm(as = client, assetId?: string) {
  const project = await makeShortFilm(studio, me, { known: assetId });
  const { body } = await as.open(project.id);
  return { project, id: body.id as string };
}

/** Resolves with the reason once the stream is closed, without asking for it as its client. */
async function waitForClose(id: string): Promise<string> {
  let reason: string | undefined;
  await until(async () => {
    const [row] = await studio.database
      .sql`select close_reason from studio_stream where id = ${id}`;
    reason = row!['close_reason'];
    return reason !== null;
  });
  return reason!;
}

const processes = () => listStreamProcesses(process.pid);

describe('an open stream is closed by itself', () => {
  test('when the session that opened it is logged out', async () => {
    const { id } = await openFilm(createStreamClient(studio, { session: me }));
    await studio.database.sql`delete from session where user_id = ${me.id}`;
    expect(await waitForClose(id)).toBe('access-lost');
    await until(() => processes().children.length === 0);
  });

  test('when the API key that opened it is deleted, or may no longer', async () => {
    const { sql } = studio.database;
    const { id, project } = await openFilm();
    await sql`update api_key set permissions = '{asset.read}' where user_id = ${me.id}`;
    expect(await waitForClose(id)).toBe('access-lost');
    await sql`update api_key set permissions = '{all}' where user_id = ${me.id}`;
    const again = await openFilm(client, project.assetId);
    await sql`delete from api_key where user_id = ${me.id}`;
    expect(await waitForClose(again.id)).toBe('access-lost');
  });

  test('when its account is deleted', async () => {
    const { id } = await openFilm();
    await studio.database.sql`update app_user set deleted_at = now() where id = ${me.id}`;
    expect(await waitForClose(id)).toBe('access-lost');
  });

  test('when its project is deleted', async () => {
    const { id, project } = await openFilm();
    await studio.database.sql`delete from studio_project where id = ${project.id}`;
    expect(await waitForClose(id)).toBe('access-lost');
  });

  test('ST-080: when the project is no longer shared with its account', async () => {
    const { sql } = studio.database;
    const friend = await seed(studio.database).user();
    const theirs = await makeShortFilm(studio, friend);
    const shared = await studio.share(friend, me, theirs);
    await sql`insert into album_asset (album_id, asset_id) values (${shared.albumId}, ${theirs.assetId})`;
    const { body } = await client.open(theirs.id);
    expect(body.state).toBe('waiting');
    await sql`delete from album_user where user_id = ${me.id}`;
    expect((await client.get(body.id)).body).toMatchObject({
      state: 'closed',
      closeReason: 'access-lost',
    });
  });

  test.each(['locked_at', 'trashed_at'])('when an item of it is %s', async (column) => {
    const { sql } = studio.database;
    const { id, project } = await openFilm();
    await sql`update asset set ${sql(column)} = now() where id = ${project.assetId}`;
    expect(await waitForClose(id)).toBe('source-unavailable');
  });

  test('when its child is killed', async () => {
    const { id } = await openFilm();
    for (const pid of processes().children) process.kill(pid, 'SIGKILL');
    expect(await waitForClose(id)).toBe('worker-lost');
    await until(() => processes().ffmpeg.length === 0);
  });

  test('when a video cannot be decoded', async () => {
    const assetId = await studio.add(me, 'broken.mp4');
    const project = await studio.makeProject(me, [assetId]);
    const { body } = await client.open(project.id);
    expect(await waitForClose(body.id)).toBe('error');
  });

  test('when the browser and the child do not understand each other', async () => {
    const { id } = await openFilm();
    const sdp = LONELY_ANSWER.replace('a=rtcp-mux\r\n', '');
    expect((await client.answer(id, sdp)).status).toBe(200);
    expect(await waitForClose(id)).toBe('negotiation-failed');
  });
});

describe('ST-087: a stream is closed in the place of a reconnection', () => {
  type Film = Awaited<ReturnType<typeof makeShortFilm>>;
  const closings: readonly [string, (project: Film) => Promise<unknown>][] = [
    [
      'access-lost',
      (project) => studio.database.sql`delete from studio_project where id = ${project.id}`,
    ],
    ['revision-superseded', (project) => studio.storeRevision(me, project)],
    ['source-unavailable', (project) => removeOriginal(project.assetId)],
    ['worker-lost', async () => processes().children.map((pid) => process.kill(pid, 'SIGKILL'))],
  ];
  test.each(closings)('%s', async (reason, change) => {
    const { id, project } = await openFilm();
    await client.answer(id, LONELY_ANSWER);
    await change(project);
    if (reason === 'worker-lost') await until(() => processes().children.length === 0);
    const { status, body } = await client.reconnect(id);
    expect([status, body.state, body.closeReason]).toEqual([200, 'closed', reason]);
  });

  async function removeOriginal(assetId: string): Promise<void> {
    const { sql, deps } = studio.database;
    const [row] = await sql`select sha256 from asset where id = ${assetId}`;
    await rm(originalPath(deps.paths, row!['sha256']));
  }
});

describe('opening is refused', () => {
  test('ER-014: for another revision, and with an item that is gone', async () => {
    const project = await makeShortFilm(studio, me);
    const other = await client.open(project.id, { revision: 2 });
    expect([other.status, other.body.code]).toEqual([409, 'revision_superseded']);
    expect(other.body.currentRevision).toBe(1);
    await studio.database.sql`update asset set locked_at = now() where id = ${project.assetId}`;
    const gone = await client.open(project.id);
    expect([gone.status, gone.body.code]).toEqual([409, 'source_unavailable']);
    expect(processes().children).toEqual([]);
  });

  test('ER-014, LM-036: above the most streams of an account, but not for the same project', async () => {
    const first = await openFilm();
    const { assetId } = first.project;
    await openFilm(client, assetId);
    const third = await makeShortFilm(studio, me, { known: assetId });
    const { status, body, headers } = await client.open(third.id);
    expect([status, body.code]).toEqual([429, 'session_limit']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await client.open(first.project.id)).status).toBe(201);
    expect((await client.get(first.id)).body.closeReason).toBe('superseded');
    await client.close((await client.open(first.project.id)).body.id);
    expect((await client.open(third.id)).status).toBe(201);
  });

  test('nobody else sees a stream, not even of a shared project', async () => {
    const { id, project } = await openFilm();
    const friend = await seed(studio.database).user();
    await studio.share(me, friend, project);
    const theirs = createStreamClient(studio, { as: friend });
    const refused = [
      theirs.get(id),
      theirs.answer(id, LONELY_ANSWER),
      theirs.move(id),
      theirs.reconnect(id),
    ];
    for (const { status } of await Promise.all([...refused, theirs.close(id)]))
      expect(status).toBe(404);
    expect((await client.get(id)).body.state).toBe('waiting');
    const key = await seed(studio.database).user(['asset.read']);
    expect((await createStreamClient(studio, { as: key }).open(project.id)).status).toBe(403);
  });
});

test('a server that starts closes what it and lost servers have left open, and nothing of others', async () => {
  const { sql, deps } = studio.database;
  const { id: own, project } = await openFilm();
  const address = 'http://127.0.0.1:1';
  const addNode = async (state: string, from: { host: string; address: string }) => {
    const id = Bun.randomUUIDv7();
    await sql`insert into node ${sql({ id, role: 'server', version: '1', state, ...from })}`;
    return id;
  };
  const elsewhere = { host: 'other', address };
  const owners = {
    former: await addNode('ready', { host: hostname(), address }),
    gone: await addNode('gone', elsewhere),
    forgotten: Bun.randomUUIDv7(),
    early: null,
    other: await addNode('ready', elsewhere),
  };
  const streams = await Promise.all(
    Object.entries(owners).map(async ([name, nodeId]) => {
      const id = Bun.randomUUIDv7();
      await sql`insert into studio_stream (id, project_id, revision, account_id, node_id,
          max_bitrate_kbps, created_at, polled_at)
        values (${id}, ${project.id}, 1, ${me.id}, ${nodeId}, 1000, now(), now())`;
      const folder = join(deps.paths.studio, 'streams', id);
      await mkdir(folder, { recursive: true });
      return { name, id, folder };
    }),
  );
  await closeAbandonedStreams(deps, address);
  const rows = await sql`select id, state, close_reason from studio_stream`;
  const found = streams.map(({ name, id, folder }) => {
    const { state, close_reason: reason } = rows.find((row) => row['id'] === id)!;
    return [name, state === 'closed' ? reason : state, existsSync(folder)];
  });
  expect(found).toEqual([
    ['former', 'worker-lost', false],
    ['gone', 'worker-lost', false],
    ['forgotten', 'worker-lost', false],
    ['early', 'worker-lost', false],
    ['other', 'starting', true],
  ]);
  expect((await client.get(own)).body.state).toBe('waiting');
  expect(existsSync(join(deps.paths.studio, 'streams', own))).toBe(true);
  await sql`truncate node`;
});

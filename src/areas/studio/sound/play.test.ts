import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { addBeeps } from '../../../../test/support/film-sounds.ts';
import { call, type Caller, seed, send, type TestUser } from '../../../../test/support/harness.ts';
import { listSoundProcesses } from '../../../../test/support/streams.ts';
import { openStudio, type Project, type Studio } from '../../../../test/support/studio.ts';
import { until } from '../../../../test/support/until.ts';
import { stopPlayers } from './players.ts';

let studio: Studio;
let me: TestUser;
let assetId: string;
let project: Project;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  me = await seed(studio.database).user();
  assetId = await addBeeps(studio, me.id, { seconds: 90 });
  project = await studio.makeProject(me, [assetId]);
});
afterEach(() => stopPlayers(studio.database.deps));

const toPath = (id: string, revision = 1, query = ''): `GET /${string}` =>
  `GET /studio/projects/${id}/revisions/${revision}/sound${query}`;
const ask = (id = project.id, revision = 1, caller: Caller = { as: me }) =>
  call(studio.app, toPath(id, revision), caller);

/** Begins to play a film of a minute, of which most is sent in real time. */
async function play(id = project.id, caller: Caller = { as: me }) {
  const response = await send(studio.app, toPath(id), caller);
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  /** Resolves with whether it was cut off. */
  const readToEnd = async (): Promise<boolean> => {
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read());
      return false;
    } catch {
      return true;
    }
  };
  return { response, begin: value!, readToEnd, leave: () => reader.cancel() };
}

const processes = () => listSoundProcesses(process.pid);
const isQuiet = () => until(() => processes().length === 0);

describe('the sound of a film is played', () => {
  test('to its owner, and leaves no process when the client goes', async () => {
    const { response, begin, leave } = await play();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/webm');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    // As each file of Matroska begins.
    expect(Buffer.from(begin.subarray(0, 4)).toString('hex')).toBe('1a45dfa3');
    expect(processes().length).toBeGreaterThan(0);
    await leave();
    await isQuiet();
  });

  test('to the end, from a time just before it', async () => {
    const reply = await send(studio.app, toPath(project.id, 1, '?numerator=119&denominator=2'), {
      as: me,
    });
    expect((await reply.bytes()).length).toBeGreaterThan(1000);
    await isQuiet();
    const late = await call(studio.app, toPath(project.id, 1, '?numerator=61'), { as: me });
    expect([late.status, late.body]).toEqual([204, undefined]);
    const wrong = await call(studio.app, toPath(project.id, 1, '?denominator=0'), { as: me });
    expect(wrong.status).toBe(400);
  });

  test('to members of the album who may see its items, and to nobody else', async () => {
    const { sql } = studio.database;
    const [friend, stranger] = [
      await seed(studio.database).user(),
      await seed(studio.database).user(),
    ];
    const { albumId } = await studio.share(me, friend, project);
    const refused = await ask(project.id, 1, { as: friend });
    expect([refused.status, refused.body.code]).toEqual([409, 'source_unavailable']);
    await sql`insert into album_asset (album_id, asset_id) values (${albumId}, ${assetId})`;
    const { response, leave } = await play(project.id, { as: friend });
    expect(response.status).toBe(200);
    await leave();
    expect((await ask(project.id, 1, { as: stranger })).status).toBe(404);
    const weak = await seed(studio.database).user(['asset.read']);
    expect((await ask(project.id, 1, { as: weak })).status).toBe(403);
    expect((await ask(project.id, 1, {})).status).toBe(401);
    await sql`update album_user set role = 'viewer' where user_id = ${friend.id}`;
    await (await play(project.id, { as: friend })).leave();
    await sql`delete from album_user where user_id = ${friend.id}`;
    expect((await ask(project.id, 1, { as: friend })).status).toBe(404);
  });

  test('of its current revision only', async () => {
    expect((await ask(project.id, 2)).status).toBe(404);
    await studio.storeRevision(me, project);
    const { status, body } = await ask();
    expect([status, body.code, body.currentRevision]).toEqual([409, 'revision_superseded', 2]);
    expect((await ask(crypto.randomUUID())).status).toBe(404);
  });

  test('while its items are there', async () => {
    const { sql, deps } = studio.database;
    await sql`update asset set trashed_at = now() where id = ${assetId}`;
    expect((await ask()).body.code).toBe('source_unavailable');
    await sql`update asset set trashed_at = null where id = ${assetId}`;
    const mute = await studio.add(me, 'short.mp4');
    const silent = await studio.makeProject(me, [mute]);
    expect((await ask(silent.id)).status).toBe(204);
    await rm(deps.paths.originals, { recursive: true });
    expect((await ask()).body.code).toBe('source_unavailable');
  });
});

describe('what is played ends by itself', () => {
  const endsWhen = async (change: () => Promise<unknown>, caller?: Caller) => {
    const { readToEnd } = await play(project.id, caller);
    await change();
    expect(await readToEnd()).toBe(true);
    await isQuiet();
  };

  test('when the session is logged out, or the project is not shared any more', async () => {
    const { sql } = studio.database;
    await endsWhen(() => sql`delete from session where user_id = ${me.id}`, { session: me });
    await endsWhen(() => sql`delete from api_key where user_id = ${me.id}`);
  });

  test('when an item is locked, or another revision stored', async () => {
    const { sql } = studio.database;
    await endsWhen(() => sql`update asset set locked_at = now() where id = ${assetId}`);
    await sql`update asset set locked_at = null where id = ${assetId}`;
    await endsWhen(() => studio.storeRevision(me, project));
  });

  test('before it has begun, when the account plays the same film elsewhere: one of both is played', async () => {
    const both = await Promise.all([
      send(studio.app, toPath(project.id), { as: me }),
      send(studio.app, toPath(project.id), { as: me }),
    ]);
    const [played, refused] = both.toSorted((a, b) => a.status - b.status);
    expect([played!.status, refused!.status]).toEqual([200, 409]);
    expect(await refused!.json()).toMatchObject({ code: 'superseded' });
    await played!.body!.cancel();
    await isQuiet();
  });

  test('when the account plays the same film elsewhere, or the server stops', async () => {
    const first = await play();
    const second = await play();
    expect(await first.readToEnd()).toBe(true);
    await stopPlayers(studio.database.deps);
    expect(processes()).toEqual([]);
    expect(await second.readToEnd()).toBe(true);
  });
});

test('an account plays the sounds of two films at most, and of another when one has ended', async () => {
  const [second, third] = [
    await studio.makeProject(me, [assetId]),
    await studio.makeProject(me, [assetId]),
  ];
  const { leave } = await play();
  await play(second.id);
  const { status, body, headers } = await ask(third.id);
  expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'session_limit', '5']);
  await leave();
  expect((await play(third.id)).response.status).toBe(200);
});

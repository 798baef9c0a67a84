import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, createCtx, seed, send, createSession } from '../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { silentLog } from '../../core/log.ts';
import { startListener } from '../../http/listener.ts';
import { createStack } from './domain.ts';

const { database, app } = await useApp();

const photos = (ownerId: string, count: number, more = {}) =>
  Promise.all(Array.from({ length: count }, () => seed(database).asset({ ownerId, ...more })));

type Made = { readonly id: string; readonly primaryId: string };

/** Many stacks of two at once, all of one moment, as they are listed. */
async function manyStacks(ownerId: string, count: number): Promise<Made[]> {
  const [model] = await photos(ownerId, 1);
  const { sql } = database;
  await sql`
      with made as (
        select gen_random_uuid() as stack_id, gen_random_uuid() as first_id,
          gen_random_uuid() as second_id from generate_series(1, ${count})
      ), stacks as (
        insert into stack (id, owner_id, primary_id, created_at)
        select stack_id, ${ownerId}, first_id, '2026-01-01' from made
      )
      insert into asset (id, owner_id, type, sha256, sha1, file_name, file_size, taken_at,
        local_taken_at, file_modified_at, stack_id, is_stack_child)
      select member.id, asset.owner_id, asset.type, asset.sha256,
        substring(sha256(member.id::text::bytea), 1, 20), asset.file_name, asset.file_size,
        asset.taken_at, asset.local_taken_at, asset.file_modified_at, made.stack_id,
        member.id = made.second_id
      from made cross join lateral (values (first_id), (second_id)) member (id)
        join asset on asset.id = ${model!}`;
  return sql<Made[]>`
    select id, primary_id as "primaryId" from stack where owner_id = ${ownerId} order by id desc`;
}

/** As a listing shows it: like Immich without the relations of the asset. */
const toListed = ({ tags: _tags, owner: _owner, ...asset }: Record<string, unknown>) => ({
  ...asset,
  people: [],
  stack: null,
});

test('GET /stacks lists each stack once, newest first, beyond one page', async () => {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const made = await manyStacks(me.id, 1120);
  const [merged, kept] = [made.slice(0, 510), made.slice(510)];
  const theirs = await createStack(
    createCtx(database, createSession(other.id)),
    await photos(other.id, 2),
  );
  const ctx = createCtx(database, createSession(me.id, { unlocked: true }));
  const [large, locked, trashed, small] = [
    await createStack(
      ctx,
      merged.map((stack) => stack.primaryId),
    ),
    await createStack(ctx, await photos(me.id, 2, { lockedAt: new Date() })),
    await createStack(ctx, await photos(me.id, 2)),
    await createStack(ctx, await photos(me.id, 3)),
  ];
  await database.sql`update asset set trashed_at = now() where stack_id = ${trashed.id}`;

  const text = await (await send(app, 'GET /stacks', { as: me })).text();
  // Longer than what is remembered.
  expect(text.length).toBeGreaterThan(2_000_000);
  const body = JSON.parse(text);
  expect(text).toBe(JSON.stringify(body));
  const ids = body.map(({ id }: { id: string }) => id);
  expect(ids).toEqual([small.id, large.id, ...kept.map((stack) => stack.id)]);
  expect(body[1].assets).toHaveLength(1020);
  for (const id of [theirs.id, locked.id, trashed.id]) expect(ids).not.toContain(id);
  for (const n of [0, 1, 2, 499, 500, 501, 502, 611]) {
    const { body: whole } = await call(app, `GET /stacks/${ids[n]}`, { as: me });
    expect(body[n]).toEqual({ ...whole, assets: whole.assets.map(toListed) });
  }
}, 300_000);

test('GET /stacks/:id shows each member as GET /assets/:id does, the list without relations', async () => {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const [a, b, c, d] = await photos(me.id, 4);
  const ctx = createCtx(database, createSession(me.id, { unlocked: true }));
  await createStack(ctx, [a!, b!, c!, d!]);
  const { sql } = database;
  await sql`update asset set locked_at = now() where id = ${d!}`;
  await sql`update asset set visibility = 'archive' where id = ${c!}`;
  for (const [ownerId, value] of [
    [me.id, 'b'],
    [me.id, 'a'],
    [other.id, 'theirs'],
  ]) {
    await sql`with made as (insert into tag (owner_id, value) values (${ownerId!}, ${value!}) returning id)
      insert into tag_asset (tag_id, asset_id) select made.id, asset.id
      from made, asset where asset.id in (${a!}, ${b!})`;
  }
  const addNamed = async (ownerId: string, name: string) =>
    (await addPerson(database, { ownerId, name })).id;
  const [ann, bob, theirs] = [
    await addNamed(me.id, 'Ann'),
    await addNamed(me.id, 'Bob'),
    await addNamed(other.id, 'Theirs'),
  ];
  const face = { ownerId: me.id, assetId: a! };
  for (const personId of [bob, ann, ann, theirs]) await addFace(database, { ...face, personId });
  await addFace(database, { ...face, assetId: b!, personId: bob, isHidden: true });

  const [listed] = (await call(app, 'GET /stacks', { as: me })).body;
  const { body: stack } = await call(app, `GET /stacks/${listed.id}`, { as: me });
  expect(listed).toEqual({ ...stack, assets: stack.assets.map(toListed) });
  const named = await call(app, `GET /stacks?primaryAssetId=${listed.primaryAssetId}`, { as: me });
  expect(named.body).toEqual([listed]);
  const ids = new Set(stack.assets.map(({ id }: { id: string }) => id));
  expect(ids).toEqual(new Set([a, b, c]));
  for (const shown of stack.assets) {
    expect(shown).toEqual((await call(app, `GET /assets/${shown.id}`, { as: me })).body);
  }
  const getMembers = (id: string, members: string, key: string) =>
    stack.assets
      .find((asset: { id: string }) => asset.id === id)
      [members].map((value: Record<string, string>) => value[key]);
  expect(getMembers(a!, 'tags', 'value')).toEqual(['a', 'b']);
  expect(getMembers(a!, 'people', 'name')).toEqual(['Ann', 'Bob']);
  expect(getMembers(b!, 'people', 'name')).toEqual([]);
});

test('cancels the query of a client that disconnects', async () => {
  const me = await seed(database).user();
  const [a, b] = await photos(me.id, 2);
  await createStack(createCtx(database, createSession(me.id)), [a!, b!]);
  const listener = await startListener({
    fetch: (request) => app.handle(request),
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
  });
  const waiting = async () => {
    const rows = await database.sql`
      select query from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return rows.length;
  };
  const until = async (count: number) => {
    while ((await waiting()) !== count) await Bun.sleep(5);
  };
  await database.sql.begin(async (tx) => {
    await tx`lock table stack in access exclusive mode`;
    const gone = new AbortController();
    const asked = fetch(`${listener.url}/api/stacks`, {
      headers: { 'x-api-key': me.key },
      signal: gone.signal,
    }).catch((error: Error) => error.name);
    await until(1);
    gone.abort();
    expect(await asked).toBe('AbortError');
    // While the table is still locked: it did not come to an end by itself.
    await until(0);
  });
  expect(await listener.stop(5000)).toBe('clean');
  expect((await call(app, 'GET /stacks', { as: me })).body).toHaveLength(1);
});

import { useApp } from '../../../test/support/database.ts';
import { unlock } from '../../../test/support/household.ts';
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { sessions } from '../../db/tables/identity.ts';

const { database, app } = await useApp();
let alice: TestUser;
let bob: TestUser;
beforeAll(async () => {
  alice = await seed(database).user(['all'], { name: 'Alice', passwordHash: '$argon2id$secret' });
  bob = await seed(database).user(['all'], { name: 'Bob' });
});

describe('preferences', () => {
  const read = async (me: TestUser) =>
    (await call(app, 'GET /users/me/preferences', { session: me })).body;
  const write = (me: TestUser, body: object) =>
    call(app, 'PUT /users/me/preferences', { session: me, body });

  test('are complete from the start, and a change keeps the omitted ones', async () => {
    const me = await seed(database).user();
    const before = await read(me);
    expect(before).toMatchObject({
      albums: { defaultAssetOrder: 'desc' },
      download: { archiveSize: 4 * 1024 ** 3, includeEmbeddedVideos: false },
      memories: { enabled: true, duration: 5 },
      lockedContent: { filterEnabled: false, ruleCount: 0 },
    });
    expect(Object.keys(before)).toHaveLength(14);

    const changed = await write(me, { memories: { duration: 9 }, tags: { enabled: true } });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...before,
      memories: { ...before.memories, duration: 9 },
      tags: { ...before.tags, enabled: true },
    });
    await write(me, { memories: { enabled: false } });
    expect((await read(me)).memories).toMatchObject({ enabled: false, duration: 9 });
    expect((await read(bob)).memories.duration).toBe(5);
  });

  test('of two concurrent changes both are stored', async () => {
    const me = await seed(database).user();
    await Promise.all([
      write(me, { tags: { enabled: true } }),
      write(me, { folders: { enabled: true } }),
      write(me, { ratings: { enabled: true } }),
    ]);
    expect(await read(me)).toMatchObject({
      tags: { enabled: true },
      folders: { enabled: true },
      ratings: { enabled: true },
    });
  });

  test('the avatar color is that of the account', async () => {
    const me = await seed(database).user();
    await write(me, { avatar: { color: 'green' } });
    expect((await call(app, 'GET /users/me', { as: me })).body.avatarColor).toBe('green');
  });

  for (const [name, body] of [
    ['an unknown group', { sounds: { enabled: true } }],
    ['a duration of nothing', { memories: { duration: 0 } }],
    ['a word for a flag', { tags: { enabled: 'maybe' } }],
  ] as const) {
    test(`${name} → 400`, async () => {
      expect((await write(alice, body)).status).toBe(400);
    });
  }

  test('content rules are shown and changed only after the PIN was entered', async () => {
    const me = await seed(database).user();
    const rule = { id: crypto.randomUUID(), kind: 'date', date: '02-29' };
    const body = { lockedContent: { filterEnabled: true, rules: [rule] } };
    expect(await write(me, body)).toMatchObject({
      status: 401,
      body: { message: 'Elevated permission is required' },
    });
    expect((await read(me)).lockedContent).toEqual({ filterEnabled: false, ruleCount: 0 });

    await database.db
      .update(sessions)
      .set({ elevatedUntil: new Date(NOW.getTime() + 10 * 60_000) })
      .where(eq(sessions.userId, me.id));
    const stored = { filterEnabled: true, ruleCount: 1, rules: [rule] };
    expect((await write(me, body)).body.lockedContent).toEqual(stored);
    expect((await read(me)).lockedContent).toEqual(stored);
    // The key knows no PIN.
    expect((await call(app, 'GET /users/me/preferences', { as: me })).body.lockedContent).toEqual({
      filterEnabled: true,
      ruleCount: 1,
    });
    for (const [wrong, field] of [
      [{ ...rule, date: '13-01' }, 'date'],
      [{ ...rule, date: '02-30' }, 'date'],
      [{ ...rule, date: '04-31' }, 'date'],
      [{ id: rule.id, kind: 'date' }, 'date'],
      [{ id: rule.id, kind: 'person' }, 'targetId'],
    ] as const) {
      const reply = await write(me, { lockedContent: { rules: [rule, wrong] } });
      const { path } = reply.body.errors[0];
      expect([wrong, reply.status, path.map(String)]).toEqual([
        wrong,
        400,
        ['lockedContent', 'rules', '1', field],
      ]);
    }
  });

  test('a rule names an object of the caller, or an album that the caller may open', async () => {
    const [me, other] = [await seed(database).user(), await seed(database).user()];
    await unlock(database, me);
    const { sql } = database;
    const own = async (ownerId: string) => {
      const [person] = await sql`insert into person (owner_id) values (${ownerId}) returning id`;
      const [tag] = await sql`
        insert into tag (owner_id, value) values (${ownerId}, 't') returning id`;
      const [album] = await sql`
        insert into album (owner_id, name) values (${ownerId}, 'a') returning id`;
      const [pet] = await sql`
        insert into pet (owner_id, species) values (${ownerId}, 'dog') returning id`;
      return { person: person!['id'], tag: tag!['id'], album: album!['id'], pet: pet!['id'] };
    };
    const [mine, foreign] = [await own(me.id), await own(other.id)];
    const rule = (kind: string, targetId: string) => ({ id: crypto.randomUUID(), kind, targetId });
    const rules = Object.entries(mine).map(([kind, id]) => rule(kind, id));
    const save = (list: object[]) => write(me, { lockedContent: { rules: list } });
    expect((await save(rules)).body.lockedContent.rules).toEqual(rules);
    for (const [kind, id] of Object.entries(foreign)) {
      for (const targetId of [id, crypto.randomUUID()]) {
        const reply = await save([...rules, rule(kind, targetId)]);
        expect([kind, reply.status, reply.body.errors]).toEqual([
          kind,
          400,
          [
            {
              code: 'custom',
              path: ['lockedContent', 'rules', 4, 'targetId'],
              message: `No ${kind} with this id`,
            },
          ],
        ]);
      }
    }
    // An object that has been deleted since may stay in the list.
    await sql`delete from tag where id = ${mine.tag}`;
    expect((await save(rules)).status).toBe(200);
    await sql`insert into album_user (album_id, user_id, role) values (${foreign.album}, ${me.id}, 'viewer')`;
    expect((await save([rule('album', foreign.album)])).status).toBe(200);
  });
});

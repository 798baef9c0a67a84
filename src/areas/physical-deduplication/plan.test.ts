import { beforeEach, describe, expect, test } from 'bun:test';
import { link, mkdir, readdir, rename, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { writeFiles } from '../../../test/support/libraries.ts';
import {
  createDeduplication,
  listCopies,
  removeHouseholds,
  toDecisions,
} from '../../../test/support/physical-deduplication.ts';
import { addFile } from '../../../test/support/processing.ts';
import { originalPath } from '../../storage/stored-file.ts';
import { toSha256 } from '../../../test/support/forms.ts';
import type { Plan } from './schemas.ts';

const { database, app } = await useApp();
let admin: TestUser;
let plans: ReturnType<typeof createDeduplication>;
beforeEach(async () => {
  await removeHouseholds(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
  plans = createDeduplication(database, app, admin);
});

const readRows = async () =>
  JSON.stringify([
    await database.sql`select * from asset order by id`,
    await database.sql`select * from original order by sha256`,
    await database.sql`select * from library_file order by id`,
  ]);
const sha1 = (text: string) => new Bun.CryptoHasher('sha1').update(text).digest('base64');

describe('a preview', () => {
  test('ST-092: two accounts with the same file are one group; no file and no row changes', async () => {
    const a = await plans.addHousehold({ 'x/same.jpg': 'same bytes', 'only-a.jpg': 'a' });
    const b = await plans.addHousehold({ 'copy.jpg': 'same bytes', 'only-b.jpg': 'b' });
    const before = await readRows();
    expect(await plans.read()).toEqual({ status: 'none', plan: null, applies: [], error: null });
    const { status, body } = await plans.startPreview({ retainUserId: a.user.id });
    expect([status, body]).toEqual([204, undefined]);
    expect((await plans.read()).status).toBe('queued');
    await plans.drain();
    const found = await plans.read();
    expect(found).toMatchObject({ status: 'ready', applies: [], error: null });
    expect(found.plan).toMatchObject({
      status: 'previewed',
      retainUserId: a.user.id,
      reviewUserId: null,
      masterUserId: null,
      reviewedAt: null,
      reclaimableBytes: 10,
      sharedBytes: 0,
    });
    expect(found.plan.groups).toEqual([
      {
        id: expect.any(String),
        checksum: sha1('same bytes'),
        sizeInBytes: 10,
        retained: expect.objectContaining({
          ownerId: a.user.id,
          path: join(a.folder, 'x/same.jpg'),
        }),
        copies: [
          {
            id: expect.any(String),
            assetId: await plans.findItem(b, 'copy.jpg'),
            ownerId: b.user.id,
            ownerName: 'user',
            path: join(b.folder, 'copy.jpg'),
            sizeInBytes: 10,
            checksum: sha1('same bytes'),
            referenceCount: expect.any(Number),
            decision: 'undecided',
            isThumbnailVisible: false,
            problem: null,
          },
        ],
      },
    ]);
    expect(await readRows()).toBe(before);
    expect(await readdir(b.folder)).toEqual(expect.arrayContaining(['copy.jpg', 'only-b.jpg']));
    expect(await readdir(database.deps.paths.removed).catch(() => [])).toEqual([]);
  });

  test('tells what uploads share already, and retains the file in our store', async () => {
    const b = await plans.addHousehold({ 'copy.jpg': 'same bytes' });
    const bytes = Buffer.from('same bytes');
    const other = await seed(database).user();
    for (const ownerId of [admin.id, other.id]) {
      await addFile(database, { name: 'up.jpg', bytes }, { ownerId });
    }
    await database.sql`update original set path = null, size = 10`;
    const plan = await plans.preview();
    expect(plan).toMatchObject({ sharedBytes: 10, reclaimableBytes: 10 });
    expect(plan.groups).toHaveLength(1);
    expect(plan.groups[0]!.retained).toMatchObject({
      path: originalPath(database.deps.paths, toSha256(bytes)),
      referenceCount: 3,
    });
    expect(listCopies(plan).map(({ path }) => path)).toEqual([join(b.folder, 'copy.jpg')]);
    // Uploads alone have one file.
    await database.sql`delete from library_file`;
    expect(await plans.preview()).toMatchObject({ sharedBytes: 10, groups: [] });
  });

  test('lists no file of the account to retain, and only copies of the account to review', async () => {
    const files = { 'one.jpg': 'same bytes', 'two.jpg': 'same bytes' };
    const [a, b, c] = [
      await plans.addHousehold(files),
      await plans.addHousehold(files),
      await plans.addHousehold(files),
    ];
    const owners = (plan: Plan) => listCopies(plan).map(({ ownerId }) => ownerId);
    expect(owners(await plans.preview())).toHaveLength(5);
    const retaining = await plans.preview({ retainUserId: c.user.id });
    expect(retaining.groups[0]!.retained.ownerId).toBe(c.user.id);
    expect(owners(retaining)).toHaveLength(4);
    expect(new Set(owners(retaining))).toEqual(new Set([a.user.id, b.user.id]));
    const reviewing = await plans.preview({ reviewUserId: a.user.id });
    expect(owners(reviewing)).toEqual([a.user.id, a.user.id]);
    const both = await plans.preview({ retainUserId: b.user.id, reviewUserId: a.user.id });
    expect(both.groups[0]!.retained.ownerId).toBe(b.user.id);
    expect(owners(both)).toEqual([a.user.id, a.user.id]);
    await plans.configure('leave', b.user.id);
    expect((await plans.preview()).groups[0]!.retained.ownerId).toBe(b.user.id);
  });

  test('leaves out another name of the same file, and items in the trash', async () => {
    const a = await plans.addHousehold({ 'one.jpg': 'same bytes', 'other.jpg': 'other bytes' });
    await link(join(a.folder, 'one.jpg'), join(a.folder, 'hard-link.jpg'));
    await writeFiles(a.folder, { 'trashed.jpg': 'other bytes' });
    await plans.scan(a);
    expect(listCopies(await plans.preview())).toHaveLength(1);
    const trashed = await plans.findItem(a, 'trashed.jpg');
    await database.sql`update asset set trashed_at = now() where id = ${trashed}`;
    expect((await plans.preview()).groups).toEqual([]);
  });

  test('is read in pages, the largest files first', async () => {
    const files = Object.fromEntries(
      [5, 1, 9, 7, 3].flatMap((size) =>
        ['a', 'b'].map((name) => [`${name}${size}.jpg`, 'x'.repeat(size)]),
      ),
    );
    await plans.addHousehold(files);
    const { groups } = await plans.preview();
    expect(groups.map(({ sizeInBytes }) => sizeInBytes)).toEqual([9, 7, 5, 3, 1]);
    const page = async (query: string) =>
      (await call(app, `GET /admin/physical-deduplication/preview?${query}`, { as: admin })).body
        .plan.groups;
    expect(await page('limit=0')).toEqual([]);
    expect(await page('limit=2')).toEqual(groups.slice(0, 2));
    expect(await page(`limit=2&after=${groups[1]!.id}`)).toEqual(groups.slice(2, 4));
    expect(await page(`after=${groups[3]!.id}`)).toEqual(groups.slice(4));
    expect(await page(`after=${crypto.randomUUID()}`)).toEqual([]);
  });

  test('VS-007: shows a thumbnail only while the administrator may see the item', async () => {
    const a = await plans.addHousehold({ 'same.jpg': 'same bytes' });
    const b = await plans.addHousehold({ 'copy.jpg': 'same bytes' });
    await plans.preview({ retainUserId: a.user.id });
    const isVisible = async (as = admin) =>
      listCopies((await plans.read(as)).plan)[0]!.isThumbnailVisible;
    expect(await isVisible()).toBe(false);
    const assetId = await plans.findItem(b, 'copy.jpg');
    const album = await call(app, 'POST /albums', {
      as: b.user,
      body: {
        albumName: 'shared',
        assetIds: [assetId],
        albumUsers: [{ userId: admin.id, role: 'viewer' }],
      },
    });
    expect(album.status).toBe(201);
    expect(await isVisible()).toBe(true);
    const other = await seed(database).user(['all'], { isAdmin: true });
    expect(await isVisible(other)).toBe(false);
    await database.sql`update asset set locked_at = now() where id = ${assetId}`;
    expect(await isVisible()).toBe(false);
  });

  test('refuses accounts that do not exist, and one in both roles', async () => {
    const unknown = crypto.randomUUID();
    for (const body of [
      { retainUserId: unknown },
      { reviewUserId: unknown },
      { retainUserId: admin.id, reviewUserId: admin.id },
      { retainUserId: 'x' },
      { masterUserId: admin.id },
    ]) {
      const { status } = await plans.startPreview(body);
      expect([body, status]).toEqual([body, 400]);
    }
    expect((await plans.read()).status).toBe('none');
  });
});

describe('a review', () => {
  const prepare = async () => {
    const a = await plans.addHousehold({ 'one.jpg': 'same bytes', 'big.jpg': 'more same bytes' });
    const b = await plans.addHousehold({ 'two.jpg': 'same bytes', 'big2.jpg': 'more same bytes' });
    const plan = await plans.preview({ retainUserId: a.user.id });
    return { a, b, plan };
  };
  const toReview = (plan: Plan, decision = 'approve') => ({
    planId: plan.id,
    fingerprint: plan.fingerprint,
    decisions: toDecisions(plan, decision),
  });

  test('ST-093: saves the decisions, bound to the plan, and counts them', async () => {
    const { plan } = await prepare();
    const [big, small] = listCopies(plan);
    const { planId, fingerprint } = toReview(plan);
    const decide = (copyId: string, decision: string) =>
      plans.review({ planId, fingerprint, decisions: [{ copyId, decision }] });
    expect(await decide(big!.id, 'approve')).toMatchObject({
      status: 200,
      body: {
        planId,
        fingerprint,
        status: 'reviewed',
        reviewedAt: database.deps.now().toISOString(),
        approved: 1,
        rejected: 0,
        undecided: 1,
        reclaimableBytes: 15,
      },
    });
    expect((await decide(small!.id, 'reject')).body).toMatchObject({ approved: 1, rejected: 1 });
    const { plan: saved } = await plans.read();
    expect(saved).toMatchObject({ id: plan.id, fingerprint, status: 'reviewed' });
    expect(listCopies(saved).map(({ decision }) => decision)).toEqual(['approve', 'reject']);
    expect((await decide(big!.id, 'undecided')).body).toMatchObject({ approved: 0, undecided: 1 });
  });

  test('refuses a decision about what is no copy of the plan, and two about one', async () => {
    const { plan } = await prepare();
    const { planId, fingerprint } = toReview(plan);
    const [copy] = listCopies(plan);
    const bad = [
      [{ copyId: crypto.randomUUID(), decision: 'approve' }],
      [{ copyId: plan.groups[0]!.retained.id, decision: 'approve' }],
      [
        { copyId: copy!.id, decision: 'approve' },
        { copyId: copy!.id, decision: 'reject' },
      ],
      [],
    ];
    for (const decisions of bad) {
      expect((await plans.review({ planId, fingerprint, decisions })).status).toBe(400);
    }
    const unknown = { ...toReview(plan), planId: crypto.randomUUID() };
    expect(await plans.review(unknown)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await plans.read()).plan.status).toBe('previewed');
  });

  test('ST-094: 409 plan_superseded when a newer preview exists', async () => {
    const { plan } = await prepare();
    const newer = await plans.preview();
    expect(newer.id).not.toBe(plan.id);
    const refused = { status: 409, body: { code: 'plan_superseded' } };
    expect(await plans.review(toReview(plan))).toMatchObject(refused);
    expect((await plans.review(toReview(newer))).status).toBe(200);
  });

  test('ST-095: 409 plan_already_applied', async () => {
    const { plan } = await prepare();
    await plans.configure();
    await plans.apply(plan);
    expect((await plans.read()).plan.status).toBe('applied');
    const refused = { status: 409, body: { code: 'plan_already_applied' } };
    expect(await plans.review(toReview(plan))).toMatchObject(refused);
  });

  test.each<[string, (path: string, otherPath: string) => Promise<unknown>]>([
    [
      'checksum',
      (path) => writeFiles(dirname(path), { 'two.jpg': 'other byte' }).then(() => touch(path)),
    ],
    [
      'owner',
      async () => {
        const { id } = await seed(database).user();
        await database.sql`update asset set owner_id = ${id} where file_name = 'two.jpg'`;
      },
    ],
    [
      'path',
      async (path) => {
        await mkdir(join(dirname(path), 'moved'));
        await rename(path, join(dirname(path), 'moved/two.jpg'));
      },
    ],
    [
      'reference count',
      (path, otherPath) =>
        database.sql`update original set path = ${otherPath} where path = ${path}`,
    ],
  ])(
    'ST-096: 409 evidence_changed after the %s has changed; no decision is stored',
    async (_what, change) => {
      const { a, b, plan } = await prepare();
      await change(join(b.folder, 'two.jpg'), join(a.folder, 'one.jpg'));
      await plans.scan(b);
      const refused = { status: 409, body: { code: 'evidence_changed' } };
      expect(await plans.review(toReview(plan))).toMatchObject(refused);
      const { plan: after } = await plans.read();
      expect(after.status).toBe('previewed');
      expect(listCopies(after).map(({ decision }) => decision)).toEqual(['undecided', 'undecided']);
    },
  );

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['is written to', (path) => writeFile(path, 'other byte')],
    ['is renamed', (path) => rename(path, `${path}.old`)],
    [
      'is replaced by a link',
      (path) => rename(path, `${path}.old`).then(() => symlink(`${path}.old`, path)),
    ],
    ['has another time', (path) => touch(path)],
  ])('409 evidence_changed before any scan when a copy %s', async (_what, change) => {
    const { b, plan } = await prepare();
    await change(join(b.folder, 'two.jpg'));
    const refused = { status: 409, body: { code: 'evidence_changed' } };
    expect(await plans.review(toReview(plan))).toMatchObject(refused);
    expect((await plans.read()).plan.status).toBe('previewed');
  });

  test('409 evidence_changed for another fingerprint, and when the retained file is gone', async () => {
    const { a, plan } = await prepare();
    const refused = { status: 409, body: { code: 'evidence_changed' } };
    const stale = { ...toReview(plan), fingerprint: '0'.repeat(64) };
    expect(await plans.review(stale)).toMatchObject(refused);
    await unlink(join(a.folder, 'one.jpg'));
    await plans.scan(a);
    expect(await plans.review(toReview(plan))).toMatchObject(refused);
  });
});

const touch = (path: string) => utimes(path, 1_700_000_001, 1_700_000_001);

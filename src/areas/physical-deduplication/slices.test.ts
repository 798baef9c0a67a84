import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { toSha256 } from '../../../test/support/forms.ts';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import {
  createDeduplication,
  listCopies,
  removeHouseholds,
} from '../../../test/support/physical-deduplication.ts';
import { addFile } from '../../../test/support/processing.ts';
import { SLICES } from './preview.store.ts';
import type { Copy } from './schemas.ts';

const { database, app } = await useApp();
let admin: TestUser;
let plans: ReturnType<typeof createDeduplication>;
beforeEach(async () => {
  await removeHouseholds(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
  plans = createDeduplication(database, app, admin);
});

/** The first bits of their digests take all values. */
const CONTENTS = Array.from({ length: 16 }, (_, n) => `content ${n}`);
const TOTAL_BYTES = CONTENTS.join('').length;
const toFiles = (folder: string) =>
  Object.fromEntries(CONTENTS.map((content, n) => [`${folder}/${n}.jpg`, content]));
const toNames = (copies: Copy[]) => new Set(copies.map(({ path }) => path.split('/').at(-1)));

test('a preview has the copies of every range of digests once, and the sums of all ranges', async () => {
  const ranges = CONTENTS.map((content) => toSha256(Buffer.from(content))[0]! >> 6);
  expect(new Set(ranges).size).toBe(SLICES);
  const a = await plans.addHousehold({ ...toFiles('x'), 'x/single.jpg': 'not copied' });
  const b = await plans.addHousehold(toFiles('y'));
  const plan = await plans.preview({ retainUserId: a.user.id });
  expect(plan.reclaimableBytes).toBe(TOTAL_BYTES);
  expect(plan.sharedBytes).toBe(0);
  expect(plan.groups).toHaveLength(CONTENTS.length);
  expect(plan.groups.every(({ copies }) => copies.length === 1)).toBe(true);
  const names = new Set(CONTENTS.map((_, n) => `${n}.jpg`));
  expect(toNames(listCopies(plan))).toEqual(names);
  expect(listCopies(plan)).toHaveLength(CONTENTS.length);
  expect(listCopies(plan).every(({ ownerId }) => ownerId === b.user.id)).toBe(true);
  expect(toNames(plan.groups.map(({ retained }) => retained))).toEqual(names);
});

test('bytes that uploads share are summed over all ranges, without those of single uploads', async () => {
  await plans.addHousehold(toFiles('x'));
  const other = await seed(database).user();
  for (const [n, content] of CONTENTS.entries()) {
    const upload = { name: `${n}.jpg`, bytes: Buffer.from(content) };
    await addFile(database, upload, { ownerId: admin.id });
    if (n !== 3) await addFile(database, upload, { ownerId: other.id });
  }
  await database.sql`update original set path = null, size = length(${'content 0'})`;
  const plan = await plans.preview();
  expect(plan.sharedBytes).toBe('content 0'.length * (CONTENTS.length - 1));
  expect(plan.groups).toHaveLength(CONTENTS.length);
});

test('each preview has ids and a fingerprint of its own, and the one before cannot be reviewed', async () => {
  await plans.addHousehold(toFiles('x'));
  await plans.addHousehold(toFiles('y'));
  const first = await plans.preview();
  const second = await plans.preview();
  expect(second.fingerprint).not.toBe(first.fingerprint);
  const ids = [first, second].flatMap(({ groups }) => groups.map(({ id }) => id));
  expect(new Set([...ids, ...[first, second].flatMap(listCopies).map(({ id }) => id)]).size).toBe(
    CONTENTS.length * 4,
  );
  const { id: planId, fingerprint } = first;
  const decisions = [{ copyId: listCopies(first)[0]!.id, decision: 'approve' }];
  expect((await plans.review({ planId, fingerprint, decisions })).status).toBe(409);
  const stranger = await seed(database).user();
  expect((await plans.startPreview({}, stranger)).status).toBe(403);
  expect((await plans.read()).plan.id).toBe(second.id);
});

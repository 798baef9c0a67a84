import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { createSeededRandom, effort } from '../../../test/support/effort.ts';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import { emptyCopy, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';
import { paging } from './page.store.ts';

// Sharing ends and begins again while a stream runs: it sends nothing that refers to what it has left out.

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();
const { sql } = database;
const pageRows = paging.rows;
let me: TestUser;
let other: TestUser;
let albumId: string;
beforeAll(async () => {
  paging.rows = 1;
  me = await seed(database).user();
  other = await seed(database).user();
  albumId = await shareAll(other);
  // Its rows come between: a page of nothing is not waited for.
  await shareAll(await seed(database).user());
});

/** Adds an album of two assets; shares it, and the account's timeline. Returns the id of the album. */
async function shareAll(owner: TestUser): Promise<string> {
  const [album] = await sql<{ id: string }[]>`
    insert into album (owner_id, name) values (${owner.id}, 'Album') returning id`;
  const { id } = album!;
  for (let n = 0; n < 2; n++) {
    const assetId = await seed(database).asset({ ownerId: owner.id, exif: { make: 'Canon' } });
    await sql`insert into album_asset (album_id, asset_id) values (${id}, ${assetId})`;
  }
  await shareAlbum(id);
  await becomePartner(owner);
  return id;
}

const shareAlbum = (id: string) => sql`
  insert into album_user (album_id, user_id, role) values (${id}, ${me.id}, 'viewer')`;
const unshareAlbum = (id: string) => sql`delete from album_user where album_id = ${id}`;
const becomePartner = (owner: TestUser) => sql`
  insert into partner (sharer_id, viewer_id) values (${owner.id}, ${me.id})`;

afterAll(() => {
  paging.rows = pageRows;
});

type Interruption = {
  readonly name: string;
  readonly end: () => Promise<unknown>;
  readonly begin: () => Promise<unknown>;
};

const INTERRUPTIONS: readonly Interruption[] = [
  {
    name: 'an account is removed and restored',
    end: () => sql`update app_user set deleted_at = now() where id = ${other.id}`,
    begin: () => sql`update app_user set deleted_at = null where id = ${other.id}`,
  },
  {
    name: 'an album is no longer shared, and shared again',
    end: () => unshareAlbum(albumId),
    begin: () => shareAlbum(albumId),
  },
  {
    name: 'an account stops sharing anything, and shares again',
    end: async () => {
      await unshareAlbum(albumId);
      await sql`delete from partner where sharer_id = ${other.id}`;
    },
    begin: async () => {
      await becomePartner(other);
      await shareAlbum(albumId);
    },
  },
];

/** Lines of a stream of everything, about. */
const LINES = 34;

describe('while a stream runs', () => {
  for (const { name, end, begin } of INTERRUPTIONS) {
    test(name, async () => {
      const step = effort({ quick: 6, full: 1 });
      const first = 1 + createSeededRandom(name).below(step);
      for (let at = first; at < LINES; at += step) {
        await sql`delete from sync_checkpoint`;
        await waitForWatermark(database);
        const connection = connect(app, me);
        const copy = emptyCopy();
        const until = at + 2 + 3 * (at % 5);
        let lines = 0;
        await syncOnce(connection, copy, {
          batch: 1,
          async between() {
            lines += 1;
            if (lines === at) await end();
            if (lines === until) await begin();
          },
        });
        if (lines < at) await end();
        if (lines < until) await begin();
        await waitForWatermark(database);
        await syncAll(connection, copy);
        await expectCopy(database, copy, { id: me.id, isElevated: false });
        expect([copy.assets.size, copy.exifs.size, copy.albumAssets.size]).toEqual([4, 4, 4]);
      }
    });
  }
});

import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readlinkSync, rmSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { useHousehold } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, send } from '../../../test/support/harness.ts';
import { addLink, unlock } from '../../../test/support/household.ts';
import { sha256 } from '../../core/hash.ts';
import { originalPath } from '../../storage/stored-file.ts';

const { database, app, house } = await useHousehold();

describe('POST /download/archive', () => {
  async function add(ownerId: string, fileName: string, text: string, over: object = {}) {
    const digest = sha256(text);
    const path = originalPath(database.deps.paths, digest);
    mkdirSync(dirname(path), { recursive: true });
    await Bun.write(path, text);
    return seed(database).asset({
      ownerId,
      fileName,
      sha256: digest,
      fileSize: Buffer.byteLength(text),
      localTakenAt: '2024-02-29 13:14:16',
      ...over,
    });
  }

  test('contains every file once under a unique name with its capture date', async () => {
    const me = await seed(database).user();
    const ids = [
      await add(me.id, 'a.jpg', 'first'),
      await add(me.id, 'a.jpg', 'second'),
      await add(me.id, '../../evil.jpg', 'third'),
      await add(me.id, 'été 🌞.jpg', 'x'.repeat(300_000)),
    ];
    const response = await send(app, 'POST /download/archive', {
      as: me,
      body: { assetIds: [...ids, ids[0]], archiveName: 'Our/trip' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toContain('filename="trip.zip"');
    expect(parseZipEntries(await response.bytes())).toEqual([
      ['a.jpg', 5, '2024-02-29 13:14:16'],
      ['a+1.jpg', 6, '2024-02-29 13:14:16'],
      ['evil.jpg', 5, '2024-02-29 13:14:16'],
      ['été 🌞.jpg', 300_000, '2024-02-29 13:14:16'],
    ]);
  });

  test('ends when the caller may not have the next file any more', async () => {
    const { sql } = database;
    const [owner, viewer] = [await seed(database).user(), await seed(database).user()];
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await add(owner.id, `${n}.jpg`, `${n}`.repeat(2_000_000)));
    await sql`insert into partner (sharer_id, viewer_id) values (${owner.id}, ${viewer.id})`;
    const slug = crypto.randomUUID();
    await addLink(database, { ownerId: owner.id, slug }, ids);
    const open = async (caller: Caller, query = '') => {
      const body = { assetIds: ids };
      const response = await send(app, `POST /download/archive${query}`, { ...caller, body });
      expect(response.status).toBe(200);
      const reader = response.body!.getReader();
      await reader.read();
      /** Whether it came to its end. */
      return async (): Promise<boolean> => {
        try {
          while (!(await reader.read()).done);
          return true;
        } catch {
          return false;
        }
      };
    };
    const key = await seed(database).user();
    await sql`update api_key set user_id = ${owner.id} where user_id = ${key.id}`;
    const revoked = [
      await open({ as: viewer }),
      await open({}, `?slug=${slug}`),
      await open({ as: key }),
      await open({ session: viewer }),
    ];
    const going = [await open({ as: owner }), await open({ session: owner })];
    await sql`delete from partner where viewer_id = ${viewer.id}`;
    await sql`delete from shared_link where slug = ${slug}`;
    await sql`delete from api_key where user_id = ${owner.id} and key_hash = ${sha256(key.key)}`;
    await Bun.sleep(1100);
    expect(await Promise.all(revoked.map((read) => read()))).toEqual(revoked.map(() => false));
    expect(await Promise.all(going.map((read) => read()))).toEqual([true, true]);
    await unlock(database, owner);
    const [locking, unlocked] = [await open({ as: owner }), await open({ session: owner })];
    await sql`update asset set locked_at = now() where id = ${ids[5]!}`;
    await sql`update session set elevated_until = null where user_id = ${owner.id}`;
    await Bun.sleep(1100);
    expect([await locking(), await unlocked()]).toEqual([false, true]);
  });

  test('replaces a missing or damaged file by a note and contains the others', async () => {
    const me = await seed(database).user();
    const texts = ['lost', 'shorter', 'none at all', 'whole'];
    const ids = await Promise.all(texts.map((text) => add(me.id, `${text}.jpg`, text)));
    const [lost, short, folder] = texts.map((text) =>
      originalPath(database.deps.paths, sha256(text)),
    );
    rmSync(lost!);
    truncateSync(short!, 3);
    rmSync(folder!);
    mkdirSync(folder!);
    const ask = (assetIds: string[]) =>
      send(app, 'POST /download/archive', { as: me, body: { assetIds } });
    const response = await ask(ids);
    expect(response.status).toBe(200);
    expect(parseZipEntries(await response.bytes()).map(([name]) => name)).toEqual([
      'lost.jpg.missing.txt',
      'shorter.jpg.missing.txt',
      'none at all.jpg.missing.txt',
      'whole.jpg',
    ]);
    const nothing = await ask(ids.slice(0, 3));
    expect(nothing.status).toBe(404);
    expect(await nothing.json()).toMatchObject({ message: 'Asset media not found' });
    expect(openOriginals()).toEqual([]);
  });

  test('is streamed while it is created', async () => {
    const me = await seed(database).user();
    const ids = await Promise.all(
      // Larger than what is read ahead.
      Array.from({ length: 20 }, (_, n) => add(me.id, `${n}.bin`, `${n}`.repeat(2_000_000))),
    );
    const response = await send(app, 'POST /download/archive', { as: me, body: { assetIds: ids } });
    const reader = response.body!.getReader();
    // The header of the first entry, its name, then a piece of it: the rest waits for the reader.
    for (let n = 0; n < 3; n++) expect((await reader.read()).value!.length).toBeLessThan(300_000);
    expect(openOriginals()).toHaveLength(1);
    await reader.cancel();
    expect(openOriginals()).toEqual([]);
  });

  test('contains no asset that the caller may not download', async () => {
    const cases: [string[], Caller, string, number][] = [
      [[house.ids.locked], { as: house.owner }, '', 400],
      [[house.ids.plain], { as: house.stranger }, '', 400],
      [[house.ids.archived], { as: house.viewer }, '', 400],
      [[house.ids.plain, house.ids.ofPartner], {}, '?slug=assets', 400],
      [[house.ids.trashed], {}, '?slug=assets', 400],
      [[house.ids.plain], {}, '?slug=view-only', 400],
      [[house.ids.plain], {}, '', 401],
    ];
    for (const [assetIds, caller, query, status] of cases) {
      const path = `POST /download/archive${query}` as const;
      expect((await call(app, path, { ...caller, body: { assetIds } })).status).toBe(status);
    }
  });

  test('contains locked files in an unlocked session', async () => {
    const me = await seed(database).user();
    const id = await add(me.id, 'a.jpg', 'secret', { lockedAt: NOW });
    await unlock(database, me);
    const response = await send(app, 'POST /download/archive', {
      session: me,
      body: { assetIds: [id] },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('secret');
  });
});

const openOriginals = () =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(database.deps.paths.originals) ? [path] : [];
    } catch {
      return [];
    }
  });

/** Name, size and time of each entry by the directory at the end, with the checksum verified. */
function parseZipEntries(zip: Uint8Array): [string, number, string][] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const end = zip.length - 22;
  expect(view.getUint32(end, true)).toBe(0x06_05_4b_50);
  const entries: [string, number, string][] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    expect(view.getUint32(at, true)).toBe(0x02_01_4b_50);
    const size = view.getUint32(at + 24, true);
    const nameLength = view.getUint16(at + 28, true);
    const name = Buffer.from(zip.subarray(at + 46, at + 46 + nameLength)).toString();
    const local = view.getUint32(at + 42, true);
    const data = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    expect(Bun.hash.crc32(zip.subarray(data, data + size))).toBe(view.getUint32(at + 16, true));
    entries.push([
      name,
      size,
      dosTime(view.getUint16(at + 14, true), view.getUint16(at + 12, true)),
    ]);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function dosTime(date: number, time: number): string {
  const parts = [(date >> 5) & 15, date & 31, time >> 11, (time >> 5) & 63, (time & 31) * 2];
  const [month, day, hour, minute, second] = parts.map((part) => String(part).padStart(2, '0'));
  return `${1980 + (date >> 9)}-${month}-${day} ${hour}:${minute}:${second}`;
}

import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { addDays } from '../../src/areas/memories/generation/days.ts';
import { handleGenerateMemories } from '../../src/areas/memories/generation/generate.handlers.ts';
import { findSlot, pickSubject, type SlotKind } from '../../src/areas/memories/generation/slots.ts';
import { closeImageChildren } from '../../src/media/image-children.ts';
import { type NewAsset, seed, type TestDatabase, testDatabase, type TestUser } from './harness.ts';
import { jobCtx } from './processing.ts';
import { addThumbnail } from './similar-assets.ts';

export const TODAY = new Date('2026-11-21T03:00:00Z');

export const getNight = (day: string): Date => new Date(`${day}T03:00:00Z`);

type Picture = Omit<NewAsset, 'ownerId'> & { readonly ownerId?: string };
type MemoryRow = {
  readonly id: string;
  readonly key: string | null;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly subject: Readonly<Record<string, unknown>> | null;
  readonly personId: string | null;
  readonly petId: string | null;
  readonly memoryAt: string;
  readonly showAt: string;
  readonly hideAt: string;
  readonly ids: string[];
};

/** A database for the tests of a file, and `me`: a new account for each of them. */
export class GenerationFixture {
  database!: TestDatabase;
  me!: TestUser;
  #added = 0;

  constructor() {
    beforeAll(async () => {
      this.database = await testDatabase();
    });
    afterAll(async () => {
      await closeImageChildren();
      await this.database.close();
    });
    beforeEach(async () => {
      await this.database.sql`delete from analysis_model`;
      this.me = await seed(this.database).user();
    });
  }

  /** Adds a good picture of a local day; they are half an hour apart. */
  async add(
    day: string,
    values: Picture = {},
    thumbnail: Uint8Array | 'good' | null = 'good',
  ): Promise<string> {
    const minute = (this.#added++ * 30) % 720;
    const time = new Date(Date.UTC(2000, 0, 1, 6, minute)).toISOString().slice(11, 16);
    const id = await seed(this.database).asset({
      ownerId: this.me.id,
      takenAt: new Date(`${day}T${time}:00Z`),
      localTakenAt: `${day}T${time}:00`,
      createdAt: new Date('2026-01-01T00:00:00Z'),
      ...values,
    });
    if (thumbnail === 'good') await this.#addMeasuredThumbnail(id);
    else if (thumbnail) await addThumbnail(this.database, id, thumbnail);
    return id;
  }

  async #addMeasuredThumbnail(assetId: string): Promise<void> {
    await this.database.sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      values (${assetId}, 'thumbnail', ${assetId}, 'image/webp', 1, ${assetId})`;
    await this.database
      .sql`insert into picture_quality (asset_id, thumbnail_tag, sharpness, exposure)
      values (${assetId}, ${assetId}, 0.8, 1)`;
  }

  async addMany(count: number, day: string, values: Picture = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(await this.add(day, values));
    return ids;
  }

  /** Adds pictures of different years, on days that are not remembered. */
  async addYears(count = 6): Promise<string[]> {
    const ids = [];
    for (let n = 0; n < count; n++) ids.push(await this.add(`${2015 + n}-07-${10 + n}`));
    return ids;
  }

  /** Chooses, and returns what saves it. */
  choose(now = TODAY, ownerId = this.me.id) {
    return handleGenerateMemories(jobCtx(this.database, { now: () => now }), { ownerId });
  }

  async generate(ownerId = this.me.id, now = TODAY): Promise<void> {
    const effect = await this.choose(now, ownerId);
    if (effect) await this.database.db.transaction(async (tx) => void (await effect(tx)));
  }

  async list(ownerId = this.me.id): Promise<MemoryRow[]> {
    const rows = await this.database.sql<MemoryRow[]>`
      select key, type, data, subject, person_id as "personId", pet_id as "petId",
        memory_at at time zone 'utc' as "memoryAt", show_at at time zone 'utc' as "showAt",
        hide_at at time zone 'utc' as "hideAt", id, array(select asset_id::text from memory_asset
        where memory_id = memory.id order by position) as ids
      from memory where owner_id = ${ownerId} order by show_at, memory_at, key`;
    return [...rows];
  }
}

/** Returns the first day from TODAY on that is the turn of the only subject. */
export function findTurn(kind: SlotKind, id: string): string {
  for (let day = '2026-11-21'; ; day = addDays(day, 1)) {
    const slot = findSlot(kind, day);
    if (slot !== undefined && pickSubject(kind, slot, [{ id }])) return day;
  }
}

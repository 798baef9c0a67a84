import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { type Photo, photo, type Visitor } from './browser.ts';
import { until } from './server.ts';
import { enter, type Stage } from './stage.ts';

// The environment of tests of duplicates: an account with three photos and copies of them, those of the last one
// identical, and one photo without.

const NAMES = ['prairie_falcon', 'tanners_ridge', 'wood_anemones', 'silver_fir'];

export type DuplicateStage = {
  readonly stage: Stage;
  /** The copies of three pictures: the whole one first, then its copies. */
  readonly copies: readonly (readonly string[])[];
  /** The photo without copies. */
  readonly alone: string;
  /** The owner, on the timeline. */
  readonly ada: Visitor;
};

/** Adds the photos to the account of the stage. Nothing relates them yet. */
export async function addCopies(
  stage: Stage,
  toPhoto: (name: string) => Promise<Photo>,
): Promise<DuplicateStage> {
  const [falcon, ridge, anemones, fir] = await Promise.all(NAMES.map(toPhoto));
  const copies = [
    await stage.add([falcon!, toSmaller(falcon!), toWebp(falcon!)]),
    await stage.add([ridge!, toSmaller(ridge!)]),
    await stage.add([withComment(anemones!), { ...anemones!, name: `again ${anemones!.name}` }]),
  ];
  const [alone] = await stage.add([fir!]);
  // The sets are listed in this order.
  for (const [at, [first]] of copies.entries()) {
    const dateTimeOriginal = `2024-05-0${3 - at}T12:00:00.000Z`;
    await stage.api('PUT', `/assets/${first}`, { dateTimeOriginal });
  }
  return { stage, copies, alone: alone!, ada: await enter(stage) };
}

export const generatePhoto = (name: string) => photo(`${name}.jpg`, '2024:05:01 12:00:00');

const toSmaller = async ({ name, buffer }: Photo): Promise<Photo> => ({
  name: `small ${name}`,
  mimeType: 'image/jpeg',
  buffer: await sharp(buffer).resize({ width: 320 }).jpeg({ quality: 70 }).toBuffer(),
});
const toWebp = async ({ name, buffer }: Photo): Promise<Photo> => ({
  name: name.replace('.jpg', '.webp'),
  mimeType: 'image/webp',
  buffer: await sharp(buffer).webp({ quality: 60 }).toBuffer(),
});

/** The same pixels: a comment of JPEG after the first marker. */
const withComment = ({ name, buffer }: Photo): Photo => ({
  name,
  mimeType: 'image/jpeg',
  buffer: Buffer.concat([
    buffer.subarray(0, 2),
    Buffer.from([0xff, 0xfe, 0, 6]),
    Buffer.from('copy'),
    buffer.subarray(2),
  ]),
});

/** Relates the copies as if a model had seen them. */
export async function relateCopies({ stage, copies }: DuplicateStage): Promise<void> {
  const { sql } = stage.database;
  for (const [at, set] of copies.entries()) {
    await sql`insert into duplicate_pair
        (owner_id, first_id, second_id, score, sameness, is_identical)
      select first.owner_id, first.id, second.id, 0.99, 0.99, ${at === 2}
      from asset first join asset second on first.id < second.id
      where first.id in ${sql(set)} and second.id in ${sql(set)}`;
  }
}

/** Waits for the heading of a set: 'Set 1 of 3'. */
export const showsSet = (on: Page, text: string) =>
  on.locator('[data-part=copies-head] h2', { hasText: text }).waitFor();
export const listFiles = (on: Page): Promise<string[]> =>
  on.locator('[data-part=copy-fact]', { hasText: /^File/ }).locator('dd').allTextContents();
/** Waits until the set of this file is shown. */
export const showsFirst = (on: Page, name: string) =>
  until(`${name} first`, async () => (await listFiles(on))[0] === name);
export const listTrashed = async ({ api }: Stage): Promise<string[]> =>
  (await api('GET', '/trash/items')).items.map(({ id }: { id: string }) => id).sort();

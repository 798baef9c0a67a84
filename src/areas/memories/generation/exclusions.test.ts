import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import sharp from 'sharp';
import { GenerationFixture, TODAY } from '../../../../test/support/generated-memories.ts';
import { PAGES } from '../../../../test/support/document-pages.ts';
import { seed } from '../../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { saveRecognizedText } from '../../../../test/support/recognized-text.ts';
import { users } from '../../../db/tables/identity.ts';

const fixture = new GenerationFixture();
const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
const picture = await sharp({
  create: { width: 320, height: 240, channels: 3, background: 'grey', noise },
})
  .png()
  .toBuffer();
const blurred = await sharp(picture).blur(12).png().toBuffer();
const black = await sharp(picture).linear(0.02).png().toBuffer();

/** A good picture in which a model reads the text of this page. */
async function addText(day: string, page: string): Promise<string> {
  const assetId = await fixture.add(day);
  const { lines } = PAGES.find(({ name }) => name === page)!;
  await saveRecognizedText(fixture.database, { assetId, ownerId: fixture.me.id }, lines);
  return assetId;
}

/** Each makes pictures that a memory must not show. */
const exclusions: Readonly<Record<string, (day: string) => Promise<unknown>>> = {
  'of a partner': async (day) => {
    const partner = await seed(fixture.database).user();
    await fixture.database.sql`insert into partner (sharer_id, viewer_id, in_timeline)
      values (${partner.id}, ${fixture.me.id}, true)`;
    return fixture.add(day, { ownerId: partner.id });
  },
  Locked: (day) => fixture.add(day, { lockedAt: TODAY }),
  trashed: (day) => fixture.add(day, { trashedAt: TODAY }),
  archived: (day) => fixture.add(day, { visibility: 'archive' }),
  'hidden, as video halves are': (day) => fixture.add(day, { visibility: 'hidden' }),
  'without a thumbnail': (day) => fixture.add(day, {}, null),
  blurred: (day) => fixture.add(day, { isFavorite: true }, blurred),
  black: (day) => fixture.add(day, { isFavorite: true }, black),
  rejected: (day) => fixture.add(day, { exif: { rating: -1 } }),
  'of a screen': (day) => fixture.add(day, { fileName: 'Screenshot_20201121.jpg' }),
  'of a screen, by its format': (day) => fixture.add(day, { fileName: 'IMG_0001.PNG' }),
  'with sound only': (day) => fixture.add(day, { type: 'AUDIO' }),
  'of a document with little text, which the owner has confirmed': async (day) => {
    const id = await fixture.add(day);
    await fixture.database.sql`insert into document (asset_id, model_id, folded)
      values (${id}, 'm', 'kiosk 2.50')`;
    return fixture.database.sql`insert into document_field (asset_id, field, action, value)
      values (${id}, 'kind', 'confirm', 'receipt')`;
  },
  'of a receipt': (day) => addText(day, 'receipt'),
  'of an invoice': (day) => addText(day, 'German invoice'),
  'of a letter': (day) => addText(day, 'English letter'),
  'with a hidden person': async (day) => {
    const { id: personId } = await addPerson(fixture.database, {
      ownerId: fixture.me.id,
      isHidden: true,
    });
    return addFace(fixture.database, {
      ownerId: fixture.me.id,
      personId,
      assetId: await fixture.add(day),
    });
  },
  'with a person to see less of': async (day) => {
    const { id: personId } = await addPerson(fixture.database, {
      ownerId: fixture.me.id,
      name: 'Ex',
    });
    await fixture.database.sql`insert into memory_rule (owner_id, kind, person_id)
      values (${fixture.me.id}, 'person', ${personId})`;
    return addFace(fixture.database, {
      ownerId: fixture.me.id,
      personId,
      assetId: await fixture.add(day),
    });
  },
  'with a pet to see less of': async (day) => {
    const [pet] = await fixture.database
      .sql`insert into pet (owner_id, species) values (${fixture.me.id}, 'dog')
      returning id`;
    await fixture.database.sql`insert into memory_rule (owner_id, kind, pet_id)
      values (${fixture.me.id}, 'pet', ${pet!['id']})`;
    return fixture.database.sql`
      insert into pet_observation (pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
      values (${pet!['id']}, ${await fixture.add(day)}, 'dog', 0, 0, 1, 1, 1, 'm')`;
  },
  'that a stack does not show': async (day) => {
    const stackId = crypto.randomUUID();
    const primary = await fixture.add('2021-01-01');
    await fixture.database.sql`insert into stack (id, owner_id, primary_id)
      values (${stackId}, ${fixture.me.id}, ${primary})`;
    await fixture.database.sql`update asset set stack_id = ${stackId} where id = ${primary}`;
    return fixture.add(day, { stackId, isStackChild: true });
  },
  'that the analysis has not seen yet': async (day) => {
    await fixture.database.sql`insert into analysis_model (task, model_id) values ('text', 'm')`;
    return fixture.add(day, { createdAt: TODAY });
  },
};
describe('a memory leaves out pictures', () => {
  for (const [words, make] of Object.entries(exclusions)) {
    test(words, async () => {
      const good = await fixture.addMany(3, '2020-11-21');
      await make('2020-11-21');
      await fixture.generate();
      expect(await fixture.list()).toEqual([]);
      good.push(await fixture.add('2020-11-21'));
      await fixture.generate();
      const [memory] = await fixture.list();
      expect(memory!['ids'].toSorted()).toEqual(good.toSorted());
    });
  }

  test('under a content rule', async () => {
    const good = await fixture.addMany(3, '2020-11-21');
    const hidden = await fixture.add('2020-11-21');
    const [tag] = await fixture.database
      .sql`insert into tag (owner_id, value) values (${fixture.me.id}, 'Secret')
      returning id`;
    const targetId = tag!['id'] as string;
    await fixture.database
      .sql`insert into tag_asset (tag_id, asset_id) values (${targetId}, ${hidden})`;
    const rules = [{ id: crypto.randomUUID(), kind: 'tag', targetId }];
    await fixture.database.db
      .update(users)
      .set({ preferences: { lockedContent: { filterEnabled: true, rules } } })
      .where(eq(users.id, fixture.me.id));
    await fixture.generate();
    expect(await fixture.list()).toEqual([]);
    good.push(await fixture.add('2020-11-21'));
    await fixture.generate();
    expect((await fixture.list())[0]!['ids'].toSorted()).toEqual(good.toSorted());
  });
});

test('a photo with a sign stays in', async () => {
  const ids = await fixture.addMany(3, '2020-11-21');
  ids.push(await addText('2020-11-21', 'sign'));
  await fixture.generate();
  expect((await fixture.list())[0]!['ids'].toSorted()).toEqual(ids.toSorted());
});

test('a field that the owner has dismissed makes no document', async () => {
  const ids = await fixture.addMany(3, '2020-11-21');
  const id = await addText('2020-11-21', 'sign');
  await fixture.database.sql`insert into document_field (asset_id, field, action)
    values (${id}, 'kind', 'dismiss')`;
  await fixture.generate();
  expect((await fixture.list())[0]!['ids'].toSorted()).toEqual([...ids, id].toSorted());
});

import { describe, expect, test } from 'bun:test';
import {
  findTurn,
  GenerationFixture,
  getNight,
} from '../../../../test/support/generated-memories.ts';

const fixture = new GenerationFixture();

describe('a pet', () => {
  async function addPet(values: { name?: string; isConfirmed?: boolean }) {
    const { name = '', isConfirmed = false } = values;
    const [pet] = await fixture.database.sql`insert into pet (owner_id, species, name, is_confirmed)
      values (${fixture.me.id}, 'dog', ${name}, ${isConfirmed}) returning id`;
    const id = pet!['id'] as string;
    const ids = await fixture.addYears();
    for (const assetId of ids) {
      await fixture.database.sql`
        insert into pet_observation (pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
        values (${id}, ${assetId}, 'dog', 0, 0, 1, 1, 0.9, 'm')`;
    }
    await fixture.generate(fixture.me.id, getNight(findTurn('pet', id)));
    return { id, ids };
  }
  test.each([{ name: 'Rex' }, { isConfirmed: true }])('%p is remembered', async (values) => {
    const { id, ids } = await addPet(values);
    expect(await fixture.list()).toMatchObject([{ type: 'pet', petId: id, personId: null, ids }]);
  });
  test('that nobody has named or confirmed is not', async () => {
    await addPet({});
    expect(await fixture.list()).toEqual([]);
  });
});

import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';
import { indexTexts } from '../../../test/support/text-index.ts';

const { database, app } = await useApp();
let owner: TestUser;
beforeAll(async () => {
  owner = await seed(database).user();
});

async function photo(lines: readonly string[], as: TestUser): Promise<string> {
  const assetId = await seed(database).asset({ ownerId: as.id });
  await saveRecognizedText(database, { assetId, ownerId: as.id }, lines);
  return assetId;
}
const find = async (query: string, as = owner): Promise<string[]> => {
  const path = `GET /documents?query=${encodeURIComponent(query)}` as const;
  return (await call(app, path, { as })).body.items.map(({ id }: { id: string }) => id);
};

test("a query with missing, swapped or wrong letters finds the caller's own documents only", async () => {
  const stranger = await seed(database).user();
  const bill = await photo(['Invoice for Zwetschgen', 'Stadtwerke', 'of the year 2024'], owner);
  const theirs = await photo(['Secret recipe', 'Zwetschgenkuchen', 'Invoice'], stranger);
  await indexTexts(database);
  for (const query of ['invioce', 'zwetchgen', 'stdatwerke invioce', 'zwetschken 2024']) {
    expect([query, await find(query)]).toEqual([query, [bill]]);
  }
  for (const query of ['recpie', 'recipe', 'invioce recpie', 'invioce 2025']) {
    expect([query, await find(query)]).toEqual([query, []]);
  }
  expect(await find('recpie', stranger)).toEqual([theirs]);
});

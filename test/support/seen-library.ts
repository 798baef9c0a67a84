import { afterAll, expect } from 'bun:test';
import { join } from 'node:path';
import { objectLabelSink, sceneSink, tagLabelSink } from '../../src/areas/search/labels/sink.ts';
import { closeInference } from '../../src/inference/client.ts';
import { CONSE, getVectorIndex, type Layout, saveEmbeddings } from '../../src/inference/index.ts';
import { writeConse } from './generated-models.ts';
import { call, seed, testApp, testDatabase, type TestUser } from './harness.ts';
import { indexTexts } from './text-index.ts';

const DIMENSION = 16;
const MODEL = { modelId: 'made', dimension: 0 };

/** Scores by label, and where the colours are. */
export type Seen = {
  readonly tags?: Readonly<Record<string, number>>;
  /** Of each as many boxes as scores. */
  readonly objects?: Readonly<Record<string, number | readonly number[]>>;
  readonly colours?: Readonly<Record<string, number>>;
  readonly layout?: Layout;
};

const toLabels = (scores: Seen['tags'] = {}) =>
  Object.entries(scores).map(([label, score]) => ({ label, score }));

/**
 * Opens a database for the tests of this file, whose pictures are found by what models are said to see in them; it is
 * dropped after them.
 */
export async function useSeenLibrary() {
  const database = await testDatabase();
  afterAll(async () => {
    await closeInference();
    await getVectorIndex(database.deps).close();
    await database.close();
  });
  const app = testApp(database);
  await writeConse(join(database.deps.paths.root, 'models'), DIMENSION);

  /** Saves what models see in an asset, as their sinks do. */
  async function see(
    owner: TestUser,
    assetId: string,
    { tags, objects, colours, layout }: Seen,
  ): Promise<void> {
    const asset = {
      assetId,
      ownerId: owner.id,
      type: 'IMAGE',
      picture: { width: 100, height: 100 },
      colours: toLabels(colours),
      layout,
    } as const;
    const box = { x1: 0, y1: 0, x2: 1, y2: 1 };
    const found = Object.entries(objects ?? {}).flatMap(([label, scores]) =>
      [scores].flat().map((score) => ({ label, score, box })),
    );
    await database.db.transaction(async (tx) => {
      await tagLabelSink.store(tx, asset, toLabels(tags), MODEL);
      await objectLabelSink.store(tx, asset, found, MODEL);
      await sceneSink.store(tx, asset, toLabels(tags), MODEL);
    });
  }

  async function add(owner: TestUser, seen: Seen, values: object = {}): Promise<string> {
    const id = await seed(database).asset({ ownerId: owner.id, fileName: 'x.jpg', ...values });
    await see(owner, id, seen);
    return id;
  }

  /** Gives assets vectors that are nothing like any query: they are found by their labels only. */
  async function finish(): Promise<void> {
    await indexTexts(database);
    const rows = await database.sql`select id from asset`;
    const vector = new Float32Array(DIMENSION);
    await database.db.transaction((tx) =>
      saveEmbeddings(
        tx,
        CONSE,
        rows.map(({ id }, at) => ({
          kind: 'asset' as const,
          subjectId: id as string,
          vector: vector.with(at % DIMENSION, -1),
        })),
      ),
    );
    await getVectorIndex(database.deps).refresh(CONSE);
  }

  /** Returns the ids that both searches find. */
  async function search(as: TestUser, query: string): Promise<string[]> {
    const lists = await Promise.all(
      ['smart', 'ask'].map(async (route) => {
        const body = { query, ...(route === 'smart' && { visibility: 'timeline' }) };
        const reply = await call(app, `POST /search/${route}`, { as, body });
        expect(reply.status).toBe(200);
        return reply.body.assets.items.map(({ id }: { id: string }) => id) as string[];
      }),
    );
    expect(lists[0]).toEqual(lists[1]!);
    return lists[0]!;
  }

  return { database, app, see, add, finish, search };
}

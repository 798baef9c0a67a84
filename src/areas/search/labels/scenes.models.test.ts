import { afterAll, beforeAll, expect, test } from 'bun:test';
import sharp from 'sharp';
import { drawScene } from '../../../../test/support/drawn-scenes.ts';
import {
  call,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../../test/support/harness.ts';
import { withModels } from '../../../../test/support/models.ts';
import { addFile, drainLane, jobCtx } from '../../../../test/support/processing.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import type { App } from '../../../app.ts';
import { closeInference } from '../../../inference/client.ts';
import { embeddingSink, featureSink } from '../../../inference/embeddings.sink.ts';
import { analysisHandlers } from '../../../inference/handlers.ts';
import { defineSink, getVectorIndex } from '../../../inference/index.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { handleRenderEdits } from '../../assets/edits/edits.handlers.ts';
import { renderImage } from '../../assets/jobs.ts';
import { handleRenderImage } from '../../assets/processing/thumbnails.handlers.ts';
import { handleRenderPerson } from '../../people/thumbnail/thumbnail.handlers.ts';
import { objectLabelSink, sceneSink, tagLabelSink } from './sink.ts';

// From the file to what the search answers, with the models that are shipped.
skipWithout('models').describe('scenes of uploaded pictures', () => {
  let database: TestDatabase;
  let app: App;
  let me: TestUser;
  beforeAll(async () => {
    database = await testDatabase();
    const settings = { ...database.deps.settings, ...withModels(database.deps.paths.root) };
    database = { ...database, deps: { ...database.deps, settings } };
    app = testApp(database);
    me = await seed(database).user();
  });
  afterAll(async () => {
    await closeInference();
    await getVectorIndex(database.deps).close();
    await database.close();
  });

  const others = (['faces', 'text'] as const).map((task) =>
    defineSink({ task, store: async () => {} }),
  );

  async function add(bytes: Buffer, asset: object = {}): Promise<string> {
    const file = { name: `IMG_${bytes.length}.jpg`, bytes };
    const id = await addFile(database, file, { ownerId: me.id, ...asset });
    await enqueue(database.db, renderImage, { assetId: id });
    await drainLane(database, 'image', {
      'assets.renderImage': handleRenderImage,
      'assets.renderEdits': handleRenderEdits,
      'people.render': handleRenderPerson,
    });
    const sinks = [embeddingSink, objectLabelSink, tagLabelSink, sceneSink, featureSink, ...others];
    const handle = analysisHandlers(sinks as never)['inference.embedAsset'];
    const effect = await handle(jobCtx(database), { assetId: id });
    await database.db.transaction(async (tx) => void (await effect?.(tx)));
    return id;
  }

  async function indexAll(): Promise<void> {
    await indexTexts(database);
    await getVectorIndex(database.deps).refresh('conse-1');
  }

  /** Another file with the same picture. */
  const copy = (bytes: Buffer, quality: number) => sharp(bytes).jpeg({ quality }).toBuffer();
  const ask = async (query: string, as = me): Promise<string[]> => {
    const reply = await call(app, 'POST /search/ask', { as, body: { query } });
    expect(reply.status).toBe(200);
    return reply.body.assets.items.map(({ id }: { id: string }) => id);
  };

  test('a beach is found by its words, by those who may see it, and nonsense finds nothing', async () => {
    const picture = await drawScene('beach');
    const beach = await add(picture);
    const wall = await add(await drawScene('wall'));
    const stranger = await seed(database).user();
    const states = [
      { lockedAt: new Date() },
      { trashedAt: new Date() },
      { visibility: 'archive' },
      { ownerId: stranger.id },
    ];
    const unseen: string[] = [];
    for (const [at, state] of states.entries())
      unseen.push(await add(await copy(picture, 85 - at), state));
    await indexAll();

    for (const query of ['beach', 'Strand', 'playa', '海滩', 'photos of the beach']) {
      const found = await ask(query);
      expect([query, found.includes(beach)]).toEqual([query, true]);
      expect([query, found.filter((id) => id === wall || unseen.includes(id))]).toEqual([
        query,
        [],
      ]);
    }
    expect(await ask('beach', stranger)).toEqual([unseen[3]!]);
    for (const nonsense of ['submarine', 'xqzzt', 'tax return form'])
      expect([nonsense, await ask(nonsense)]).toEqual([nonsense, []]);

    const listed = await call(app, `GET /assets/${beach}/labels?language=de`, { as: me });
    expect(listed.body).toContainEqual(
      expect.objectContaining({ label: 'beach', name: 'Strand', isRight: null }),
    );
    expect((await call(app, `GET /assets/${beach}/labels`, { as: stranger })).status).toBe(400);
  });

  test('a scene that the owner removes is gone, and one that is confirmed is found', async () => {
    const beach = await add(await copy(await drawScene('beach'), 70));
    const say = (label: string, isRight: boolean, as = me) =>
      call(app, `PUT /assets/${beach}/labels`, { as, body: { label, isRight } });
    const stranger = await seed(database).user();
    expect((await say('beach', false, stranger)).status).toBe(400);
    const weak = await seed(database).user(['asset.read']);
    expect((await say('beach', false, weak)).status).toBe(403);
    // A model may see the same, a seashore, which is another label.
    const listed = await call(app, `GET /assets/${beach}/labels`, { as: me });
    for (const { label } of listed.body) expect((await say(label, false)).status).toBe(204);
    expect((await say('party', true)).status).toBe(204);
    await indexAll();
    expect(await ask('beach')).not.toContain(beach);
    expect(await ask('party')).toEqual([beach]);
    expect((await say('beach', true)).status).toBe(204);
    await indexAll();
    expect((await ask('beach'))[0]).toBe(beach);
  });

  test('libraries of before are labelled anew: the version of scenes is part of the model', async () => {
    const id = await add(await copy(await drawScene('beach'), 60));
    const scenes = () =>
      database.sql`select label from asset_label where asset_id = ${id} and source = 'scenes'`;
    expect((await scenes()).map(({ label }) => label)).toContain('beach');
    await database.sql`delete from asset_label where asset_id = ${id} and source = 'scenes'`;
    await database.sql`update asset_analysis set model_id = 'mobilenet-v1'
      where asset_id = ${id} and task = 'labels'`;
    const handle = analysisHandlers([
      embeddingSink,
      objectLabelSink,
      tagLabelSink,
      sceneSink,
      featureSink,
      ...others,
    ] as never)['inference.analyze'];
    const effect = await handle(jobCtx(database), { assetId: id });
    await database.db.transaction(async (tx) => void (await effect?.(tx)));
    expect((await scenes()).map(({ label }) => label)).toContain('beach');
    const [row] = await database.sql`
      select model_id from asset_analysis where asset_id = ${id} and task = 'labels'`;
    expect(row!.model_id).toStartWith('mobilenet-v1+scenes-');
  });
});

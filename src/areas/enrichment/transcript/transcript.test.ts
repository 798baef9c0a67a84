import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { createTranscriptTests, TALK } from '../../../../test/support/transcripts.ts';
import type { Effect } from '../../../jobs/define.ts';
import { handleRequeue } from '../../assets/processing/requeue.handlers.ts';
import { handlePickFrames } from '../frames/pick.handlers.ts';

// Films are cut and decoded while others use the machine, too.
setDefaultTimeout(300_000);

const library = createTranscriptTests();
const { addBrief, addCopy, addFilm, getLines, getMoments, getSpeech, install, listJobs } = library;
const { run, search, transcribe, transcribeAll, watch } = library;

describe('the transcript of a video', () => {
  test('has times, is made in chunks of 30 s and skips silence', async () => {
    await install('made');
    const id = await addFilm(library.me);
    expect(await listJobs(id)).toEqual([{ assetId: id }]);
    expect(await getSpeech(id)).toMatchObject({ status: 'pending', model: null, lines: [] });
    expect(await transcribeAll(id)).toBe(2);
    const speech = await getSpeech(id);
    expect(speech).toMatchObject({
      status: 'ready',
      model: 'made',
      language: 'fr',
      isOutdated: false,
    });
    expect(speech.lines.map((line: { text: string }) => line.text)).toEqual([
      'Good evening.',
      'Café at ten.',
      'HI',
    ]);
    const [evening, cafe, high] = speech.lines;
    expect(evening).toMatchObject({ startMs: 0, endMs: 2000, language: 'fr' });
    expect(cafe).toMatchObject({ startMs: 2000, endMs: 4400 });
    expect(high.startMs).toBeWithin(44_700, 45_300);
    expect(high.confidence).toBeWithin(0.9, 1.0001);
    const [part] = await library.database.sql`
      select text from asset_text_part where asset_id = ${id} and kind = 'spoken'`;
    expect(part!['text']).toBe('Good evening. Café at ten. HI');
    await watch();
    expect(await listJobs(id)).toEqual([]);
  });

  test('EP-033: is found by its words, without accents and by their beginning', async () => {
    await install('made');
    const [id, other] = [await addBrief(library.me), await addBrief(library.me)];
    await transcribeAll(id);
    const items = await search('cafe');
    expect(items).toMatchObject([
      { assetId: id, timeMs: 2000, matchedBy: ['transcript'], transcript: 'Café at ten.' },
    ]);
    const { body } = await getMoments(id, library.me);
    expect(items[0].frameId).toBe(body.frames[0].id);
    expect(await search('good even')).toHaveLength(1);
    expect(await search('goodbye')).toEqual([]);
    expect(await search('cafe', library.me, { kinds: ['manual'] })).toEqual([]);
    expect(await search('cafe', library.me, { kinds: ['generated'] })).toHaveLength(1);
    expect(await search('cafe', library.me, { assetIds: [other] })).toEqual([]);
    // Each line is a moment of its own; they come on pages like others.
    await transcribeAll(other);
    expect(await search('cafe')).toHaveLength(2);
    expect(await search('cafe', library.me, { size: 1, page: 2 })).toHaveLength(1);
  });

  test("is found despite a typing error, if the caller's own videos contain the word", async () => {
    await install('made');
    const [id, other] = [await addBrief(library.me), await addBrief(library.house.stranger)];
    await transcribeAll(id);
    await transcribeAll(other);
    await library.database.sql`insert into search_word values ('evening'), ('evenings'), ('cafe')
      on conflict do nothing`;
    expect(await search('evning')).toMatchObject([{ assetId: id, transcript: 'Good evening.' }]);
    expect(await search('good evnening')).toHaveLength(1);
    expect(await search('bad evning')).toEqual([]);
    expect(await search('evning', library.me, { kinds: ['manual'] })).toEqual([]);
    expect(await search('evning', await seed(library.database).user())).toEqual([]);
  });

  test('is made for untranscribed videos when the queue is started', async () => {
    await install('made');
    await run(
      handleRequeue(jobCtx(library.database), {
        queue: 'smartSearch',
        force: false,
      }) as Promise<Effect>,
    );
    const names = await library.database.sql`select name from job where name like 'enrichment%'`;
    expect([...names].map(({ name }) => name)).toEqual(['enrichment.watchVideos']);
  });

  test('is hidden without access to the video, and not found once the video is archived, locked or trashed', async () => {
    await install('made');
    const states = [
      {},
      { lockedAt: NOW },
      { trashedAt: NOW },
      { ownerId: library.house.stranger.id },
      { ownerId: library.house.partner.id },
    ];
    const ids: string[] = [];
    for (const state of states) ids.push(await addBrief(library.house.owner, state));
    for (const id of ids) await transcribeAll(id);
    const [shown, locked] = ids as [string, string];
    expect(
      (await search('evening', library.house.owner)).map(
        (item: { assetId: string }) => item.assetId,
      ),
    ).toEqual([shown]);
    await unlock(library.database, library.house.owner);
    const opened = await call(library.app, 'POST /enrichment/moments/search', {
      session: library.house.owner,
      body: { query: 'evening' },
    });
    expect(opened.body.items.map((item: { assetId: string }) => item.assetId)).toEqual([shown]);
    expect(await search('evening', library.house.viewer)).toEqual([]);
    expect((await getMoments(shown, library.house.viewer)).body.speech.lines).toHaveLength(2);
    expect((await getMoments(shown, library.house.stranger)).status).toBe(404);
    const captions = (id: string, as: TestUser, query = '') =>
      call(library.app, `GET /enrichment/videos/${id}/captions.vtt${query}`, { as });
    const { body: text, headers } = await captions(shown, library.house.viewer);
    expect(headers.get('content-type')).toBe('text/vtt; charset=utf-8');
    expect(text).toStartWith('WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nGood evening.\n\n');
    expect((await captions(shown, library.house.stranger)).status).toBe(404);
    expect((await captions(locked, library.house.owner)).status).toBe(404);
    expect((await getMoments(locked, library.house.owner)).status).toBe(404);
    const guest = await call(library.app, `GET /enrichment/videos/${shown}/moments?slug=assets`);
    expect(guest.status).toBe(403);
    const path = `/enrichment/videos/${shown}/captions.vtt?slug=assets` as const;
    expect((await call(library.app, `GET ${path}`)).status).toBe(403);
  });

  test('goes with the video', async () => {
    await install('made');
    const id = await addBrief(library.me);
    await transcribeAll(id);
    await library.database.sql`delete from asset where id = ${id}`;
    expect(await getLines(id)).toEqual([]);
    expect(await search('evening')).toEqual([]);
  });
});

describe('a job', () => {
  test('without sound, or without a voice in it, ends well', async () => {
    await install('made');
    for (const name of ['silent.mp4', 'mute.mp4'] as const) {
      const id = await addFilm(library.me, {}, name);
      expect(await transcribeAll(id)).toBe(1);
      expect(await getSpeech(id)).toMatchObject({ status: 'ready', language: null, lines: [] });
      await watch();
      expect(await listJobs(id)).toEqual([]);
    }
  });

  test('without a model changes nothing; the periodic job enqueues the video once one is installed', async () => {
    const id = await addFilm(library.me);
    expect(await listJobs(id)).toEqual([]);
    expect(await transcribe(id)).toBeUndefined();
    expect(await getSpeech(id)).toMatchObject({ status: 'unavailable', model: null, lines: [] });
    const features = async () => (await call(library.app, 'GET /server/features')).body.speech;
    expect(await features()).toBeUndefined();
    await watch();
    expect(await listJobs(id)).toEqual([]);
    await install('made');
    expect(await features()).toBe(true);
    await watch();
    expect(await listJobs(id)).toEqual([{ assetId: id }]);
    await transcribeAll(id);
    expect(await getLines(id)).toHaveLength(3);
  });

  test('of another model transcribes again and keeps the old lines until then', async () => {
    await install('made');
    const id = await addCopy(library.me);
    await transcribeAll(id);
    await install('better', { ...TALK, low: [0, ' Good night.', 100, 100] });
    expect(await getSpeech(id)).toMatchObject({ status: 'ready', model: 'made', isOutdated: true });
    await watch();
    expect(await listJobs(id)).toEqual([{ assetId: id }]);
    await run(transcribe(id));
    const models = async () => (await getLines(id)).map(([, , text, model]) => [text, model]);
    expect(await models()).toEqual([
      ['Good night.', 'better'],
      ['HI', 'made'],
    ]);
    await transcribeAll(id);
    expect(await models()).toEqual([
      ['Good night.', 'better'],
      ['HI', 'better'],
    ]);
    expect(await search('evening')).toEqual([]);
  });

  test('with force transcribes again and keeps manual moments', async () => {
    await install('made');
    const id = await addCopy(library.me);
    await transcribeAll(id);
    const mark = { startMs: 1000, title: 'Toast', transcript: 'Cheers' };
    const path = `POST /enrichment/videos/${id}/moments` as const;
    const { body: made } = await call(library.app, path, { as: library.me, body: mark });
    await library.database.sql`truncate job`;
    await run(handlePickFrames(jobCtx(library.database), { assetId: id, force: true }));
    expect(await listJobs(id)).toEqual([{ assetId: id, force: true }]);
    await library.database.sql`truncate job`;
    await run(transcribe(id, { force: true }));
    expect(await listJobs(id)).toEqual([{ assetId: id }]);
    expect(await getLines(id)).toHaveLength(3);
    await transcribeAll(id);
    expect(await getLines(id)).toHaveLength(3);
    const { moments } = (await getMoments(id, library.me)).body;
    expect(moments).toMatchObject([{ id: made.id, transcript: 'Cheers', kind: 'manual' }]);
    expect(await search('cheers')).toMatchObject([{ momentId: made.id, transcript: 'Cheers' }]);
  });
});

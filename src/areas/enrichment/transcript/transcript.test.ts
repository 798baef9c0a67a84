import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SpeechShape, writeSpeech } from '../../../../test/support/generated-speech.ts';
import {
  call,
  NOW,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { type Household, seedHousehold, unlock } from '../../../../test/support/household.ts';
import { addFile, jobCtx } from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { originalPath } from '../../../core/paths.ts';
import { clearModelCache } from '../../../inference/capabilities.ts';
import { closeInference } from '../../../inference/client.ts';
import type { Effect } from '../../../jobs/define.ts';
import { handleRequeue } from '../../assets/processing/requeue.handlers.ts';
import { handlePickFrames } from '../frames/pick.handlers.ts';
import { handleTranscribe } from './transcript.handlers.ts';
import { handleWatchVideos } from '../watch.handlers.ts';

// Films are cut and decoded while others use the machine, too.
setDefaultTimeout(60_000);

let database: TestDatabase;
let app: App;
let folder: string;
let me: TestUser;
let house: Household;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  folder = await mkdtemp(join(tmpdir(), 'safelight-speech-'));
  house = await seedHousehold(database);
  await makeFilm('talk.mp4', VOICES);
  await makeFilm('silent.mp4', '0');
  await makeFilm('mute.mp4', undefined);
});
afterAll(async () => {
  await closeInference();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await database.sql`truncate job`;
  await rm(join(database.deps.settings.dataDir, 'models'), { recursive: true, force: true });
  clearModelCache();
  me = await seed(database).user();
});

/** Four syllables a second: a low voice at the beginning, and a high one after 45 seconds. */
const syllables = (hertz: number, from: number, to: number) =>
  `0.4*sin(2*PI*${hertz}*t)*lt(mod(t*4\\,1)\\,0.6)*between(t\\,${from}\\,${to})`;
const VOICES = `${syllables(200, 0, 5)}+${syllables(5000, 45, 50)}`;

async function makeFilm(name: string, sound: string | undefined): Promise<void> {
  const picture = ['-f', 'lavfi', '-t', '50', '-i', 'color=c=teal:size=64x48:rate=2'];
  const track =
    sound === undefined ? [] : ['-f', 'lavfi', '-t', '50', '-i', `aevalsrc=${sound}:s=32000`];
  const coding = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', join(folder, name)];
  const command = ['ffmpeg', '-y', '-v', 'error', ...picture, ...track, ...coding];
  expect(await Bun.spawn(command).exited).toBe(0);
}

const TALK: SpeechShape = {
  low: [0, ' Good evening.', 100, 100, ' Caf', 'é', ' at ten.', 220, 220],
  high: [10, ' HI', 60],
};

/** As `models pull` or the owner's own folder would bring it. */
async function install(name: string, shape: SpeechShape = TALK): Promise<string> {
  const models = join(database.deps.settings.dataDir, 'models/speech');
  await rm(models, { recursive: true, force: true });
  await writeSpeech(join(models, name), shape);
  clearModelCache();
  return join(models, name);
}

async function run(work: Promise<Effect | void>): Promise<void> {
  const effect = await work;
  const after = effect && (await database.db.transaction((tx) => effect(tx)));
  await after?.();
}

const hear = (assetId: string, over: { force?: boolean } = {}) =>
  handleTranscribe(jobCtx(database), { assetId, ...over });

/** Piece by piece as the lane would; answers how many there were. */
async function hearAll(assetId: string): Promise<number> {
  await database.sql`truncate job`;
  await run(hear(assetId));
  for (let runs = 1; ; runs++) {
    const jobs = await database.sql`delete from job where name = 'enrichment.transcribe'
      and payload ->> 'assetId' = ${assetId} returning 1`;
    if (jobs.length === 0) return runs;
    await run(hear(assetId));
  }
}

/** With its frames, as it would be before anybody listens. */
async function addFilm(owner: TestUser, over: object = {}, name = 'talk.mp4'): Promise<string> {
  // Behind its end a file may have anything: so it is another one each time.
  const bytes = Buffer.concat([await Bun.file(join(folder, name)).bytes(), randomBytes(8)]);
  const id = await addFile(
    database,
    { name, bytes },
    { ownerId: owner.id, durationMs: 50_000, ...over },
  );
  await run(handlePickFrames(jobCtx(database), { assetId: id }));
  return id;
}

const getMoments = (id: string, as: TestUser) =>
  call(app, `GET /enrichment/videos/${id}/moments`, { as });
const getSpeech = async (id: string, as = me) => (await getMoments(id, as)).body.speech;
const search = async (query: string, as: TestUser = me, over: object = {}) =>
  (await call(app, 'POST /enrichment/moments/search', { as, body: { query, ...over } })).body.items;
const getLines = (id: string) =>
  database.sql`select start_ms, end_ms, text, model from video_speech where asset_id = ${id}
    order by start_ms`.then((rows) => rows.map((row) => Object.values(row)));
const waiting = async (id: string) => {
  const rows = await database.sql`select name, payload from job where payload ->> 'assetId' = ${id}
    and name = 'enrichment.transcribe'`;
  return rows.map(({ payload }) => payload);
};
const watch = () => run(handleWatchVideos(jobCtx(database), {}) as Promise<Effect | void>);

describe('the transcript of a video', () => {
  test('has times, is made in chunks of 30 s and skips silence', async () => {
    // A process that has a model in memory keeps it: another shape is another model.
    await install('french', { ...TALK, language: 'fr' });
    const id = await addFilm(me);
    expect(await waiting(id)).toEqual([{ assetId: id }]);
    expect(await getSpeech(id)).toMatchObject({ status: 'pending', model: null, lines: [] });
    expect(await hearAll(id)).toBe(2);
    const speech = await getSpeech(id);
    expect(speech).toMatchObject({
      status: 'ready',
      model: 'french',
      language: 'fr',
      isOutdated: false,
    });
    expect(speech.lines.map((line: any) => line.text)).toEqual([
      'Good evening.',
      'Café at ten.',
      'HI',
    ]);
    const [evening, cafe, high] = speech.lines;
    expect(evening).toMatchObject({ startMs: 0, endMs: 2000, language: 'fr' });
    expect(cafe).toMatchObject({ startMs: 2000, endMs: 4400 });
    expect(high.startMs).toBeWithin(44_700, 45_300);
    expect(high.confidence).toBeWithin(0.9, 1.0001);
    const [part] = await database.sql`
      select text from asset_text_part where asset_id = ${id} and kind = 'spoken'`;
    expect(part!['text']).toBe('Good evening. Café at ten. HI');
    await watch();
    expect(await waiting(id)).toEqual([]);
  });

  test('EP-033: is found by its words, without accents and by their beginning', async () => {
    await install('made');
    const [id, other] = [await addFilm(me), await addFilm(me)];
    await hearAll(id);
    const items = await search('cafe');
    expect(items).toMatchObject([
      { assetId: id, timeMs: 2000, matchedBy: ['transcript'], transcript: 'Café at ten.' },
    ]);
    const { body } = await getMoments(id, me);
    expect(items[0].frameId).toBe(body.frames[0].id);
    expect(await search('good even')).toHaveLength(1);
    expect(await search('goodbye')).toEqual([]);
    expect(await search('cafe', me, { kinds: ['manual'] })).toEqual([]);
    expect(await search('cafe', me, { kinds: ['generated'] })).toHaveLength(1);
    expect(await search('cafe', me, { assetIds: [other] })).toEqual([]);
    // Each line is a moment of its own; they come on pages like others.
    await hearAll(other);
    expect(await search('cafe')).toHaveLength(2);
    expect(await search('cafe', me, { size: 1, page: 2 })).toHaveLength(1);
  });

  test("is found despite a typing error, if the caller's own videos contain the word", async () => {
    await install('made');
    const [id, other] = [await addFilm(me), await addFilm(house.stranger)];
    await hearAll(id);
    await hearAll(other);
    await database.sql`insert into search_word values ('evening'), ('evenings'), ('cafe')
      on conflict do nothing`;
    expect(await search('evning')).toMatchObject([{ assetId: id, transcript: 'Good evening.' }]);
    expect(await search('good evnening')).toHaveLength(1);
    expect(await search('bad evning')).toEqual([]);
    expect(await search('evning', me, { kinds: ['manual'] })).toEqual([]);
    expect(await search('evning', await seed(database).user())).toEqual([]);
  });

  test('is made for untranscribed videos when the queue is started', async () => {
    await install('made');
    await run(
      handleRequeue(jobCtx(database), { queue: 'smartSearch', force: false }) as Promise<Effect>,
    );
    const names = await database.sql`select name from job where name like 'enrichment%'`;
    expect([...names].map(({ name }) => name)).toEqual(['enrichment.watchVideos']);
  });

  test('is hidden without access to the video, and not found once the video is archived, locked or trashed', async () => {
    await install('made');
    const states = [
      {},
      { lockedAt: NOW },
      { trashedAt: NOW },
      { ownerId: house.stranger.id },
      { ownerId: house.partner.id },
    ];
    const ids: string[] = [];
    for (const state of states) ids.push(await addFilm(house.owner, state));
    for (const id of ids) await hearAll(id);
    const [shown, locked] = ids as [string, string];
    expect((await search('evening', house.owner)).map((item: any) => item.assetId)).toEqual([
      shown,
    ]);
    await unlock(database, house.owner);
    const opened = await call(app, 'POST /enrichment/moments/search', {
      session: house.owner,
      body: { query: 'evening' },
    });
    expect(opened.body.items.map((item: any) => item.assetId)).toEqual([shown]);
    expect(await search('evening', house.viewer)).toEqual([]);
    expect((await getMoments(shown, house.viewer)).body.speech.lines).toHaveLength(3);
    expect((await getMoments(shown, house.stranger)).status).toBe(404);
    expect((await getMoments(locked, house.owner)).status).toBe(404);
    const guest = await call(app, `GET /enrichment/videos/${shown}/moments?slug=assets`);
    expect(guest.status).toBe(403);
  });

  test('goes with the video', async () => {
    await install('made');
    const id = await addFilm(me);
    await hearAll(id);
    await database.sql`delete from asset where id = ${id}`;
    expect(await getLines(id)).toEqual([]);
    expect(await search('evening')).toEqual([]);
  });
});

describe('a job', () => {
  test('that crashes loses one chunk: earlier lines stay, and none is repeated', async () => {
    await install('made');
    const id = await addFilm(me);
    await run(hear(id));
    const first = await getLines(id);
    expect(first.map(([, , text]) => text)).toEqual(['Good evening.', 'Café at ten.']);
    expect(await getSpeech(id)).toMatchObject({ status: 'processing', model: 'made' });
    // It has heard the next piece, and is gone before that is written.
    await hear(id);
    expect(await getLines(id)).toEqual(first);
    const again = [await hear(id), await hear(id)];
    for (const effect of again)
      await database.db.transaction(async (tx) => void (await effect!(tx)));
    expect((await getLines(id)).map(([, , text]) => text)).toEqual([
      'Good evening.',
      'Café at ten.',
      'HI',
    ]);
    expect(await getSpeech(id)).toMatchObject({ status: 'ready' });
  });

  test('without sound, or without a voice in it, ends well', async () => {
    await install('made');
    for (const name of ['silent.mp4', 'mute.mp4']) {
      const id = await addFilm(me, {}, name);
      expect(await hearAll(id)).toBe(1);
      expect(await getSpeech(id)).toMatchObject({ status: 'ready', language: null, lines: [] });
      await watch();
      expect(await waiting(id)).toEqual([]);
    }
  });

  test('without a model changes nothing; the periodic job enqueues the video once one is installed', async () => {
    const id = await addFilm(me);
    expect(await waiting(id)).toEqual([]);
    expect(await hear(id)).toBeUndefined();
    expect(await getSpeech(id)).toMatchObject({ status: 'unavailable', model: null, lines: [] });
    const features = async () => (await call(app, 'GET /server/features')).body.speech;
    expect(await features()).toBeUndefined();
    await watch();
    expect(await waiting(id)).toEqual([]);
    await install('made');
    expect(await features()).toBe(true);
    await watch();
    expect(await waiting(id)).toEqual([{ assetId: id }]);
    await hearAll(id);
    expect(await getLines(id)).toHaveLength(3);
  });

  test('of another model transcribes again and keeps the old lines until then', async () => {
    await install('made');
    const id = await addFilm(me);
    await hearAll(id);
    await install('better', { ...TALK, low: [0, ' Good night.', 100, 100] });
    expect(await getSpeech(id)).toMatchObject({ status: 'ready', model: 'made', isOutdated: true });
    await watch();
    expect(await waiting(id)).toEqual([{ assetId: id }]);
    await run(hear(id));
    const models = async () => (await getLines(id)).map(([, , text, model]) => [text, model]);
    expect(await models()).toEqual([
      ['Good night.', 'better'],
      ['HI', 'made'],
    ]);
    await hearAll(id);
    expect(await models()).toEqual([
      ['Good night.', 'better'],
      ['HI', 'better'],
    ]);
    expect(await search('evening')).toEqual([]);
  });

  test('with force transcribes again and keeps manual moments', async () => {
    await install('made');
    const id = await addFilm(me);
    await hearAll(id);
    const mark = { startMs: 1000, title: 'Toast', transcript: 'Cheers' };
    const path = `POST /enrichment/videos/${id}/moments` as const;
    const { body: made } = await call(app, path, { as: me, body: mark });
    await database.sql`truncate job`;
    await run(handlePickFrames(jobCtx(database), { assetId: id, force: true }));
    expect(await waiting(id)).toEqual([{ assetId: id, force: true }]);
    await database.sql`truncate job`;
    await run(hear(id, { force: true }));
    expect(await waiting(id)).toEqual([{ assetId: id }]);
    expect(await getLines(id)).toHaveLength(3);
    await hearAll(id);
    expect(await getLines(id)).toHaveLength(3);
    const { moments } = (await getMoments(id, me)).body;
    expect(moments).toMatchObject([{ id: made.id, transcript: 'Cheers', kind: 'manual' }]);
    expect(await search('cheers')).toMatchObject([{ momentId: made.id, transcript: 'Cheers' }]);
  });

  test('on an undecodable file reports the error and is not retried', async () => {
    await install('made');
    const bytes = new TextEncoder().encode('no video at all');
    const id = await addFile(database, { name: 'broken.mp4', bytes }, { ownerId: me.id });
    await run(handlePickFrames(jobCtx(database), { assetId: id }));
    expect(await hearAll(id)).toBe(1);
    expect(await getSpeech(id)).toMatchObject({ status: 'failed', lines: [] });
    await watch();
    expect(await waiting(id)).toEqual([]);
  });

  test('fails and is retried while the original is missing', async () => {
    await install('made');
    const id = await addFilm(me);
    const [row] = await database.sql`select sha256 from asset where id = ${id}`;
    await rm(originalPath(database.deps.paths, row!['sha256']));
    const failure = await hear(id).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).toContain('is not on the disk');
    expect(await getSpeech(id)).toMatchObject({ status: 'pending' });
  });

  test('skips a chunk that crashes inference every time', async () => {
    const place = await install('made');
    const encoder = join(place, 'onnx/encoder_model.onnx');
    const id = await addFilm(me);
    await closeInference();
    await rm(encoder);
    // Nobody writes into it: the child opens it for ever.
    Bun.spawnSync(['mkfifo', encoder]);
    const hearing = hear(id);
    for (let life = 0; life < 2; life++) {
      const pid = await firstChild();
      process.kill(pid, 'SIGKILL');
      while (children().includes(pid)) await Bun.sleep(5);
    }
    await run(hearing);
    expect(await getSpeech(id)).toMatchObject({ status: 'processing', lines: [] });
    await install('made');
    await hearAll(id);
    expect((await getLines(id)).map(([, , text]) => text)).toEqual(['HI']);
  });
});

/** Processes that run the models for this one. */
const children = (): number[] =>
  readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number)
      .filter((pid) => readCommandLine(pid).includes('\0inference\0')),
  );

async function firstChild(): Promise<number> {
  for (;;) {
    const [pid] = children();
    if (pid !== undefined) return pid;
    await Bun.sleep(5);
  }
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

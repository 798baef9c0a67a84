import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { handlePickFrames } from '../../src/areas/enrichment/frames/pick.handlers.ts';
import { handleTranscribe } from '../../src/areas/enrichment/transcript/transcript.handlers.ts';
import { handleWatchVideos } from '../../src/areas/enrichment/watch.handlers.ts';
import { clearModelCache } from '../../src/inference/capabilities.ts';
import { closeInference } from '../../src/inference/client.ts';
import type { Effect } from '../../src/jobs/define.ts';
import { makeClip } from '../fixtures/clips.ts';
import { copyFrames } from './films.ts';
import { type SpeechShape, writeSpeech } from './generated-speech.ts';
import { call, seed, type TestDatabase, type TestUser } from './harness.ts';
import { type Household, openHousehold } from './household.ts';
import { addFile, jobCtx } from './processing.ts';

/** Four syllables a second between two times in seconds. */
const syllables = (hertz: number, from: number, to: number) =>
  `0.4*sin(2*PI*${hertz}*t)*lt(mod(t*4\\,1)\\,0.6)*between(t\\,${from}\\,${to})`;

type FilmShape = { readonly seconds: number; readonly sound: string | undefined };

/** A low voice at the beginning and perhaps a high one after 45 seconds, silence, no track. */
const FILMS = {
  'talk.mp4': { seconds: 50, sound: `${syllables(200, 0, 5)}+${syllables(5000, 45, 50)}` },
  'brief.mp4': { seconds: 6, sound: syllables(200, 0, 5) },
  'silent.mp4': { seconds: 50, sound: '0' },
  'mute.mp4': { seconds: 50, sound: undefined },
} satisfies Record<string, FilmShape>;
export type Film = keyof typeof FILMS;

function makeFilm(path: string, { seconds, sound }: FilmShape): string {
  const lavfi = ['-f', 'lavfi', '-t', String(seconds), '-i'];
  const picture = [...lavfi, 'color=c=teal:size=64x48:rate=2'];
  const track = sound === undefined ? [] : [...lavfi, `aevalsrc=${sound}:s=32000`];
  const coding = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  return makeClip(path, [...picture, ...track, ...coding]);
}

/** A process that has a model in memory keeps it: another shape is another model, and another process. */
export const TALK: SpeechShape = {
  language: 'fr',
  low: [0, ' Good evening.', 100, 100, ' Caf', 'é', ' at ten.', 220, 220],
  high: [10, ' HI', 60],
};

/** A household per file with films to transcribe, and for each test a new account and no model. */
export function createTranscriptTests() {
  let database: TestDatabase;
  let app: App;
  let folder: string;
  let me: TestUser;
  let house: Household;
  beforeAll(async () => {
    ({ database, app, house } = await openHousehold());
    folder = await mkdtemp(join(tmpdir(), 'safelight-speech-'));
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

  async function run(work: Promise<Effect | void>): Promise<void> {
    const effect = await work;
    const after = effect && (await database.db.transaction((tx) => effect(tx)));
    await after?.();
  }
  const transcribe = (assetId: string, over: { force?: boolean } = {}) =>
    handleTranscribe(jobCtx(database), { assetId, ...over });
  const getMoments = (id: string, as: TestUser) =>
    call(app, `GET /enrichment/videos/${id}/moments`, { as });
  const addUnpicked = async (owner: TestUser, over: object, name: Film): Promise<string> => {
    const path = makeFilm(join(folder, name), FILMS[name]);
    // Behind its end a file may have anything: so it is another one each time.
    const bytes = Buffer.concat([await Bun.file(path).bytes(), randomBytes(8)]);
    const values = { ownerId: owner.id, durationMs: FILMS[name].seconds * 1000, ...over };
    return addFile(database, { name, bytes }, values);
  };
  const addFilm = async (
    owner: TestUser,
    over: object = {},
    name: Film = 'talk.mp4',
  ): Promise<string> => {
    const id = await addUnpicked(owner, over, name);
    await run(handlePickFrames(jobCtx(database), { assetId: id }));
    return id;
  };
  const picked = new Map<Film, Promise<string>>();
  const addCopy = async (
    owner: TestUser,
    over: object = {},
    name: Film = 'talk.mp4',
  ): Promise<string> => {
    const another =
      picked.get(name) ??
      seed(database)
        .user()
        .then((one) => addFilm(one, {}, name));
    picked.set(name, another);
    const id = await addUnpicked(owner, over, name);
    await copyFrames(database, await another, id);
    return id;
  };

  return {
    get database() {
      return database;
    },
    get app() {
      return app;
    },
    get me() {
      return me;
    },
    get house() {
      return house;
    },
    run,
    transcribe,
    getMoments,
    /** As `models pull` or the owner's own folder would bring it. */
    install: async (name: string, shape: SpeechShape = TALK): Promise<string> => {
      const models = join(database.deps.settings.dataDir, 'models/speech');
      await rm(models, { recursive: true, force: true });
      await writeSpeech(join(models, name), shape);
      clearModelCache();
      return join(models, name);
    },
    /** Transcribes chunk by chunk, as the lane does. Returns the number of chunks. */
    transcribeAll: async (assetId: string): Promise<number> => {
      await database.sql`truncate job`;
      await run(transcribe(assetId));
      for (let runs = 1; ; runs++) {
        const jobs = await database.sql`delete from job where name = 'enrichment.transcribe'
          and payload ->> 'assetId' = ${assetId} returning 1`;
        if (jobs.length === 0) return runs;
        await run(transcribe(assetId));
      }
    },
    /** Adds a film with its frames, as it is before it is transcribed. */
    addFilm,
    /** Adds one whose frames are copies of those that were picked for another one. */
    addCopy,
    /** Adds such a film of one chunk, two lines. */
    addBrief: (owner: TestUser, over: object = {}) => addCopy(owner, over, 'brief.mp4'),
    getSpeech: async (id: string) => (await getMoments(id, me)).body.speech,
    search: async (query: string, as: TestUser = me, over: object = {}) =>
      (await call(app, 'POST /enrichment/moments/search', { as, body: { query, ...over } })).body
        .items,
    getLines: (id: string) =>
      database.sql`select start_ms, end_ms, text, model from video_speech where asset_id = ${id}
        order by start_ms`.then((rows) => rows.map((row) => Object.values(row))),
    listJobs: async (id: string) => {
      const rows = await database.sql`select name, payload from job
        where payload ->> 'assetId' = ${id} and name = 'enrichment.transcribe'`;
      return rows.map(({ payload }) => payload);
    },
    watch: () => run(handleWatchVideos(jobCtx(database), {}) as Promise<Effect | void>),
  };
}

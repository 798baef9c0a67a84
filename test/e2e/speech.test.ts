import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { indexText } from '../../src/areas/search/jobs.ts';
import { openDatabase } from '../../src/db/client.ts';
import { enqueue } from '../../src/jobs/queue.ts';
import { makeClip } from '../fixtures/clips.ts';
import { INAUGURAL, installSpeech } from '../support/speech-models.ts';
import { addPhotos, type Api, createApi } from './people.ts';
import { type RunningServer, signUp, startServer, until } from './server.ts';
import { skipWithout } from '../support/requirements.ts';

// Whisper in a whole server: a film is uploaded before the model is installed.

const TIMEOUT_MS = 300_000;

let server: RunningServer;
let api: Api;
let apiKey: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-speech-'));
  server = await startServer();
  ({ apiKey } = await signUp(server.url));
  api = createApi(server.url, apiKey);
}, TIMEOUT_MS);
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

/** Something is said in the second of the parts of 30 s that the model hears. */
async function makeFilm(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const picture = ['-f', 'lavfi', '-t', '54', '-i', 'color=c=teal:size=64x48:rate=2'];
  const sound = ['-i', INAUGURAL, '-filter_complex', '[1]adelay=40000,apad[a]'];
  const coding = ['-map', '0', '-map', '[a]', '-t', '54', '-pix_fmt', 'yuv420p'];
  const path = makeClip(join(folder, 'film.mp4'), [...picture, ...sound, ...coding]);
  return { name: 'film.mp4', mimeType: 'video/mp4', buffer: await readFile(path) };
}

/** Queues what a server does once a minute. */
async function indexNow(): Promise<void> {
  const database = openDatabase(server.databaseUrl, { max: 1 });
  await enqueue(database.db, indexText, {});
  await database.close();
}

skipWithout('speech models').test(
  'a film uploaded without a speech model is transcribed once one is installed and is found by its words',
  async () => {
    const [id] = await addPhotos(server.url, apiKey, [await makeFilm()]);
    const speech = async () => (await api('GET', `/enrichment/videos/${id}/moments`)).speech;
    await until('scenes', async () => {
      const { frames } = await api('GET', `/enrichment/videos/${id}/moments`);
      return frames.length > 0;
    });
    expect(await speech()).toMatchObject({ status: 'unavailable', lines: [] });
    await installSpeech(server.dataDir);
    await until('the model', async () => (await api('GET', '/server/features')).speech);
    // The watch looks every five minutes; a start by hand does not wait for it. Each thread knows of
    // new models within seconds.
    await until('what is said', async () => {
      // Refused while it runs.
      await api('PUT', '/jobs/smartSearch', { command: 'start', force: false }).catch(() => {});
      await Bun.sleep(1000);
      return (await speech()).status === 'ready';
    });
    const { language, lines, model } = await speech();
    expect([language, model]).toEqual(['en', 'whisper-tiny']);
    expect(lines[0].startMs).toBeWithin(39_500, 41_000);
    const { items } = await api('POST', '/enrichment/moments/search', {
      query: 'fellow americans',
    });
    expect(items).toMatchObject([{ assetId: id, matchedBy: ['transcript'] }]);
    expect(items[0].timeMs).toBeWithin(39_500, 41_000);
    await indexNow();
    await until('the words of the film', async () => {
      const found = await api('POST', '/search/smart', { query: 'your country' });
      return found.assets.items.some((item: { id: string }) => item.id === id);
    });
  },
  TIMEOUT_MS,
);

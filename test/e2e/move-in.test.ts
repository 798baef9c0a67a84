import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStill, createVideo } from '../support/live-photos.ts';
import { runCommand } from '../support/command-line.ts';
import { journey } from '../support/journey.ts';
import { photo } from './browser.ts';
import { eventually } from './eventually.ts';
import { createApi } from './people.ts';
import { until } from './server.ts';
import { openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The command that moves an account in from Immich, with this server in its place: both have the same API.

let stage: Stage;
let target: Stage;
let folder: string;
let ids: Record<'edited' | 'plain' | 'archived' | 'trashed' | 'locked' | 'live', string>;

beforeAll(async () => {
  [stage, target] = [await openStage(), await openStage()];
  folder = await mkdtemp(join(tmpdir(), 'move-in-'));
  await Bun.write(join(folder, 'key'), `${stage.account.apiKey}\n`);
  const names = ['edited', 'plain', 'archived', 'trashed', 'locked'] as const;
  const added = await stage.add(
    names.map((name, at) => photo(`${name}.jpg`, `2024:05:0${at + 1} 12:00:00`)),
  );
  const byName = Object.fromEntries(names.map((name, at) => [name, added[at]!]));
  ids = { ...byName, live: await uploadLivePhoto() } as typeof ids;
  const { api, freshApi } = stage;
  const change = {
    dateTimeOriginal: '2021-07-04T18:30:00.000+02:00',
    latitude: 48.8566,
    longitude: 2.3522,
  };
  await api('PUT', `/assets/${ids.edited}`, { ...change, description: 'Père & <fils>', rating: 4 });
  await api('PUT', `/assets/${ids.plain}`, { isFavorite: true });
  await api('PUT', '/assets', { ids: [ids.archived], visibility: 'archive' });
  await api('DELETE', '/assets', { ids: [ids.trashed] });
  await api('POST', '/albums', { albumName: 'Été/2021', assetIds: [ids.edited, ids.archived] });
  const tags = await api('PUT', '/tags', { tags: ['Travel/Paris', 'Travel'] });
  for (const [at, name] of (['plain', 'edited'] as const).entries()) {
    await api('PUT', `/tags/${tags[at].id}/assets`, { ids: [ids[name]] });
  }
  await api('POST', '/stacks', { assetIds: [ids.plain, ids.edited] });
  await freshApi('POST', '/auth/pin-code', { pinCode: '123456' });
  await api('PUT', '/assets', { ids: [ids.locked], visibility: 'locked' });
  await until('the edits', async () => (await getInfo(stage, 'edited'))?.exifInfo?.rating === 4);
}, TIMEOUT_MS);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await target?.close();
});

async function uploadLivePhoto(): Promise<string> {
  const identifier = crypto.randomUUID();
  const upload = async (name: string, bytes: Buffer, more: Record<string, string> = {}) => {
    const form = new FormData();
    form.append('assetData', new File([new Uint8Array(bytes)], name));
    const now = new Date().toISOString();
    const fields = {
      fileCreatedAt: now,
      fileModifiedAt: now,
      deviceAssetId: name,
      deviceId: 'test',
    };
    for (const [key, value] of Object.entries({ ...fields, ...more })) form.append(key, value);
    const headers = { 'x-api-key': stage.account.apiKey };
    const url = `${stage.server.url}/api/assets`;
    return (
      (await (await fetch(url, { method: 'POST', headers, body: form })).json()) as { id: string }
    ).id;
  };
  const video = await upload('live.mov', await createVideo(folder, identifier));
  return upload('live.jpg', await createStill(identifier), { livePhotoVideoId: video });
}

const listAssets = async (
  { api }: Stage,
  more: object = {},
): Promise<{ id: string; originalFileName: string }[]> =>
  (await api('POST', '/search/metadata', { withExif: true, withStacked: true, ...more })).assets
    .items;
const getInfo = async (of: Stage, name: string) => {
  const found = (await listAssets(of)).find(
    ({ originalFileName }) => originalFileName === `${name}.jpg`,
  );
  return found && of.api('GET', `/assets/${found.id}`);
};

const moveIn = (...flags: string[]) => {
  const { dataDir, databaseUrl, url } = target.server;
  const source = ['--immich', url, '--immich-key-file', join(folder, 'key')];
  const library = [
    '--data',
    dataDir,
    '--database-url',
    databaseUrl,
    '--owner',
    target.account.email,
  ];
  return runCommand(folder, ['import', ...source, ...library, ...flags]);
};

const { step } = journey('an account moves in from Immich', TIMEOUT_MS);

step('a dry run tells what would come and writes nothing', async () => {
  const { code, out, err } = await moveIn('--dry-run');
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('4 to take in');
  expect(out).toContain('2 added to albums (1)');
  expect(await listAssets(target)).toEqual([]);
  expect(await target.api('GET', '/albums')).toEqual([]);
});

step(
  'an account comes with its albums, tags, stacks and changes, without trash and locked items',
  async () => {
    const { code, out, err } = await moveIn();
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('5 taken in');
    const names = (await listAssets(target)).map(({ originalFileName }) => originalFileName);
    expect(names.toSorted()).toEqual(['archived.jpg', 'edited.jpg', 'live.jpg', 'plain.jpg']);
    await eventually(async () => (await getInfo(target, 'edited')).exifInfo).toMatchObject({
      description: 'Père & <fils>',
      rating: 4,
      latitude: 48.8566,
      longitude: 2.3522,
      dateTimeOriginal: '2021-07-04T16:30:00+00:00',
    });
    const edited = await getInfo(target, 'edited');
    expect(edited.localDateTime).toBe('2021-07-04T18:30:00.000Z');
    expect(edited.tags.map(({ value }: { value: string }) => value)).toEqual(['Travel']);
    const plain = await getInfo(target, 'plain');
    expect(plain).toMatchObject({ isFavorite: true, visibility: 'timeline' });
    expect(plain.localDateTime).toBe('2024-05-02T12:00:00.000Z');
    expect(plain.tags.map(({ value }: { value: string }) => value)).toEqual(['Travel/Paris']);
    expect(plain.stack).toMatchObject({ primaryAssetId: plain.id, assetCount: 2 });
    expect(await getInfo(target, 'archived')).toMatchObject({ visibility: 'archive' });
    expect((await getInfo(target, 'live')).livePhotoVideoId).toBeString();
    expect(await target.api('GET', '/albums')).toMatchObject([
      { albumName: 'Été/2021', assetCount: 2 },
    ]);
  },
);

step(
  'another run downloads nothing and changes nothing, also what was changed here since',
  async () => {
    const { id } = await getInfo(target, 'edited');
    await target.api('PUT', `/assets/${id}`, { description: 'Mine' });
    const { code, out } = await moveIn();
    expect(code).toBe(0);
    expect(out).toContain('\n0 taken in, 0 B\n4 in the library already');
    expect((await getInfo(target, 'edited')).exifInfo.description).toBe('Mine');
    expect(await target.api('GET', '/albums')).toMatchObject([
      { albumName: 'Été/2021', assetCount: 2 },
    ]);
  },
);

step(
  'a wrong key, a key without permissions and no server are told, and nothing is taken',
  async () => {
    const { url } = stage.server;
    const weak = await stage.freshApi('POST', '/api-keys', {
      name: 'weak',
      permissions: ['user.read'],
    });
    for (const [address, key, text] of [
      [url, 'wrong', 'does not know this API key'],
      [url, weak.secret, 'the API key needs asset.read'],
      [`${url}/somewhere`, stage.account.apiKey, 'it may be no server of Immich'],
    ]) {
      await Bun.write(join(folder, 'other'), key);
      const flags = ['--immich', address, '--immich-key-file', join(folder, 'other')];
      const { code, err } = await moveIn(...flags);
      expect([code, err]).toEqual([1, expect.stringContaining(text)]);
      expect(err).not.toContain(stage.account.apiKey);
    }
    const usage = await moveIn('--immich', 'ftp://x');
    expect([usage.code, usage.err]).toEqual([2, expect.stringContaining('is no address')]);
    const none = await createApi(url, target.account.apiKey)('GET', '/albums');
    expect(none).toHaveLength(1);
  },
);

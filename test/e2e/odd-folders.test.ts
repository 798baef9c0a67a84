import { afterAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clip, flat, openFixtures } from '../fixtures/index.ts';
import { plainEnvironment, readyUrl, signUp, until } from './server.ts';
import { getProgram } from '../support/program.ts';

// Sandboxed child processes can read their files in folders with unusual names.

const fixtures = openFixtures();
const folders: string[] = [];
afterAll(async () => {
  fixtures.remove();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const SIDECAR = `<x:xmpmeta xmlns:x="adobe:ns:meta/">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>`;

test('pictures, sidecars and videos are read from folders with spaces, umlauts and symbolic links', async () => {
  const root = await mkdtemp(join(tmpdir(), 'safelight odd ü-'));
  folders.push(root);
  const [data, link, temporary] = ['data 写真', 'link', 'tmp é'].map((name) => join(root, name));
  for (const name of ['originals', 'derived']) await mkdir(join(root, `other ${name}`));
  await mkdir(data!);
  await mkdir(temporary!);
  for (const name of ['originals', 'derived'])
    await symlink(join(root, `other ${name}`), join(data!, name));
  await symlink(data!, link!);
  const flags = [`--data=${link}`, '--host=127.0.0.1', '--port=0', '--log-format=json'];
  const child = Bun.spawn([...getProgram(), 'serve', ...flags], {
    env: { ...plainEnvironment(), TMPDIR: temporary! },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const url = await readyUrl(child.stderr, []);
    const { apiKey } = await signUp(url);
    const headers = { 'x-api-key': apiKey };
    const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>) => {
      const form = new FormData();
      form.append('assetData', new File([bytes], name));
      form.append('sidecarData', new File([SIDECAR], `${name}.xmp`));
      for (const field of ['fileCreatedAt', 'fileModifiedAt'])
        form.append(field, '2020-01-01T00:00:00.000Z');
      const reply = await fetch(`${url}/api/assets`, { method: 'POST', headers, body: form });
      expect(reply.status).toBe(201);
      return ((await reply.json()) as { id: string }).id;
    };
    const get = (path: string) => fetch(`${url}/api/assets/${path}`, { headers });
    const photo = await upload('a.jpg', new Uint8Array(await flat([9, 80, 90]).jpeg().toBuffer()));
    const video = clip(fixtures.path('a.avi'), '-c:v', 'mjpeg');
    const film = await upload('a.avi', await Bun.file(video).bytes());
    for (const id of [photo, film]) {
      await until('a preview', async () => (await get(`${id}/thumbnail?size=preview`)).ok);
      await until(
        'the rating',
        async () =>
          ((await (await get(id)).json()) as { exifInfo?: { rating: number | null } }).exifInfo
            ?.rating === 4,
      );
    }
    const getContentType = async () =>
      (await get(`${film}/video/playback`)).headers.get('content-type');
    await until('a playable video', async () => (await getContentType()) === 'video/mp4');
  } finally {
    child.kill('SIGTERM');
    await child.exited;
  }
}, 300_000);

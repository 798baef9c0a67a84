// bun test/bench/studio.bench.ts [frames] [streams]: a project with a 1080p video, on the binary with its own
// database: single frames, cold (rendered) and shared (rendered before by the same request); preview streams
// until their first picture, and two at once; a film of two tracks. Prints JSON.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment, safelight, signUp } from '../e2e/server.ts';
import { createForm, DATES, FORM_TYPE, filePart } from '../support/forms.ts';
import { paintClip } from '../support/painted-clips.ts';
import { measureExport } from './studio-export.ts';
import { measureStreams } from './studio-streams.ts';
import { answering, freePort, spread, timed } from './measure.ts';

const [frames = 60, rounds = 20] = process.argv.slice(2).map(Number);
const SECONDS = 20;
const POLL_MS = 5;

const folder = await mkdtemp(join(tmpdir(), 'safelight-studio-'));
const url = `http://127.0.0.1:${freePort()}`;
const options = [
  '--data',
  join(folder, 'data'),
  '--host',
  '127.0.0.1',
  '--port',
  new URL(url).port,
];
const child = Bun.spawn([...safelight(), 'serve', ...options], {
  env: plainEnvironment(),
  stdout: 'ignore',
  stderr: 'ignore',
});
try {
  await answering(`${url}/api`);
  const { apiKey } = await signUp(url);
  process.stdout.write(`${JSON.stringify(await measure(apiKey), null, 2)}\n`);
} finally {
  child.kill('SIGTERM');
  await child.exited;
  await rm(folder, { recursive: true });
}

async function measure(apiKey: string): Promise<object> {
  const send = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const path = join(folder, 'clip.mp4');
  paintClip(path, {
    frames: SECONDS * 30,
    source: 'testsrc2',
    size: '1920x1080',
    coding: '-c:v libx264 -preset veryfast -crf 24 -g 250 -bf 2',
  });
  const reply = await fetch(`${url}/api/assets`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': FORM_TYPE },
    body: createForm([
      ...DATES,
      filePart(await Bun.file(path).bytes(), 'clip.mp4'),
    ]) as Uint8Array<ArrayBuffer>,
  });
  const { id: assetId } = (await reply.json()) as { id: string };
  while (Object.values<any>(await send('GET', '/jobs')).some(isBusy)) await Bun.sleep(500);
  const second = (numerator: number, denominator = 1) => ({ numerator, denominator });
  const clip = {
    assetId,
    track: 0,
    start: second(0),
    sourceIn: second(0),
    duration: second(SECONDS),
  };
  const document = { width: 1920, height: 1080, frameRate: second(30), clips: [clip] };
  const makeProject = async (): Promise<string> =>
    (await send('POST', '/studio/projects', { name: 'Film', document })).id;
  const projectId = await makeProject();

  const ask = (frame: number) =>
    timed(async () => {
      const { preview } = await send('POST', '/studio/previews', {
        projectId,
        revision: 1,
        time: second(frame, 30),
        quality: 'standard',
        viewport: { width: 960, height: 540 },
      });
      let { status } = preview;
      while (status === 'queued' || status === 'rendering') {
        await Bun.sleep(POLL_MS);
        ({ status } = await send('GET', `/studio/previews/${preview.id}`));
      }
      if (status !== 'ready') throw new Error(`the preview is ${status}`);
      const frameReply = await fetch(`${url}/api/studio/previews/${preview.id}/frame`, {
        headers: { 'x-api-key': apiKey },
      });
      await frameReply.arrayBuffer();
    });
  // Spread over the groups of pictures.
  const wanted = Array.from({ length: frames }, (_, n) => (n * 97) % (SECONDS * 30));
  const first = await ask(599);
  const cold: number[] = [];
  for (const frame of wanted) cold.push(await ask(frame));
  const shared: number[] = [];
  for (const frame of wanted) shared.push(await ask(frame));
  const projectIds = [projectId, await makeProject()] as const;
  const streams = await measureStreams({ send, projectIds, pid: child.pid, rounds });
  const film = await measureExport(send, assetId);
  return { frames, firstMs: first, cold: spread(cold), shared: spread(shared), streams, film };
}

function isBusy({ jobCounts: { active, waiting, delayed } }: any): boolean {
  return active + waiting + delayed > 0;
}

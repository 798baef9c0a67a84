// bun test/bench/studio.bench.ts [frames] [streams]: a project with a 1080p video, on the binary with its own
// database: single frames; preview streams until their first picture, and two at once; a film of two tracks.
// Prints JSON.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment, signUp } from '../e2e/server.ts';
import { getProgram } from '../support/program.ts';
import { createForm, DATES, FORM_TYPE, filePart } from '../support/forms.ts';
import { paintClip } from '../support/painted-clips.ts';
import type { Send } from './figures/server.ts';
import { measureFrames } from './studio-frames.ts';
import { measureExport } from './studio-export.ts';
import { measureStreams } from './studio-streams.ts';
import { answering, freePort } from './measure.ts';

const [frames = 40, rounds = 20] = process.argv.slice(2).map(Number);
const SECONDS = 20;

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
const child = Bun.spawn([...getProgram(), 'serve', ...options], {
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
  const send: Send = async (method, path, body) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const get = (path: string) => fetch(`${url}/api${path}`, { headers: { 'x-api-key': apiKey } });
  const upload = async (group: number): Promise<string> => {
    const path = join(folder, 'clip.mp4');
    paintClip(path, {
      frames: SECONDS * 30,
      source: 'testsrc2',
      size: '1920x1080',
      coding: `-c:v libx264 -preset veryfast -crf 24 -g ${group} -bf 2`,
    });
    const reply = await fetch(`${url}/api/assets`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': FORM_TYPE },
      body: createForm([
        ...DATES,
        filePart(await Bun.file(path).bytes(), 'clip.mp4'),
      ]) as Uint8Array<ArrayBuffer>,
    });
    return ((await reply.json()) as { id: string }).id;
  };
  // As phones write them, and as encoders of computers do.
  const [assetId, longGroups] = [await upload(30), await upload(250)];
  while (Object.values<Queue>(await send('GET', '/jobs')).some(isBusy)) await Bun.sleep(500);
  const second = (numerator: number) => ({ numerator, denominator: 1 });
  const makeProject = async (id = assetId): Promise<string> => {
    const span = { start: second(0), sourceIn: second(0), duration: second(SECONDS) };
    const clips = [{ assetId: id, track: 0, ...span }];
    const document = { width: 1920, height: 1080, frameRate: second(30), clips };
    return (await send('POST', '/studio/projects', { name: 'Film', document })).id;
  };

  const projectId = await makeProject();
  const longProjectId = await makeProject(longGroups);
  const measured = await measureFrames({ send, get, projectId, longProjectId, frames });
  const projectIds = [projectId, await makeProject()] as const;
  const streams = await measureStreams({ send, projectIds, pid: child.pid, rounds });
  const film = await measureExport(send, assetId);
  return { ...measured, streams, film };
}

type Queue = {
  readonly jobCounts: Readonly<Record<'active' | 'waiting' | 'delayed', number>>;
};

function isBusy({ jobCounts: { active, waiting, delayed } }: Queue): boolean {
  return active + waiting + delayed > 0;
}

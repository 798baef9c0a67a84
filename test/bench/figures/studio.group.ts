import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from '../../e2e/server.ts';
import { paintClip } from '../../support/painted-clips.ts';
import { uploadFile } from '../photo-upload.ts';
import { cpuMs, sumCpuMs } from '../processes.ts';
import { askForFrame } from '../studio-frames.ts';
import { defineGroup, type OpenGroup } from './groups.ts';
import { median, type Row } from './measures.ts';
import { createSender, type Send, startBinary, type StartedServer, waitForJobs } from './server.ts';

const [SECONDS, RATE] = [6, 30];
/** Distance of frames; it has no divisor in common with their number, so that they are spread over the video. */
const STEP = 37;
const TABLE = 'Studio, single frames of a 1080p video';
const second = (numerator: number) => ({ numerator, denominator: 1 });

/** Single frames of a project with a video of a phone. */
export const createStudioGroup = (frames: number) =>
  defineGroup('studio', 2, async (target) => {
    const folder = mkdtempSync(join(tmpdir(), 'figures-studio-'));
    const data = join(folder, 'data');
    mkdirSync(data);
    const server = await startBinary(target, { data });
    const { apiKey } = await signUp(new URL(server.url).origin);
    const send = createSender(server.url, { 'x-api-key': apiKey });
    const assetId = await uploadFile(server.url, apiKey, await makeClip(folder), 'clip.mp4');
    await waitForJobs(send);
    const projectId = await createProject(send, assetId);
    const close = async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    if (projectId === undefined) return { steps: [createMissing()], close };
    return { steps: createSteps({ server, send, apiKey, projectId, frames }), close };
  });

const createMissing = (): OpenGroup['steps'][number] => ({
  name: 'studio',
  run: async () => [{ table: TABLE, name: 'rendered', values: {}, note: 'none' }],
});

async function makeClip(folder: string): Promise<Uint8Array> {
  const path = join(folder, 'clip.mp4');
  paintClip(path, {
    frames: SECONDS * RATE,
    source: 'testsrc2',
    size: '1920x1080',
    coding: '-c:v libx264 -preset veryfast -crf 24 -g 30 -bf 2',
  });
  return Bun.file(path).bytes();
}

/** Undefined where the program has no studio. */
async function createProject(send: Send, assetId: string): Promise<string | undefined> {
  const span = { start: second(0), sourceIn: second(0), duration: second(SECONDS) };
  const clips = [{ assetId, track: 0, ...span }];
  const document = { width: 1920, height: 1080, frameRate: second(RATE), clips };
  try {
    return (await send('POST', '/studio/projects', { name: 'Film', document })).id;
  } catch (error) {
    if ((error as Error).message.includes(': 404 ')) return undefined;
    throw error;
  }
}

type Studio = {
  readonly server: StartedServer;
  readonly send: Send;
  readonly apiKey: string;
  readonly projectId: string;
  readonly frames: number;
};

function createSteps({ server, send, apiKey, projectId, frames }: Studio) {
  const get = (path: string) => fetch(`${server.url}${path}`, { headers: { 'x-api-key': apiKey } });
  let next = 0;
  const measure = async (name: string, from: number): Promise<Row> => {
    const times: number[] = [];
    const before = sumCpuMs(cpuMs(server.pid));
    for (let n = from; n < from + frames; n++) {
      const frame = (n * STEP) % (SECONDS * RATE);
      times.push(await askForFrame({ send, get }, projectId, frame));
    }
    const used = (sumCpuMs(cpuMs(server.pid)) - before) / frames;
    return { table: TABLE, name, values: { cpuMs: used, ms: median(times) } };
  };
  const run = async (): Promise<Row[]> => {
    const from = next;
    next += frames;
    return [await measure('rendered', from), await measure('shared, rendered before', from)];
  };
  return [{ name: 'studio', run }];
}

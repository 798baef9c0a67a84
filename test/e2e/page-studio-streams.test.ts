import { afterAll, beforeAll, expect } from 'bun:test';
import { createForm, DATES, FORM_TYPE, filePart } from '../support/forms.ts';
import type { Json } from '../support/json.ts';
import { paintClip } from '../support/painted-clips.ts';
import { openStreamViewer } from '../support/stream-viewer.ts';
import { skipWithout } from '../support/requirements.ts';
import { listSockets, listStreamProcesses } from '../support/streams.ts';
import { makeVideo, second } from './film-editor.ts';
import { type RunningServer, signUp, startAgain, startServer, until } from './server.ts';
import { getSharedBrowser } from './shared.ts';

// Preview streams of the binary, which runs in an empty folder.

const TIMEOUT_MS = 300_000;
const PORTS = { min: 42_600, max: 42_699 };

// With ports of its own, and it is killed.
let server: RunningServer;
beforeAll(async () => {
  server = await startServer(`--studio-ports=${PORTS.min}-${PORTS.max}`);
}, TIMEOUT_MS);
afterAll(() => server.stop());

/** A client of a server with an API key. */
const createClient =
  ({ url }: Pick<RunningServer, 'url'>, apiKey: string) =>
  async (method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${url}/api/studio${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };

async function upload(apiKey: string): Promise<string> {
  const { name, buffer } = await makeVideo('clip.mp4', (path) =>
    paintClip(path, { frames: 60, coding: '-c:v libx264 -preset ultrafast' }),
  );
  const reply = await fetch(`${server.url}/api/assets`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': FORM_TYPE },
    body: createForm([...DATES, filePart(buffer, name)]) as Uint8Array<ArrayBuffer>,
  });
  return ((await reply.json()) as { id: string }).id;
}

skipWithout('seccomp').test(
  'the server streams to a browser through its ports, and takes its children with it when it is killed',
  async () => {
    const { apiKey } = await signUp(server.url);
    const send = createClient(server, apiKey);
    const assetId = await upload(apiKey);
    const span = { start: second(0), duration: second(60) };
    const clips = [{ assetId, track: 0, sourceIn: second(0), ...span }];
    const document = { width: 320, height: 192, frameRate: second(30), clips };
    const { id: projectId } = await send('POST', '/projects', { name: 'Film', document });

    const viewport = { width: 320, height: 192 };
    const stream = await send('POST', '/preview-streams', { projectId, revision: 1, viewport });
    const path = `/preview-streams/${stream.id}`;
    const offer = await until('an offer', async () => (await send('GET', path)).offer);
    const ports = [...offer.sdp.matchAll(/a=candidate:\S+ \d udp \d+ \S+ (\d+)/g)];
    for (const [, port] of ports) expect(Number(port)).toBeWithin(PORTS.min, PORTS.max + 1);
    expect(ports).not.toEqual([]);
    const viewer = await openStreamViewer(await getSharedBrowser());
    await send('PUT', `${path}/answer`, { type: 'answer', sdp: await viewer.answer(offer.sdp) });
    await viewer.waitUntil(({ number }) => number === 59);
    expect((await send('GET', path)).state).toBe('connected');

    const { children } = listStreamProcesses(server.process.pid);
    expect(children).toHaveLength(1);
    // The server may also run ffmpeg for the video that has just been uploaded.
    const { ffmpeg } = listStreamProcesses(children[0]!);
    expect(ffmpeg).toHaveLength(1);
    expect(listSockets(children[0]!)).toEqual(['udp']);
    server.process.kill('SIGKILL');
    await server.process.exited;
    await until('the children to end', async () => ![...children, ...ffmpeg].some(isAlive));
    await viewer.close();

    const again = await startAgain(server);
    try {
      // On a database that others may serve, the killed server is given up after ten seconds: 503 until then.
      const client = createClient(again, apiKey);
      const lost = () => client('GET', path).catch(() => undefined);
      expect(await until('the stream to be closed', lost)).toMatchObject({
        state: 'closed',
        closeReason: 'worker-lost',
        closedAt: expect.any(String),
      });
    } finally {
      await again.stop();
    }
  },
  TIMEOUT_MS,
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

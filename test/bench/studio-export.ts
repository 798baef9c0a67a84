import { loadavg } from 'node:os';
import type { Send } from './figures/server.ts';
import { timed } from './measure.ts';

const SECONDS = 20;
const second = (numerator: number) => ({ numerator, denominator: 1 });

/** Makes a film of two tracks in 1080p30. */
export async function measureExport(send: Send, assetId: string): Promise<object> {
  const clip = {
    assetId,
    track: 0,
    start: second(0),
    sourceIn: second(0),
    duration: second(SECONDS),
  };
  const inset = { ...clip, track: 1, scale: 0.4, x: 0.25, y: 0.25 };
  const document = { width: 1920, height: 1080, frameRate: second(30), clips: [clip, inset] };
  const { id: projectId } = await send('POST', '/studio/projects', { name: 'Film', document });
  let size = 0;
  const ms = await timed(async () => {
    const order = { revision: 1, destination: 'download' };
    let run = await send('POST', `/studio/projects/${projectId}/exports`, order);
    while (run.state === 'queued' || run.state === 'rendering') {
      await Bun.sleep(200);
      run = await send('GET', `/studio/exports/${run.id}`);
    }
    if (run.state !== 'ready') throw new Error(`the film is ${run.state}: ${run.error}`);
    size = run.sizeInBytes;
  });
  return { seconds: SECONDS, ms, timesRealTime: (SECONDS * 1000) / ms, size, load: loadavg() };
}

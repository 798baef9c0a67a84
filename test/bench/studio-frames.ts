import type { Send } from './figures/server.ts';
import { spread, timed } from './measure.ts';

type Projects = {
  readonly send: Send;
  readonly get: (path: string) => Promise<Response>;
  /** With a video in groups of 30 pictures, as phones write them. */
  readonly projectId: string;
  /** In groups of 250, as encoders of computers write them. */
  readonly longProjectId: string;
  readonly frames: number;
};

/** The frames of the video, and a step that has no divisor in common with it: frames are spread over the groups. */
const [FRAMES, STEP] = [600, 97];

type Connection = Pick<Projects, 'send' | 'get'>;

/** Asks for a frame of a video with 30 a second until it is there. Returns milliseconds. */
export const askForFrame = (
  { send, get }: Connection,
  projectId: string,
  frame: number,
): Promise<number> =>
  timed(async () => {
    const { preview } = await send('POST', '/studio/previews', {
      projectId,
      revision: 1,
      time: { numerator: frame, denominator: 30 },
      quality: 'standard',
      viewport: { width: 960, height: 540 },
    });
    let { status } = preview;
    while (status === 'queued' || status === 'rendering')
      ({ status } = await send('GET', `/studio/previews/${preview.id}/outcome`));
    if (status !== 'ready') throw new Error(`the preview is ${status}`);
    await (await get(`/studio/previews/${preview.id}/frame`)).arrayBuffer();
  });

/** Asks for frames that are rendered (cold), and for the same again (shared); in ms until they are there. */
export async function measureFrames(projects: Projects): Promise<object> {
  const { projectId, longProjectId, frames } = projects;
  const askAll = async (id: string): Promise<object> => {
    const times: number[] = [];
    for (let n = 0; n < frames; n += 1) {
      times.push(await askForFrame(projects, id, (n * STEP) % FRAMES));
    }
    return spread(times);
  };
  const firstMs = await askForFrame(projects, projectId, FRAMES - 1);
  const cold = await askAll(projectId);
  const shared = await askAll(projectId);
  const coldLongGroups = await askAll(longProjectId);
  return { frames, firstMs, cold, shared, coldLongGroups };
}

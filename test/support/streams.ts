import { type Caller, call, type Reply, type TestUser } from './harness.ts';
import type { Studio } from './studio.ts';

const viewport = { width: 320, height: 192 };

/** A client of preview streams that calls as `caller`. */
export function createStreamClient({ app }: Pick<Studio, 'app'>, caller: Caller) {
  const path = '/studio/preview-streams';
  return {
    open: (projectId: string, over: object = {}): Promise<Reply> =>
      call(app, `POST ${path}`, { ...caller, body: { projectId, revision: 1, viewport, ...over } }),
    get: (id: string): Promise<Reply> => call(app, `GET ${path}/${id}`, caller),
    answer: (id: string, sdp: string, over: object = {}): Promise<Reply> =>
      call(app, `PUT ${path}/${id}/answer`, { ...caller, body: { type: 'answer', sdp, ...over } }),
    reconnect: (id: string): Promise<Reply> => call(app, `POST ${path}/${id}/reconnect`, caller),
    close: (id: string): Promise<Reply> => call(app, `DELETE ${path}/${id}`, caller),
  };
}

/** A project that shows the clip `short.mp4`: two seconds that move. */
export async function makeShortFilm(studio: Studio, owner: TestUser) {
  const assetId = await studio.add(owner, 'short.mp4');
  return { ...(await studio.makeProject(owner, [assetId])), assetId };
}

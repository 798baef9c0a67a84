import { afterEach, expect, mock, test } from 'bun:test';
import { clip, film } from '../../../../test/support/edited-films.ts';
import { queryClient } from '../../base/query-client.ts';
import type { StudioProject, StudioProjectWrite } from '../../data/types.ts';
import { toDocument } from './film.ts';
import { projectQuery } from '../../data/studio/queries.ts';
import { createSaver } from './saver.ts';
import { openNewer } from './use-editor.ts';

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
  queryClient.clear();
});

type Request = { readonly method: string; readonly body: string };

const ID = '00000000-0000-4000-8000-000000000009';
const EMPTY = film();

/** A server of one project, which answers the next request to it when `answer` is called for that. */
function serve() {
  const project = { id: ID, revision: 1, document: toDocument(EMPTY) } as StudioProject;
  const held: { method: string; release: () => void }[] = [];
  globalThis.fetch = mock(async (_path: string, { method, body }: Request) => {
    await new Promise<void>((release) => held.push({ method, release }));
    if (method === 'PUT') {
      const { expectedRevision, document } = JSON.parse(body) as StudioProjectWrite;
      expect(expectedRevision).toBe(project.revision);
      Object.assign(project, { document, revision: project.revision + 1 });
    }
    return Response.json(project);
  }) as unknown as typeof fetch;
  const answer = async (method: string) => {
    while (held.every((request) => request.method !== method)) await Bun.sleep(1);
    const at = held.findIndex((request) => request.method === method);
    held.splice(at, 1)[0]!.release();
  };
  return { project: { ...project }, held, answer };
}

test('a project is opened again with what its closed editor saves, also in two revisions', async () => {
  const { project, held, answer } = serve();
  const saver = createSaver(project, EMPTY);
  saver.edit(film(clip('a', 0, 4)));
  const saved = saver.flush();
  saver.edit(film(clip('a', 0, 2)));
  const opened = queryClient.fetchQuery(projectQuery(ID));
  for (let count = 0; count < 2; count += 1) {
    await answer('PUT');
    expect(held.filter(({ method }) => method === 'GET')).toEqual([]);
  }
  await answer('GET');
  expect(await opened).toMatchObject({
    revision: 3,
    document: { clips: [{ duration: { numerator: 2 } }] },
  });
  await saved;
  expect(saver.state.get()).toMatchObject({ status: 'saved', revision: 3 });
});

test('a newer revision is opened, but not the own one that is stored meanwhile', async () => {
  const { project, answer } = serve();
  const saver = createSaver(project, EMPTY);
  const readOpened = () => queryClient.getQueryData(projectQuery(ID).queryKey);
  const looking = openNewer(ID, saver);
  saver.edit(film(clip('a', 0, 4)));
  const saved = saver.flush();
  await answer('PUT');
  await saved;
  await answer('GET');
  await looking;
  expect(readOpened()).toBeUndefined();
  const opening = openNewer(ID, createSaver(project, EMPTY));
  await answer('GET');
  await opening;
  expect(readOpened()).toMatchObject({ revision: 2 });
});

import type { App } from '../../src/app.ts';
import { call, type Reply, seed, type TestDatabase, type TestUser } from './harness.ts';
import type { Json } from './json.ts';
import { addPerson, faceVector } from './people.ts';

/** A face of Ann, and Bob who is nobody yet. */
export async function addScene(database: TestDatabase) {
  const me = await seed(database).user();
  const ann = await addPerson(database, { ownerId: me.id, name: 'Ann' }, [
    faceVector(0),
    faceVector(0),
  ]);
  const bob = await addPerson(database, { ownerId: me.id, name: 'Bob' }, [faceVector(5)]);
  const { id: faceId, assetId } = ann.faces[0]!;
  return { me, ann: ann.id, bob: bob.id, bobs: bob.faces[0]!, faceId, assetId };
}
export type Scene = Awaited<ReturnType<typeof addScene>>;
type SceneFace = Pick<Scene, 'me' | 'assetId' | 'faceId'>;

export async function getFace(app: App, { me, assetId, faceId }: SceneFace): Promise<Json> {
  const { body } = await call(app, `GET /faces?id=${assetId}&withHidden=true`, { as: me });
  return body.find((face: { id: string }) => face.id === faceId);
}

/** Changes the face with the revisions it has now. */
export async function patchFace(app: App, at: SceneFace, body: object): Promise<Reply> {
  const { revision, sourceRevision } = await getFace(app, at);
  return call(app, `PATCH /faces/${at.faceId}`, {
    as: at.me,
    body: { expectedRevision: revision, expectedSourceRevision: sourceRevision, ...body },
  });
}

export const listCorrections = async (
  app: App,
  as: TestUser,
  personId: string,
  query = '',
): Promise<Json> => (await call(app, `GET /people/${personId}/corrections${query}`, { as })).body;

export const undoCorrection = (app: App, as: TestUser, id: string): Promise<Reply> =>
  call(app, `POST /people/corrections/${id}/undo`, { as });

/** A face drawn by hand, in pixels. */
export const BOX = { x: 10, y: 20, width: 100, height: 200, imageWidth: 1000, imageHeight: 800 };

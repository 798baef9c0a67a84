import type { App } from '../../src/app.ts';
import type { LimitName } from '../../src/db/limits/limits.ts';
import { startFakeImmich } from './fake-immich.ts';
import { call, type Reply, seed, type TestDatabase, type TestUser } from './harness.ts';
import { addFace } from './people.ts';
import { addFile } from './processing.ts';
import { addAssetWithFeature, matchAll } from './similar-assets.ts';
import { core } from './workflows.ts';

type World = { readonly database: TestDatabase; readonly app: App; readonly admin: TestUser };

/** A way of an account to make one more thing. */
export type Maker = {
  /** Account or item whose things are counted. */
  readonly scopeId: string;
  /** Rows that each call adds; 1 by default. */
  readonly step?: number;
  readonly make: () => Promise<Reply>;
};

/** Prepares an account, and what its things are about: `count` of them can be made. */
export type Prepare = (world: World, user: TestUser, count: number) => Promise<Maker>;

type Route = Parameters<typeof call>[1];

const name = () => crypto.randomUUID();

/** Things that need nothing before them. */
const simple =
  (route: Route, toBody: (user: TestUser) => object): Prepare =>
  async ({ app }, user) => ({
    scopeId: user.id,
    make: () => call(app, route, { as: user, body: toBody(user) }),
  });

type Created = { readonly id: string };

const create = async <T = Created>(
  { app }: World,
  route: Route,
  as: TestUser,
  body: object,
): Promise<T> => {
  const reply = await call(app, route, { as, body });
  if (reply.status >= 300) throw new Error(`${route}: ${JSON.stringify(reply.body)}`);
  return reply.body;
};

const repeat = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

const addAsset = ({ database }: World, user: TestUser, over: object = {}) =>
  seed(database).asset({ ownerId: user.id, width: 1000, height: 800, ...over });

/** Adds one asset after the other to something. */
const addEach =
  (prepare: (world: World, user: TestUser) => Promise<(assetId: string) => Promise<Reply>>) =>
  async (world: World, user: TestUser, count: number): Promise<Maker> => {
    const add = await prepare(world, user);
    const ids = await repeat(count, () => addAsset(world, user));
    return { scopeId: user.id, make: () => add(ids.pop()!) };
  };

const addMemoryExport: Prepare = async (world, user, count) => {
  const file = { name: 'a.jpg', bytes: Buffer.from(name()) };
  const assetId = await addFile(world.database, file, { ownerId: user.id });
  const body = { name: 'Trip', assetIds: [assetId] };
  const memories = await repeat(count, () => create(world, 'POST /memories', user, body));
  const make = () =>
    call(world.app, `POST /memories/${memories.pop()!.id}/exports`, {
      as: user,
      body: { kind: 'archive' },
    });
  return { scopeId: user.id, make };
};

const second = (numerator: number) => ({ numerator, denominator: 1 });
const NO_DOCUMENT = { width: 320, height: 192, frameRate: second(30), clips: [] };

async function addProject(world: World, user: TestUser): Promise<Created> {
  const file = { name: 'a.mp4', bytes: Buffer.from(name()) };
  const assetId = await addFile(world.database, file, { ownerId: user.id, durationMs: 9000 });
  const clip = { assetId, track: 0, start: second(0), sourceIn: second(0), duration: second(1) };
  const document = { ...NO_DOCUMENT, clips: [clip] };
  return create(world, 'POST /studio/projects', user, { name: 'Film', document });
}

export const MAKERS: Readonly<Record<LimitName, Prepare>> = {
  album: simple('POST /albums', () => ({ albumName: name() })),
  albumItem: addEach(async (world, user) => {
    const { id } = await create(world, 'POST /albums', user, { albumName: 'a' });
    return (assetId) =>
      call(world.app, `PUT /albums/${id}/assets`, { as: user, body: { ids: [assetId] } });
  }),
  async activity(world, user) {
    const { id: albumId } = await create(world, 'POST /albums', user, { albumName: 'a' });
    const body = { albumId, type: 'comment', comment: 'Nice' };
    return {
      scopeId: user.id,
      make: () => call(world.app, 'POST /activities', { as: user, body }),
    };
  },
  apiKey: simple('POST /api-keys', () => ({ name: name(), permissions: ['tag.read'] })),
  savedSearch: simple('POST /search/saved', () => ({ name: name(), words: 'dogs', chips: [] })),
  archiveOperation: simple('POST /archive-operations/prepare', () => ({})),
  archiveBatch: addEach(async ({ app }, user) => (assetId) => {
    const body = { assetIds: [assetId] };
    return call(app, 'POST /archive-operations', { as: user, body });
  }),
  backupDevice: simple('POST /users/me/backup-devices', () => ({
    deviceKey: name(),
    name: 'Phone',
  })),
  async duplicateDecision(world, user, count) {
    const { database, app } = world;
    for (let at = 0; at < count; at++) {
      const vector = [0, 0, 0, 0].with(at % 4, at < 4 ? 1 : -1);
      await repeat(2, () => addAssetWithFeature(database, vector, { ownerId: user.id }));
    }
    await matchAll(database);
    const { body: sets } = await call(app, 'GET /duplicates', { as: user });
    const ids = sets.map(({ duplicateId }: { duplicateId: string }) => duplicateId);
    const make = () => call(app, 'DELETE /duplicates', { as: user, body: { ids: [ids.pop()] } });
    return { scopeId: user.id, step: 2, make };
  },
  exportFile: addMemoryExport,
  async face(world, user) {
    const assetId = await addAsset(world, user);
    const box = { x: 10, y: 10, width: 50, height: 50, imageWidth: 1000, imageHeight: 800 };
    const make = () => call(world.app, 'POST /faces', { as: user, body: { assetId, ...box } });
    return { scopeId: assetId, make };
  },
  async faceCorrection({ database, app }, user, count) {
    const faces = await repeat(count, () => addFace(database, { ownerId: user.id }));
    const body = { expectedRevision: 1, isHidden: true };
    const make = () => call(app, `PATCH /faces/${faces.pop()!.id}`, { as: user, body });
    return { scopeId: user.id, make };
  },
  async itemMetadata(world, user) {
    const id = await addAsset(world, user);
    const make = () => {
      const items = [{ key: name(), value: { text: 'x' } }];
      return call(world.app, `PUT /assets/${id}/metadata`, { as: user, body: { items } });
    };
    return { scopeId: id, make };
  },
  invitation: async ({ app, database }) => {
    const admin = await seed(database).user(['all'], { isAdmin: true });
    const invite = () => ({ email: `${name()}@example.com`, name: 'Jane', expiresInDays: 7 });
    return {
      scopeId: admin.id,
      make: () => call(app, 'POST /admin/invitations', { as: admin, body: invite() }),
    };
  },
  library: async ({ app, admin }, user) => ({
    scopeId: user.id,
    make: () => call(app, 'POST /libraries', { as: admin, body: { ownerId: user.id } }),
  }),
  async moveIn({ app, database }) {
    // Only administrators may name this machine.
    const admin = await seed(database).user(['all'], { isAdmin: true });
    const { url, key } = await startFakeImmich();
    const make = () => call(app, 'POST /move-ins', { as: admin, body: { url, key } });
    return { scopeId: admin.id, make };
  },
  memory: simple('POST /memories', () => ({ name: name() })),
  memoryExport: addMemoryExport,
  memoryItem: addEach(async (world, user) => {
    const { id } = await create(world, 'POST /memories', user, { name: 'a' });
    return (assetId) =>
      call(world.app, `PUT /memories/${id}/assets`, { as: user, body: { ids: [assetId] } });
  }),
  async memoryRule({ app }, user) {
    let day = 0;
    const make = () => {
      const date = `01-${String((day += 1)).padStart(2, '0')}`;
      return call(app, 'POST /memories/show-less', { as: user, body: { kind: 'date', date } });
    };
    return { scopeId: user.id, make };
  },
  async mergeVerdict(world, user, count) {
    const people = await repeat(count + 1, () => create(world, 'POST /people', user, {}));
    const [{ id: firstPersonId }, ...others] = people as [Created, ...Created[]];
    const make = () => {
      const secondPersonId = others.pop()!.id;
      const body = { verdict: 'different', firstPersonId, secondPersonId };
      return call(world.app, 'PUT /people/merge-suggestions/verdicts', { as: user, body });
    };
    return { scopeId: user.id, make };
  },
  async moment(world, user) {
    const id = await addAsset(world, user, { type: 'VIDEO', durationMs: 9000 });
    const body = { startMs: 0, title: 'Goal' };
    const make = () => call(world.app, `POST /enrichment/videos/${id}/moments`, { as: user, body });
    return { scopeId: id, make };
  },
  notification: async ({ app, admin }, user) => ({
    scopeId: user.id,
    make: () =>
      call(app, 'POST /admin/notifications', {
        as: admin,
        body: { userId: user.id, title: 'Hello' },
      }),
  }),
  person: simple('POST /people', () => ({ name: name() })),
  pet: simple('POST /pets', () => ({ name: name(), species: 'cat' })),
  async preview(world, user) {
    const { id: projectId } = await addProject(world, user);
    const [viewport, time] = [{ width: 320, height: 192 }, second(0)];
    const body = { projectId, revision: 1, quality: 'standard', viewport, time };
    return {
      scopeId: user.id,
      make: () => call(world.app, 'POST /studio/previews', { as: user, body }),
    };
  },
  project: simple('POST /studio/projects', () => ({ name: name(), document: NO_DOCUMENT })),
  revision: simple('POST /studio/projects', () => ({ name: name(), document: NO_DOCUMENT })),
  session: async ({ app }, user) => ({
    scopeId: user.id,
    make: () => call(app, 'POST /sessions', { session: user, body: { deviceType: 'TV' } }),
  }),
  async sharedLink(world, user) {
    const assetIds = [await addAsset(world, user)];
    const body = { type: 'INDIVIDUAL', assetIds, description: 'Ours' };
    return {
      scopeId: user.id,
      make: () => call(world.app, 'POST /shared-links', { as: user, body }),
    };
  },
  sharedLinkItem: addEach(async ({ app }, user) => (assetId) => {
    const body = { type: 'INDIVIDUAL', assetIds: [assetId] };
    return call(app, 'POST /shared-links', { as: user, body });
  }),
  async studioExport(world, user) {
    const { id } = await addProject(world, user);
    let height = 16;
    const make = () => {
      const body = { revision: 1, destination: 'download', height: (height += 2) };
      return call(world.app, `POST /studio/projects/${id}/exports`, { as: user, body });
    };
    return { scopeId: user.id, make };
  },
  tag: simple('POST /tags', () => ({ name: name() })),
  taggedItem: addEach(async (world, user) => {
    const { id } = await create(world, 'POST /tags', user, { name: 'a' });
    return (assetId) =>
      call(world.app, `PUT /tags/${id}/assets`, { as: user, body: { ids: [assetId] } });
  }),
  trashReview: simple('POST /trash/review', () => ({ action: 'empty' })),
  utilityItem: addEach(async (world, user) => async (assetId) => {
    const request = { action: 'trash', assetIds: [assetId], tool: 'videos' };
    const { token } = await create<{ token: string }>(world, 'POST /trash/review', user, request);
    return call(world.app, 'POST /trash/apply', { as: user, body: { ...request, token } });
  }),
  workflow: simple('POST /workflows', () => ({ trigger: 'AssetCreate', steps: [] })),
  workflowExpression: simple('POST /workflows', () => ({
    trigger: 'AssetCreate',
    steps: [core('assetFileFilter', { pattern: 'a+', matchType: 'regex' })],
  })),
};

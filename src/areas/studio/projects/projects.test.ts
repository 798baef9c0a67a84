import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { openStudio, type Project, type Studio } from '../../../../test/support/studio.ts';

let studio: Studio;
let me: TestUser;
let assetId: string;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  me = await seed(studio.database).user();
  assetId = await seed(studio.database).asset({ ownerId: me.id });
});

const list = async (as: TestUser): Promise<string[]> =>
  (await call(studio.app, 'GET /studio/projects', { as })).body.map(({ id }: Project) => id);
const get = (as: TestUser, id: string) => call(studio.app, `GET /studio/projects/${id}`, { as });
const put = (as: TestUser, { id, revision, document }: Project, change: object = {}) =>
  call(studio.app, `PUT /studio/projects/${id}`, {
    as,
    body: { expectedRevision: revision, document, ...change },
  });
const remove = (as: TestUser, id: string) =>
  call(studio.app, `DELETE /studio/projects/${id}`, { as });
const create = (as: TestUser, document: object) =>
  call(studio.app, 'POST /studio/projects', { as, body: { name: 'Film', document } });
const dark = (project: Project) => ({
  document: { ...project.document, background: '#123456' },
});

describe('a project', () => {
  test('is stored by revisions, of which each can be read', async () => {
    const project = await studio.makeProject(me, [assetId]);
    expect(project).toMatchObject({ name: 'Film', revision: 1, albumId: null, canEdit: true });
    const { body } = await put(me, project, { name: 'Sea', ...dark(project) });
    expect(body).toMatchObject({ name: 'Sea', revision: 2, document: { background: '#123456' } });
    const path = `/studio/projects/${project.id}/revisions` as const;
    const revisions = (await call(studio.app, `GET ${path}`, { as: me })).body;
    expect(revisions.map(({ revision }: Project) => revision)).toEqual([2, 1]);
    expect((await call(studio.app, `GET ${path}?before=2`, { as: me })).body).toHaveLength(1);
    expect((await call(studio.app, `GET ${path}/1`, { as: me })).body).toMatchObject({
      revision: 1,
      createdBy: me.id,
      document: project.document,
    });
    expect((await call(studio.app, `GET ${path}/3`, { as: me })).status).toBe(404);
  });

  test('is not stored over a revision that the client does not know', async () => {
    const project = await studio.makeProject(me, [assetId]);
    await put(me, project, dark(project));
    const { status, body } = await put(me, project, { name: 'Lost' });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'stale_revision', currentRevision: 2 });
    expect((await get(me, project.id)).body.name).toBe('Film');
  });

  test('has no new revision when the document is the same', async () => {
    const project = await studio.makeProject(me, [assetId]);
    expect((await put(me, project, { name: 'Renamed' })).body).toMatchObject({
      name: 'Renamed',
      revision: 1,
    });
  });

  test('is deleted by its owner, with its revisions', async () => {
    const project = await studio.makeProject(me, [assetId]);
    expect((await remove(me, project.id)).status).toBe(204);
    expect((await get(me, project.id)).status).toBe(404);
    expect(await list(me)).toEqual([]);
  });
});

describe('access', () => {
  test('nobody else sees a project or changes it', async () => {
    const project = await studio.makeProject(me, [assetId]);
    const stranger = await seed(studio.database).user(['all'], { isAdmin: true });
    expect(await list(stranger)).toEqual([]);
    expect((await get(stranger, project.id)).status).toBe(404);
    expect((await put(stranger, project, dark(project))).status).toBe(404);
    expect((await remove(stranger, project.id)).status).toBe(404);
    const key = { ...me, key: (await seed(studio.database).user(['asset.read'])).key };
    expect((await get(key, project.id)).status).toBe(403);
    expect((await get(me, project.id)).body.revision).toBe(1);
  });

  test('members of its album watch, editors store, only the owner shares and deletes', async () => {
    const [editor, viewer] = [
      await seed(studio.database).user(),
      await seed(studio.database).user(),
    ];
    const own = await studio.makeProject(me, [assetId]);
    const project = await studio.share(me, editor, own);
    const album = `/albums/${project.albumId}` as const;
    await call(studio.app, `PUT ${album}/users`, {
      as: me,
      body: { albumUsers: [{ userId: viewer.id, role: 'viewer' }] },
    });
    expect([await list(editor), await list(viewer)]).toEqual([[project.id], [project.id]]);
    expect((await get(viewer, project.id)).body.canEdit).toBe(false);
    expect((await put(viewer, project, dark(project))).status).toBe(403);
    const stored = await put(editor, project, dark(project));
    expect(stored.body).toMatchObject({ canEdit: true, revision: project.revision + 1 });
    expect((await put(editor, stored.body, { albumId: null })).status).toBe(403);
    expect((await remove(editor, project.id)).status).toBe(403);
    await call(studio.app, `DELETE ${album}/user/${editor.id}`, { as: me });
    expect(await list(editor)).toEqual([]);
    expect((await get(editor, project.id)).status).toBe(404);
  });

  test('members learn no id of an item that they may not see, and keep it when they store', async () => {
    const [editor, gone] = [
      await seed(studio.database).user(),
      await seed(studio.database).asset({ ownerId: me.id }),
    ];
    const project = await studio.share(me, editor, await studio.makeProject(me, [assetId, gone]));
    await call(studio.app, `PUT /albums/${project.albumId}/assets`, {
      as: me,
      body: { ids: [assetId] },
    });
    const read = async (as: TestUser) => [
      (await get(as, project.id)).body,
      (await call(studio.app, 'GET /studio/projects', { as })).body,
      (await call(studio.app, `GET /studio/projects/${project.id}/revisions/1`, { as })).body,
    ];
    const theirs = await read(editor);
    expect(JSON.stringify(theirs)).not.toContain(gone);
    expect(JSON.stringify(theirs)).toContain(assetId);
    const stored = await put(editor, theirs[0], dark(theirs[0]));
    expect(stored.status).toBe(200);
    expect(JSON.stringify(stored.body)).not.toContain(gone);
    const frame = { projectId: project.id, revision: stored.body.revision };
    const preview = await call(studio.app, 'POST /studio/preview-streams', {
      as: editor,
      body: { ...frame, viewport: { width: 320, height: 192 } },
    });
    expect(preview).toMatchObject({ status: 409, body: { code: 'source_unavailable' } });
    expect(JSON.stringify(preview.body)).not.toContain(gone);
    const mine = (await get(me, project.id)).body;
    expect(mine.document.clips.map((one: { assetId: string }) => one.assetId)).toEqual([
      assetId,
      gone,
    ]);
    expect(mine.document.background).toBe('#123456');
    // Own items that are locked keep their id.
    await studio.database.sql`update asset set locked_at = now() where id = ${gone}`;
    expect((await get(me, project.id)).body.document).toEqual(mine.document);
  });

  test('projects of an account that is deleted are closed for all, until it is restored', async () => {
    const editor = await seed(studio.database).user();
    const project = await studio.share(me, editor, await studio.makeProject(me, [assetId]));
    const setStatus = (status: string) =>
      studio.database.sql`update app_user set status = ${status} where id = ${me.id}`;
    await setStatus('deleted');
    expect(await list(editor)).toEqual([]);
    expect((await get(editor, project.id)).status).toBe(404);
    expect((await put(editor, project, dark(project))).status).toBe(404);
    await setStatus('active');
    expect(await list(editor)).toEqual([project.id]);
  });

  test('a project is shared only with an album that the owner belongs to', async () => {
    const project = await studio.makeProject(me, [assetId]);
    const other = await seed(studio.database).user();
    const album = await call(studio.app, 'POST /albums', {
      as: other,
      body: { albumName: 'Theirs' },
    });
    const { status, body } = await put(me, project, { albumId: album.body.id });
    expect(status).toBe(400);
    expect(body.errors[0].path).toEqual(['albumId']);
    expect(await list(other)).toEqual([]);
  });
});

describe('a document', () => {
  const second = (numerator: number, denominator = 1) => ({ numerator, denominator });
  const clip = (over: object = {}) => ({
    assetId,
    track: 0,
    start: second(0),
    sourceIn: second(0),
    duration: second(1),
    ...over,
  });
  const document = (over: object = {}) => ({
    width: 320,
    height: 180,
    frameRate: second(30_000, 1001),
    clips: [clip()],
    ...over,
  });
  const refuse = async (over: object): Promise<string> => {
    const { status, body } = await create(me, document(over));
    expect(status).toBe(400);
    return body.errors[0].path.join('.');
  };

  test('may have clips that touch, and some on other tracks at the same time', async () => {
    const clips = [clip(), clip({ start: second(1) }), clip({ track: 1 })];
    expect((await create(me, document({ clips }))).status).toBe(201);
    expect((await create(me, document({ clips: [] }))).status).toBe(201);
  });

  test('may have a clip that overlaps the one before while it fades in', async () => {
    const later = clip({ start: second(1, 2), fadeIn: second(1, 2), fadeOut: second(1, 2) });
    expect((await create(me, document({ clips: [later, clip()] }))).status).toBe(201);
    const steep = { ...later, fadeIn: second(1, 4) };
    expect(await refuse({ clips: [clip(), steep] })).toBe('document.clips.1.start');
    const inside = clip({ start: second(1, 4), duration: second(1, 2), fadeIn: second(1, 2) });
    expect(await refuse({ clips: [clip({ duration: second(2) }), inside] })).toBe(
      'document.clips.1.start',
    );
    const third = clip({ start: second(3, 4), fadeIn: second(1) });
    expect(await refuse({ clips: [clip(), later, third] })).toBe('document.clips.2.start');
  });

  test('is refused with the path of what is wrong', async () => {
    const { track: _track, ...sound } = clip();
    const late = clip({ start: second(999, 1000) });
    expect(await refuse({ clips: [late, clip()] })).toBe('document.clips.0.start');
    expect(await refuse({ width: 321 })).toBe('document.width');
    expect(await refuse({ frameRate: second(0) })).toBe('document.frameRate');
    expect(await refuse({ frameRate: second(121) })).toBe('document.frameRate');
    expect(await refuse({ clips: [clip({ duration: second(0) })] })).toBe(
      'document.clips.0.duration',
    );
    expect(await refuse({ clips: [clip({ speed: second(0) })] })).toBe('document.clips.0.speed');
    const crop = { x: 0.5, y: 0, width: 0.6, height: 1 };
    expect(await refuse({ clips: [clip({ crop })] })).toBe('document.clips.0.crop.width');
    expect(await refuse({ clips: [clip({ cropTo: crop })] })).toBe('document.clips.0.cropTo.width');
    const flat = { x: 0, y: 0, width: 1, height: 0.5 };
    expect(await refuse({ clips: [clip({ cropTo: flat })] })).toBe(
      'document.clips.0.cropTo.height',
    );
    const fadeOut = second(1, 2);
    expect(await refuse({ clips: [clip({ fadeIn: second(2) })] })).toBe('document.clips.0.fadeIn');
    expect(await refuse({ sounds: [{ ...sound, fadeIn: second(2, 3), fadeOut }] })).toBe(
      'document.sounds.0.fadeOut',
    );
    expect(await refuse({ sounds: [{ ...sound, volume: 5 }] })).toBe('document.sounds.0.volume');
    const title = { text: 'x', start: second(0), duration: second(50_000), x: 0, y: 0, size: 0.1 };
    expect(await refuse({ titles: [title] })).toBe('document.titles.0.duration');
    const fading = { ...title, duration: second(1), fadeIn: second(2, 3), fadeOut };
    expect(await refuse({ titles: [fading] })).toBe('document.titles.0.fadeOut');
    expect(await refuse({ clips: [clip({ surround: 'mirror' })] })).toStartWith('document');
    expect(await refuse({ fonts: [] })).toBe('document');
  });

  test('shows no items that the caller may not see', async () => {
    const other = await seed(studio.database).user();
    const theirs = await seed(studio.database).asset({ ownerId: other.id });
    expect(await refuse({ clips: [clip({ assetId: theirs })] })).toBe('document.clips.0.assetId');
    const { track: _track, ...sound } = clip({ assetId: theirs });
    expect(await refuse({ sounds: [sound] })).toBe('document.sounds.0.assetId');
    await studio.database.sql`update asset set locked_at = now() where id = ${assetId}`;
    expect(await refuse({})).toBe('document.clips.0.assetId');
  });
});

import { join } from 'node:path';
import { handleCleanStudio } from '../../src/areas/studio/previews/clean.handlers.ts';
import { handleExportProject } from '../../src/areas/studio/exports/export.handlers.ts';
import { handleRenderFrame } from '../../src/areas/studio/previews/render.handlers.ts';
import type { Effect, JobCtx } from '../../src/jobs/define.ts';
import { call, type Reply, testApp, type TestUser } from './harness.ts';
import type { Json } from './json.ts';
import { paintClip } from './painted-clips.ts';
import { addFile, jobCtx, openMediaLibrary } from './processing.ts';

export type Studio = Awaited<ReturnType<typeof openStudio>>;
export type Project = {
  readonly id: string;
  readonly revision: number;
  readonly document: Json;
  readonly albumId: string | null;
};

const second = (numerator: number) => ({ numerator, denominator: 1 });

/** A library with painted clips and a corrupt one, and what a client does with projects. */
export async function openStudio() {
  const library = await openMediaLibrary();
  const { database, folder } = library;
  const app = testApp(database);
  const files = new Map<string, () => void | Promise<unknown>>([
    [
      'short.mp4',
      () =>
        paintClip(join(folder, 'short.mp4'), {
          frames: 60,
          coding: '-c:v libx264 -preset ultrafast',
        }),
    ],
    [
      'long.mp4',
      // One group of pictures: the last frame needs all others.
      () =>
        paintClip(join(folder, 'long.mp4'), {
          frames: 600,
          size: '1280x720',
          source: 'testsrc2',
          coding: '-c:v libx264 -preset ultrafast -g 600 -keyint_min 600 -sc_threshold 0',
        }),
    ],
    ['broken.mp4', () => Bun.write(join(folder, 'broken.mp4'), 'not a video at all')],
  ]);
  const run = async (work: Promise<Effect | void>): Promise<void> => {
    const effect = await work;
    const after = await database.db.transaction(async (tx) => effect?.(tx));
    await after?.();
  };
  const readProject = ({ body, status }: Reply): Project => {
    if (status !== 200 && status !== 201) throw new Error(JSON.stringify(body));
    return body;
  };
  const store = async (as: TestUser, project: Project, change: object): Promise<Project> =>
    readProject(
      await call(app, `PUT /studio/projects/${project.id}`, {
        as,
        body: { expectedRevision: project.revision, document: project.document, ...change },
      }),
    );
  return {
    ...library,
    app,
    /** Adds one of the clips, which is made when it is first wanted. */
    async add(owner: TestUser, name: string): Promise<string> {
      const path = join(folder, name);
      if (!(await Bun.file(path).exists())) await files.get(name)!();
      return addFile(database, path, { ownerId: owner.id });
    },
    /** A project that shows the assets one after the other, each for so many seconds. */
    async makeProject(as: TestUser, assetIds: readonly string[], seconds = 60): Promise<Project> {
      const clips = assetIds.map((assetId, index) => ({
        assetId,
        track: 0,
        start: second(index * seconds),
        sourceIn: second(0),
        duration: second(seconds),
      }));
      const document = { width: 320, height: 192, frameRate: second(30), clips };
      const body = { name: 'Film', document };
      return readProject(await call(app, 'POST /studio/projects', { as, body }));
    },
    /** Stores a revision with another background. */
    storeRevision: (as: TestUser, project: Project): Promise<Project> => {
      const background = `#${project.revision.toString(16).padStart(6, '0')}`;
      return store(as, project, { document: { ...project.document, background } });
    },
    /** Shares a project with an editor of an empty album. */
    async share(owner: TestUser, friend: TestUser, project: Project): Promise<Project> {
      const body = { albumName: 'Shared', albumUsers: [{ userId: friend.id, role: 'editor' }] };
      const album = await call(app, 'POST /albums', { as: owner, body });
      return store(owner, project, { albumId: album.body.id });
    },
    /** Runs the job of a frame to its end, as the queue does. */
    render: (renderId: string): Promise<void> =>
      run(handleRenderFrame(jobCtx(database), { renderId })),
    /** Makes a film, as the queue does. */
    export: (exportId: string, over: Partial<JobCtx> = {}): Promise<void> =>
      run(handleExportProject(jobCtx(database, over), { operationId: exportId })),
    /** Cleans up as if so many seconds had passed. */
    clean: (seconds: number): Promise<void> =>
      run(
        handleCleanStudio(
          jobCtx(database, {
            now: () => new Date(database.deps.now().getTime() + seconds * 1000),
          }),
          {},
        ),
      ),
  };
}

import { afterAll, beforeAll } from 'bun:test';
import { join } from 'node:path';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { readMetadata, renderVideo } from '../../src/areas/assets/jobs.ts';
import {
  handleRenderVideo,
  handleTranscodeVideo,
} from '../../src/areas/assets/processing/thumbnails.handlers.ts';
import type { HandlersByLane } from '../../src/job-registry.ts';
import { enqueue } from '../../src/jobs/queue.ts';
import { type MediaProbe, probe } from '../../src/media/probe.ts';
import { makeClip } from '../fixtures/clips.ts';
import { H264 } from '../fixtures/index.ts';
import { seed } from './harness.ts';
import { addFile, derivedPath, drainLane, openMediaLibrary } from './processing.ts';
import { getAssetRow, listFileRows } from './rows.ts';

/** A source of pictures for ffmpeg: `color` or `testsrc` with its options. */
export const source = (filter: string): string[] => ['-f', 'lavfi', '-i', filter];

export const picture = (color: string, size: string, seconds = 2): string[] =>
  source(`color=${color}:size=${size}:rate=10:duration=${seconds}`);

export const tone = (hertz: number, seconds = 2): string[] =>
  source(`sine=frequency=${hertz}:duration=${seconds}`);

export { H264 };

/** A film in the library, as its account has it after all jobs. */
export type FieldFilm = {
  readonly type: string;
  readonly durationMs: number | null;
  readonly size: readonly [width: number | null, height: number | null];
  readonly isBroken: boolean;
  /** The file that is played: the transcoded one, or the original. */
  readonly played: MediaProbe;
  readonly isTranscoded: boolean;
  /** Where it is. */
  readonly path: string;
  /** The preview; undefined if there is none. */
  readonly poster: Uint8Array | undefined;
};

/** Frames for models cost a third of a film, and no test looks at them. */
const leaveOut: HandlersByLane<'video'>['enrichment.pickFrames'] = async () => undefined;

/** For the top level of a file of tests: an account, and a folder in which films are made. */
export function useFieldFilms() {
  let library: Awaited<ReturnType<typeof openMediaLibrary>>;
  let ownerId: string;
  beforeAll(async () => {
    library = await openMediaLibrary();
    ownerId = (await seed(library.database).user()).id;
  });
  afterAll(() => library.close());

  async function process(original: string): Promise<FieldFilm> {
    const { database } = library;
    const assetId = await addFile(database, original, { ownerId });
    await enqueue(database.db, readMetadata, { assetId });
    await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
    await enqueue(database.db, renderVideo, { assetId });
    await drainLane(database, 'video', {
      'assets.renderVideo': handleRenderVideo,
      'assets.transcodeVideo': handleTranscodeVideo,
      'enrichment.pickFrames': leaveOut,
      // Nothing else of the lane is enqueued here.
    } as HandlersByLane<'video'>);
    const row = await getAssetRow(database, assetId);
    const files = await listFileRows(database, assetId);
    const find = (kind: string) => {
      const file = files.find((file) => file.kind === kind);
      return file && derivedPath(database, file.name);
    };
    const [encoded, preview] = [find('encoded_video'), find('preview')];
    const path = encoded ?? original;
    return {
      type: row.type,
      durationMs: row.duration_ms,
      size: [row.width, row.height],
      isBroken: row.broken_reason !== null,
      played: await probe(path),
      isTranscoded: encoded !== undefined,
      path,
      poster: preview ? await Bun.file(preview).bytes() : undefined,
    };
  }

  return {
    getPath: (name: string) => join(library.folder, name),
    /** Makes a film by ffmpeg; the extension tells the container. Returns its path. */
    make: (name: string, ...args: readonly string[]) => makeClip(join(library.folder, name), args),
    process,
  };
}

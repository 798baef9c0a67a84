import { type Static, Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';
import { hasUnfoldedMonths } from './counts/counts.store.ts';

const AssetPayload = Type.Object({ assetId: Type.String({ format: 'uuid' }) });
const byAsset = ({ assetId }: { assetId: string }) => assetId;

/** Reads dates, place, camera and size, pairs live photos and extracts motion videos. */
export const readMetadata = defineJob({
  name: 'assets.readMetadata',
  queue: 'metadataExtraction',
  lane: 'metadata',
  payload: AssetPayload,
  attempts: 3,
  isRetriedLater: true,
  uniqueKey: byAsset,
});

/** Looks again which XMP files lie beside items of an external library: see the area of libraries. */
export const findSidecars = defineJob({
  name: 'assets.findSidecars',
  queue: 'sidecar',
  lane: 'background',
  payload: Type.Object({
    libraryId: Type.String({ format: 'uuid' }),
    assetIds: Type.Array(Type.String({ format: 'uuid' })),
  }),
  attempts: 3,
});

const Share = Type.Number({ minimum: 0, maximum: 1 });
/** A face that a person has named in another program, as a share of the displayed picture. */
const NamedFaceSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  x: Share,
  y: Share,
  width: Share,
  height: Share,
});
export type NamedFace = Readonly<Static<typeof NamedFaceSchema>>;

/** Adds the faces of a file or its sidecar to its asset: see the area of faces. */
export const importFaces = defineJob({
  name: 'faces.import',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({
    assetId: Type.String({ format: 'uuid' }),
    faces: Type.Array(NamedFaceSchema),
  }),
  attempts: 3,
});

/** Renders a person's thumbnail from the chosen or the best face: see the area of people. */
export const renderPerson = defineJob({
  name: 'people.render',
  queue: 'thumbnailGeneration',
  lane: 'image',
  payload: Type.Object({ personId: Type.String({ format: 'uuid' }) }),
  attempts: 3,
  uniqueKey: ({ personId }) => personId,
});

/** Computes the vector of a face whose box was drawn or moved by hand: see the area of faces. */
export const embedFace = defineJob({
  name: 'faces.embed',
  queue: 'faceDetection',
  lane: 'inference',
  payload: Type.Object({ faceId: Type.String({ format: 'uuid' }) }),
  attempts: 3,
  uniqueKey: ({ faceId }) => faceId,
});

/** Renders thumbnail, preview and thumbhash of a photo. */
export const renderImage = defineJob({
  name: 'assets.renderImage',
  queue: 'thumbnailGeneration',
  lane: 'image',
  payload: AssetPayload,
  attempts: 3,
  isRetriedLater: true,
  priority: 1,
  uniqueKey: byAsset,
});

/** Renders the edited picture of a photo beside the unedited one. */
export const renderEdits = defineJob({
  name: 'assets.renderEdits',
  queue: 'editor',
  lane: 'image',
  payload: AssetPayload,
  attempts: 3,
  isRetriedLater: true,
  priority: 2,
  uniqueKey: byAsset,
});

/** Renders a frame of a video; enqueues the transcode when browsers cannot play it. */
export const renderVideo = defineJob({
  name: 'assets.renderVideo',
  queue: 'thumbnailGeneration',
  lane: 'video',
  payload: AssetPayload,
  attempts: 3,
  isRetriedLater: true,
  priority: 1,
  uniqueKey: byAsset,
});

export const transcodeVideo = defineJob({
  name: 'assets.transcodeVideo',
  queue: 'videoConversion',
  lane: 'video',
  payload: AssetPayload,
  attempts: 2,
  isRetriedLater: true,
  uniqueKey: byAsset,
});

/** Deletes converted videos, which can be made again. */
export const deleteTranscodes = defineJob({
  name: 'assets.deleteTranscodes',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({
    /** Smaller ones stay. */
    minBytes: Type.Integer({ minimum: 0 }),
  }),
  attempts: 3,
  uniqueKey: () => 'all',
});

/** Folds the delta rows of asset_count together. */
export const foldCounts = definePeriodicJob({
  name: 'assets.foldCounts',
  attempts: 1,
  everyMinutes: 1,
  hasWork: hasUnfoldedMonths,
});

/** Counts the months whose summaries are stale, so that no request of a process that has just started does. */
export const storeSummaries = definePeriodicJob({
  name: 'assets.storeSummaries',
  attempts: 1,
  everyMinutes: 5,
});

/** Pages through all assets and enqueues the jobs that are missing, or all of them. */
export const requeueAssets = defineJob({
  name: 'assets.requeue',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({
    queue: Type.Union([
      Type.Literal('metadataExtraction'),
      Type.Literal('thumbnailGeneration'),
      Type.Literal('videoConversion'),
      Type.Literal('faceDetection'),
      Type.Literal('smartSearch'),
      Type.Literal('ocr'),
      Type.Literal('duplicateDetection'),
      /** Videos whose moments are described again. */
      Type.Literal('videoMoments'),
      /** Everything that the installed models have not analysed. */
      Type.Literal('analysis'),
    ]),
    /** Process also what was processed before. */
    force: Type.Boolean(),
    /** Not those whose file was found to be broken. */
    skipsBroken: Type.Optional(Type.Boolean()),
    /** Run whose items the jobs are. */
    runId: Type.Optional(Type.String({ format: 'uuid' })),
    /** Continue after this asset. */
    after: Type.Optional(Type.String({ format: 'uuid' })),
  }),
  attempts: 5,
  uniqueKey: ({ queue, skipsBroken = false }) => (skipsBroken ? `${queue} unbroken` : queue),
});

/** Finds what was not processed for any reason, so that no hole waits for a person. */
export const searchUnprocessed = definePeriodicJob({
  name: 'assets.searchUnprocessed',
  attempts: 3,
  everyMinutes: 6 * 60,
});

/**
 * Reads files again that an earlier version gave up because of the machine, or misread: after the update, and then hardly
 * ever.
 */
export const rereadMisjudged = definePeriodicJob({
  name: 'assets.rereadMisjudged',
  attempts: 5,
  everyMinutes: 365 * 24 * 60,
});

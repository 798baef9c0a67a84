import type { FaceRow } from '../../db/tables/people.ts';
import { computeIou } from '../../inference/index.ts';
import { announceTo } from '../../events/announce.ts';
import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { isEdited, lockPicture, type Picture } from '../assets/picture/index.ts';
import { embedFace, type importFaces, type NamedFace } from '../assets/index.ts';
import {
  changeFace,
  enqueuePersonThumbnails,
  filterUnnamed,
  upsertPeopleByName,
} from '../people/index.ts';
import { lockFacesOfAsset } from './sink.store.ts';
import { toName } from '../../core/fold-text.ts';
import * as store from './store.ts';

/** Minimum overlap (intersection over union) of two boxes of one face. */
const MIN_OVERLAP = 0.4;

/**
 * Adds the faces that a person has named in another program. Those that are there already keep what is known of them; a
 * face that nobody has named gets the name.
 */
export const handleImportFaces: JobHandler<typeof importFaces> =
  async (ctx, { assetId, faces }) =>
  async (tx) => {
    const picture = await lockPicture(tx, assetId);
    // The boxes are those of the picture before it was cropped or turned here.
    if (!picture || (await isEdited(tx, assetId))) return;
    const names = faces.map(({ name }) => toName(name));
    const people = await upsertPeopleByName(tx, picture.ownerId, names);
    const known = await lockFacesOfAsset(tx, assetId);
    const unnamed = await filterUnnamed(
      tx,
      known.flatMap(({ personId }) => personId ?? []),
    );
    for (const face of faces) {
      const personId = people.get(toName(face.name));
      if (personId !== undefined)
        await importFace({ ...ctx, db: tx }, { picture, known, unnamed, personId }, face);
    }
    // The upload may have been announced before.
    await announceTo(tx, picture.ownerId, 'update', [assetId]);
  };

type Target = {
  readonly picture: Picture;
  readonly known: readonly FaceRow[];
  /** People without a name: a machine has found that some faces are alike. */
  readonly unnamed: ReadonlySet<string>;
  readonly personId: string;
};

async function importFace(
  { db, now: getNow }: Pick<JobCtx, 'db' | 'now'>,
  { picture, known, unnamed, personId }: Target,
  { x, y, width, height }: NamedFace,
): Promise<void> {
  const now = getNow();
  const box = { x1: x, y1: y, x2: x + width, y2: y + height };
  const decided = { personId, decidedBy: 'owner', clusteredAt: now } as const;
  const same = known.find((other) => computeIou(box, other) >= MIN_OVERLAP);
  if (same) {
    const isFree =
      same.personId === null || (same.decidedBy === 'machine' && unnamed.has(same.personId));
    if (same.isHidden || !isFree) return;
    await changeFace(db, same.id, decided, now);
  } else {
    const { assetId, ownerId, revision, width: imageWidth, height: imageHeight } = picture;
    if (imageWidth === null || imageHeight === null) return;
    const across = toWholePixels(box.x1, box.x2, imageWidth);
    const down = toWholePixels(box.y1, box.y2, imageHeight);
    const row = await store.insertFace(db, {
      x1: across.first,
      x2: across.last,
      y1: down.first,
      y2: down.last,
      ...decided,
      ownerId,
      assetId,
      imageWidth,
      imageHeight,
      source: 'exif',
      boxBy: 'owner',
      sourceRevision: revision,
      createdAt: now,
      updatedAt: now,
    });
    await enqueue(db, embedFace, { faceId: row.id });
  }
  await enqueuePersonThumbnails(db, [personId, same?.personId ?? null]);
}

/** Rounding errors of a share that was made of pixels. */
const TOLERANCE = 1e-6;

/** Edges on the pixels in which they lie, as Immich has them. */
function toWholePixels(first: number, last: number, size: number) {
  const start = Math.min(Math.floor(first * size + TOLERANCE), size - 1);
  const end = Math.max(Math.floor(last * size + TOLERANCE), start + 1);
  return { first: start / size, last: end / size };
}

import { requireValue } from '../../core/required.ts';
import { lockPicture } from '../assets/picture/index.ts';
import type { FaceRow } from '../../db/tables/people.ts';
import {
  type Box,
  computeIou,
  DEFAULT_THRESHOLDS,
  defineSink,
  type Face,
  type PictureSize,
  saveEmbeddings,
} from '../../inference/index.ts';
import { deletePersonVectors } from '../people/index.ts';
import {
  lockFacesOfAsset,
  insertFaces,
  refreshFace,
  removeFaces,
  type DetectedFaceColumns,
} from './sink.store.ts';

/** Faces below this side length of the preview (px) are stored but not clustered. */
const MIN_SIDE_PX = 28;
/** Minimum overlap (intersection over union) of two boxes of one face. */
const MIN_OVERLAP = 0.4;

/**
 * Matches detections to stored faces by place, so that ids and decisions survive. Faces the machine
 * no longer sees are deleted, unless the owner drew, moved, hid or named them.
 */
export const facesSink = defineSink({
  task: 'faces',
  async store(
    db,
    { assetId, picture: size },
    found,
    model,
    { face: minScore } = DEFAULT_THRESHOLDS,
  ) {
    const picture = await lockPicture(db, assetId);
    if (!picture) return;
    const old = await lockFacesOfAsset(db, assetId);
    const seen = found.filter((face) => face.score >= minScore && isInside(face.box));
    const pairs = matchFaces(old, seen);
    const toRow = (face: Face): DetectedFaceColumns => ({
      ...clampBox(face.box),
      imageWidth: picture.width ?? size.width,
      imageHeight: picture.height ?? size.height,
      score: face.score,
      sidePx: computeSide(face, size),
      modelId: model.modelId,
      sourceRevision: picture.revision,
    });
    for (const [row, face] of pairs) {
      const { score, modelId, ...place } = toRow(face);
      await refreshFace(db, row.id, {
        score,
        modelId,
        ...(isOwnerEdited(row) ? {} : place),
      });
    }
    const kept = new Set(pairs.keys());
    await removeFaces(
      db,
      old.filter((row) => !kept.has(row) && !isOwnerEdited(row)).map((row) => row.id),
    );
    const matched = new Set(pairs.values());
    const fresh = seen.filter((face) => !matched.has(face));
    const ids = await insertFaces(
      db,
      fresh.map((face) => ({
        ...toRow(face),
        ownerId: picture.ownerId,
        assetId,
        source: 'machine-learning' as const,
      })),
    );
    const isClear = (face: Face) => computeSide(face, size) >= MIN_SIDE_PX;
    const subjects = [
      ...[...pairs].map(([row, face]) => ({ id: row.id, face })),
      ...fresh.map((face, index) => ({ id: requireValue(ids[index], 'id of a face'), face })),
    ].filter(({ face }) => isClear(face));
    await saveEmbeddings(
      db,
      model.modelId,
      subjects.map(({ id, face }) => ({ kind: 'face', subjectId: id, vector: face.vector })),
    );
    await deletePersonVectors(
      db,
      [...pairs.keys()].flatMap((row) => row.personId ?? []),
    );
  },
});

/** Returns the shorter side of the box in pixels of the analysed picture. */
const computeSide = ({ box }: Face, { width, height }: PictureSize): number =>
  Math.min((box.x2 - box.x1) * width, (box.y2 - box.y1) * height);

/** Returns whether the owner has drawn, moved or assigned the face. */
const isOwnerEdited = (row: FaceRow): boolean =>
  row.source !== 'machine-learning' || row.decidedBy === 'owner' || row.boxBy === 'owner';

/** Pairs rows and detections greedily by overlap; each is used once. */
function matchFaces(rows: readonly FaceRow[], seen: readonly Face[]): Map<FaceRow, Face> {
  const pairs = rows
    .flatMap((row) => seen.map((face) => ({ row, face, shared: computeIou(row, face.box) })))
    .filter(({ shared }) => shared >= MIN_OVERLAP)
    .toSorted((one, other) => other.shared - one.shared);
  const matched = new Map<FaceRow, Face>();
  const used = new Set<Face>();
  for (const { row, face } of pairs) {
    if (matched.has(row) || used.has(face)) continue;
    matched.set(row, face);
    used.add(face);
  }
  return matched;
}

const clampToUnit = (value: number) => Math.min(1, Math.max(0, value));
const clampBox = ({ x1, y1, x2, y2 }: Box): Box => ({
  x1: clampToUnit(x1),
  y1: clampToUnit(y1),
  x2: clampToUnit(x2),
  y2: clampToUnit(y2),
});
const isInside = (box: Box): boolean => {
  const { x1, y1, x2, y2 } = clampBox(box);
  return x1 < x2 && y1 < y2;
};

import { t } from '../../base/i18n.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import {
  type AssetFace,
  changeFace,
  drawFace,
  type FaceSource,
  getPlace,
  moveFace,
  type Place,
} from './faces-data.ts';
import type { Person } from './people-data.ts';

/** Changes of faces, each of which can be taken back. `source`: the picture that boxes refer to. */
export function createFaceActions(source: FaceSource | undefined) {
  const apply = async (
    work: () => Promise<AssetFace>,
    done: string,
    back?: (now: AssetFace) => Promise<AssetFace>,
  ) => {
    await attempt(async () => {
      const now = await work();
      if (back) showUndo(done, () => apply(() => back(now), t('Undone')));
    });
  };
  const give = (face: AssetFace, person: Person | null) =>
    apply(
      () => changeFace(face, { personId: person?.id ?? null }),
      person
        ? t('This is {name}', { name: person.name || t('somebody else') })
        : t('Face no longer assigned'),
      (now) => changeFace(now, { personId: face.person?.id ?? null }),
    );
  const hide = (face: AssetFace) =>
    apply(
      () => changeFace(face, { isHidden: !face.isHidden }),
      face.isHidden ? t('Shown again') : t('Hidden: not a face'),
      (now) => changeFace(now, { isHidden: face.isHidden }),
    );
  const move = (face: AssetFace, place: Place) =>
    source &&
    apply(
      () => moveFace(face, source, place),
      t('Moved'),
      (now) => moveFace(now, source, getPlace(face)),
    );
  const draw = (place: Place, person: Person) =>
    source &&
    apply(
      () => drawFace(source, place, person.id),
      t('Face added'),
      (now) => changeFace(now, { isHidden: true }),
    );
  return { give, hide, move, draw };
}

import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { createFaceActions } from '../../data/people/face-actions.ts';
import { FaceLink } from '../people/face-link.tsx';
import type { AssetFace } from '../../data/people/faces-data.ts';
import { WHO_IS_THIS } from '../../data/people/people-data.ts';
import { facesQuery } from '../../data/people/queries.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Asset } from '../../data/types.ts';
import { WhoDialog } from '../people/who-dialog.tsx';
import infoPanelStyles from '../../ui/info-panel.module.css';
import styles from './viewer.module.css';

/** The people on a photo; a face that belongs to nobody yet can be given a name. */
export function PhotoPeople({ asset }: { asset: Asset }) {
  const { data = [] } = useQuery(facesQuery(asset.id));
  const [unnamed, setUnnamed] = useState<AssetFace>();
  const { give } = createFaceActions(undefined);
  const faces = data.filter(({ isHidden, person }) => !isHidden && !person?.isHidden);
  if (faces.length === 0) return null;
  return (
    <section className={infoPanelStyles.infoSection}>
      <header>
        <h3>{t('People')}</h3>
      </header>
      <ul className={styles.people}>
        {faces.map((face) => (
          <li key={face.id}>
            {face.person ? (
              <FaceLink person={face.person} />
            ) : (
              <button className="face-link" onClick={() => setUnnamed(face)}>
                <FaceCrop asset={asset} face={face} />
                <span className="muted">{WHO_IS_THIS}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {unnamed && (
        <WhoDialog
          onClose={() => setUnnamed(undefined)}
          onPick={(person) => {
            setUnnamed(undefined);
            void give(unnamed, person);
          }}
        />
      )}
    </section>
  );
}

/** Some of the hair and the chin belong to a face. */
const MARGIN = 1.4;

/** The part of the preview around a face. */
const FaceCrop = ({ asset, face }: { asset: Asset; face: AssetFace }) => (
  <span className={`face-picture ${styles.crop}`} aria-hidden>
    <img
      src={getPictureUrl(asset.id, 'preview', asset.thumbhash)}
      alt=""
      style={toCropStyle(face)}
    />
  </span>
);

/** Returns where the picture lies in a square that shows the face. */
function toCropStyle(face: AssetFace): CSSProperties {
  const { boundingBoxX1: x1, boundingBoxX2: x2, boundingBoxY1: y1, boundingBoxY2: y2 } = face;
  const { imageWidth, imageHeight } = face;
  const side = Math.min(Math.max(x2 - x1, y2 - y1) * MARGIN, imageWidth, imageHeight);
  const place = (center: number, length: number) =>
    Math.min(Math.max(0, center - side / 2), length - side);
  const toPercent = (pixels: number) => `${(pixels / side) * 100}%`;
  return {
    width: toPercent(imageWidth),
    height: toPercent(imageHeight),
    left: toPercent(-place((x1 + x2) / 2, imageWidth)),
    top: toPercent(-place((y1 + y2) / 2, imageHeight)),
  };
}

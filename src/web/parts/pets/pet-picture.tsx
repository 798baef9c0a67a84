import { PawPrint } from 'lucide-react';
import { getPictureUrl, type PictureSize } from '../../base/pictures.ts';
import { type Sight, getCropWindow } from '../../data/pets/pet-data.ts';
import styles from './pets.module.css';

const percent = (part: number) => `${part * 100}%`;

/** The animal, cut out of the photo by the window it is seen through. */
export function PetPicture({ sight, size }: { sight: Sight | null; size: PictureSize }) {
  if (!sight) {
    return (
      <span data-part="pet-picture" className={styles.petPicture} aria-hidden>
        <PawPrint strokeWidth={1.25} />
      </span>
    );
  }
  const { width, left, top } = getCropWindow(sight);
  return (
    <span data-part="pet-picture" className={styles.petPicture} aria-hidden>
      <img
        src={getPictureUrl(sight.assetId, size, sight.thumbhash)}
        alt=""
        loading="lazy"
        decoding="async"
        style={{ width: percent(width), left: percent(left), top: percent(top) }}
      />
    </span>
  );
}

import { Crosshair } from 'lucide-react';
import { useState } from 'react';
import { isGuest } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { LazyMiniMap } from '../map/lazy-mini-map.tsx';
import type { Exif } from '../../data/types.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import infoPanelStyles from '../../ui/info-panel.module.css';

/** Enough for a metre. */
const DIGITS = 5;
/** OpenStreetMap shows a street. */
const STREET_ZOOM = 16;

/** Where a photo was taken, on the map of this server; guests have no map to go to. */
export function PhotoPlace({ exif }: { exif: Exif | undefined }) {
  const [isShown, setShown] = useState(false);
  const { latitude, longitude } = exif ?? {};
  if (isGuest() || typeof latitude !== 'number' || typeof longitude !== 'number') return null;
  const [lat, lon] = [latitude.toFixed(DIGITS), longitude.toFixed(DIGITS)];
  return (
    <section className={infoPanelStyles.infoSection} aria-label={t('Place')}>
      <LazyMiniMap lat={latitude} lon={longitude} />
      {isShown ? (
        <>
          <CopyField label={t('Coordinates')} value={`${lat}, ${lon}`} />
          <CopyField
            label={t('Address on OpenStreetMap')}
            value={`https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=${STREET_ZOOM}/${lat}/${lon}`}
          />
        </>
      ) : (
        <button className="button small" onClick={() => setShown(true)}>
          <Crosshair size={16} aria-hidden /> {t('Show coordinates')}
        </button>
      )}
    </section>
  );
}

import { formatDay, wallClock } from '../../base/format.ts';
import { getIntlTags } from '../../base/i18n.ts';
import type { Asset } from '../../data/types.ts';
import { countYears } from './player-state.ts';
import styles from './player.module.css';

/** Says when and where a picture of a memory was taken. */
export function Caption({ asset, position }: { asset: Asset; position: string }) {
  const { city, country } = asset.exifInfo ?? {};
  const ago = formatYearsAgo(asset.localDateTime);
  const place = [city, country].filter(Boolean).join(', ');
  return (
    <footer className={styles.caption}>
      <p className={styles.day}>{formatDay(wallClock(asset.localDateTime, 0))}</p>
      <p>{[ago, place, position].filter(Boolean).join(' · ')}</p>
    </footer>
  );
}

function formatYearsAgo(localDateTime: string, now = new Date()): string | undefined {
  const years = countYears(localDateTime, now);
  if (years <= 0) return undefined;
  return new Intl.RelativeTimeFormat(getIntlTags()).format(-years, 'year');
}

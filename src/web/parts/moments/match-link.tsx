import { getPictureUrl } from '../../base/pictures.ts';
import { formatClock } from './entries.ts';
import { frameUrl, type MomentMatch } from '../../data/moments/moment-data.ts';
import styles from './moments.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  match: MomentMatch;
  href: string;
  note?: string | undefined;
  onOpen: () => void;
};

/** A scene that was found, and the way to it. */
export function MatchLink({ match, href, note, onOpen }: Props) {
  const said = match.transcript && `“${match.transcript}”`;
  const text = match.title ?? said ?? match.caption ?? '';
  const time = formatClock(match.timeMs);
  return (
    <a
      data-part="match"
      className={styles.match}
      href={href}
      aria-label={
        text ? t('Video at {time}: {text}', { time, text }) : t('Video at {time}', { time })
      }
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onOpen();
      }}
    >
      <span className={styles.matchPicture}>
        <img
          src={match.frameId ? frameUrl(match.frameId) : getPictureUrl(match.assetId, 'thumbnail')}
          alt=""
          loading="lazy"
        />
        <span className={styles.momentsTime}>{time}</span>
      </span>
      <span className={styles.matchText}>
        {text || note || t('Scene')}
        {text && note && <small>{note}</small>}
      </span>
    </a>
  );
}

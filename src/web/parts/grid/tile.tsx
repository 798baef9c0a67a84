import { Users } from 'lucide-react';
import { memo, useEffect, useReducer, useRef } from 'react';
import { requireValue } from '../../../core/required.ts';
import { checkConnection, whenOnline } from '../../base/connection.ts';
import { formatDay, formatDuration, formatTime, wallClock } from '../../base/format.ts';
import type { Store } from '../../base/store.ts';
import { canDrag } from '../tags/dragging.ts';
import type { MonthColumns } from '../../data/types.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Speed } from './scroller.ts';
import { getAverageColor, queueThumbhash } from './thumbhash.ts';
import styles from './timeline.module.css';
import { t } from '../../base/i18n.ts';

export type TileProps = {
  id: string;
  columns: MonthColumns;
  item: number;
  /** The names of those whom it shows. */
  people: string | undefined;
  /** The name of the partner whose photo it is. */
  partner: string | undefined;
  href: string;
  left: number;
  top: number;
  width: number;
  height: number;
  isChosen: boolean;
  isTabStop: boolean;
  speed: Store<Speed>;
};

/** One picture of the grid. Clicks and keys are handled by the timeline, by `data-id`. */
export const Tile = memo(function Tile(props: TileProps) {
  const { id, columns, item, people, partner, isChosen } = props;
  const name = describePhoto(columns, item, { people, partner });
  const hash = columns.thumbhash[item] ?? null;
  return (
    <div
      data-part="tile"
      data-chosen={isChosen || undefined}
      className={isChosen ? `${styles.tile} ${styles.chosen}` : styles.tile}
      style={{
        transform: `translate(${props.left}px, ${props.top}px)`,
        width: props.width,
        height: props.height,
      }}
    >
      <a
        href={props.href}
        data-id={id}
        data-part="tile-link"
        className={styles.tileLink}
        aria-label={name}
        tabIndex={props.isTabStop ? 0 : -1}
        draggable={isChosen && canDrag()}
      >
        {hash ? (
          <Picture key={hash} id={id} hash={hash} speed={props.speed} />
        ) : (
          <span className={getPlaceholder(columns, item)} />
        )}
        <Badges columns={columns} item={item} partner={partner} />
      </a>
      <button
        data-part="tile-check"
        className={styles.tileCheck}
        data-check={id}
        role="checkbox"
        aria-checked={isChosen}
        aria-label={t('Select {name}', { name })}
        tabIndex={-1}
      />
    </div>
  );
});

/** No picture after so long: the file cannot be read. */
const OVERDUE_MS = 10 * 60_000;

/** Most sound files have no cover. */
function getPlaceholder(columns: MonthColumns, item: number): string | undefined {
  if (columns.isAudio?.[item]) return styles.tileAudio;
  const age = Date.now() - Date.parse(columns.createdAt[item] ?? '');
  return age > OVERDUE_MS ? styles.tileNone : styles.tileWaiting;
}

function getKind({ isImage, isAudio }: MonthColumns, item: number): string {
  if (isAudio?.[item]) return t('Audio');
  return isImage[item] ? t('Photo') : t('Video');
}

function describePhoto(
  columns: MonthColumns,
  item: number,
  { people, partner }: Pick<TileProps, 'people' | 'partner'>,
): string {
  const takenAt = requireValue(columns.fileCreatedAt[item], 'time of the photo');
  const clock = wallClock(takenAt, columns.localOffsetHours[item] ?? 0);
  const kind = getKind(columns, item);
  const shown = people === undefined ? '' : `, ${people}`;
  const favorite = columns.isFavorite[item] ? t(', favorite') : '';
  const size = columns.stack?.[item]?.[1];
  const stack = size ? t(', stack of {size}', { size }) : '';
  const offline = columns.isOffline?.[item] ? t(', offline') : '';
  const owner = partner === undefined ? '' : t(', from {partner}', { partner });
  const town = columns.city?.[item] ?? columns.country?.[item];
  const place = town ? `, ${town}` : '';
  const time = columns.duration[item];
  const duration = time ? `, ${formatDuration(time)}` : '';
  return `${kind}${shown}, ${formatDay(clock)}, ${formatTime(clock)}${place}${duration}${favorite}${stack}${offline}${owner}`;
}

export const thumbnailUrl = (id: string, hash: string | null): string =>
  getPictureUrl(id, 'thumbnail', hash);

const RETRY_MS = [1000, 4000, 15_000];

function Picture({ id, hash, speed }: { id: string; hash: string; speed: Store<Speed> }) {
  const host = useRef<HTMLSpanElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const failures = useRef(0);
  const [isWanted, setWanted] = useReducer(() => true, speed.get() === 'slow');

  // Pictures that fly by are not fetched; the blurred ones are enough.
  useEffect(() => {
    if (isWanted) return;
    return speed.subscribe(() => {
      if (speed.get() === 'slow') setWanted();
    });
  }, [isWanted, speed]);

  useEffect(() => {
    const isHere = image.current?.complete && image.current.naturalWidth > 0;
    if (isHere || !host.current) return;
    return queueThumbhash(hash, host.current);
  }, [hash]);

  const url = thumbnailUrl(id, hash);
  return (
    <>
      <span
        ref={host}
        className={styles.tileHash}
        style={{ backgroundColor: getAverageColor(hash) }}
      />
      {isWanted && (
        <img
          ref={image}
          src={url}
          alt=""
          decoding="async"
          draggable={false}
          onLoad={(event) => {
            // Fading in costs a layer for each picture: only where something blurred is replaced.
            const { dataset } = event.currentTarget;
            if (host.current?.style.backgroundImage) dataset['fade'] = '';
            dataset['loaded'] = '';
          }}
          onError={(event) => {
            const element = event.currentTarget;
            const wait = RETRY_MS[failures.current++];
            const reload = () => void (element.src = `${url}&try=${failures.current}`);
            void checkConnection();
            if (wait) setTimeout(() => void whenOnline().then(reload), wait);
          }}
        />
      )}
    </>
  );
}

function Badges({ columns, item, partner }: Pick<TileProps, 'columns' | 'item' | 'partner'>) {
  const isVideo = !columns.isImage[item];
  const isLive = Boolean(columns.livePhotoVideoId[item]);
  const isFavorite = columns.isFavorite[item];
  const stack = columns.stack?.[item];
  const isOffline = columns.isOffline?.[item];
  if (!isVideo && !isLive && !isFavorite && !isOffline && !stack && !partner) return null;
  const duration = columns.duration[item];
  return (
    <span className={styles.tileBadges} aria-hidden>
      {isVideo && (
        <span
          className={`badge ${columns.isAudio?.[item] ? styles.badgeAudio : styles.badgeVideo}`}
        >
          {duration ? formatDuration(duration) : ''}
        </span>
      )}
      {partner && (
        <span data-part="badge-partner" className="badge" title={partner}>
          <Users size={15} strokeWidth={2.2} />
        </span>
      )}
      {isLive && <span data-part="badge-live" className={`badge ${styles.badgeLive}`} />}
      {stack && (
        <span data-part="badge-stack" className={`badge ${styles.badgeStack}`}>
          {stack[1]}
        </span>
      )}
      {isOffline && <span data-part="badge-offline" className={`badge ${styles.badgeOffline}`} />}
      {isFavorite && (
        <span data-part="badge-favorite" className={`badge ${styles.badgeFavorite}`} />
      )}
    </span>
  );
}

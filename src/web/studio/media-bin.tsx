import { useInfiniteQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { rational, toWire, ZERO } from '../../core/rational.ts';
import { useAlbums } from '../albums/queries.ts';
import { formatDay, formatDuration } from '../format.ts';
import { getPictureUrl } from '../pictures.ts';
import type { Found } from '../search/results.ts';
import { Failure } from '../ui/parts.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { addEntry } from './add-entry.ts';
import { AddSound } from './add-sound.tsx';
import { fromFrameNumber, getEnd, max, toFrameNumber } from './film.ts';
import { mediaQuery } from './queries.ts';
import type { Editor } from './use-editor.ts';
import styles from './editor.module.css';
import { t } from '../i18n.ts';

const TYPING_MS = 300;
/** Time for which a picture shows. */
const STILL = rational(4n);

/** The items of which a film can be made. A click adds one at the end. */
export function MediaBin({ editor }: { editor: Editor }) {
  const [words, setWords] = useState('');
  const [albumId, setAlbumId] = useState('');
  const albums = useAlbums();
  const filter = { words: useDebounced(words.trim(), TYPING_MS), albumId };
  const media = useInfiniteQuery(mediaQuery(filter));
  const id = useId();
  const { data, error } = media;
  return (
    <section className={styles.bin} aria-label={t('Media')}>
      <div className={styles.binFilter}>
        <input
          type="search"
          className="find-input"
          aria-label={t('Search')}
          placeholder={t('Search')}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <label className="field" htmlFor={id}>
          <span className="hidden-title">{t('Album')}</span>
          <select id={id} value={albumId} onChange={({ target }) => setAlbumId(target.value)}>
            <option value="">{t('All albums')}</option>
            {albums.data?.map((album) => (
              <option key={album.id} value={album.id}>
                {album.albumName}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error && !data && <Failure text={error.message} onRetry={() => void media.refetch()} />}
      {data?.length === 0 && <p className="muted">{t('Nothing found')}</p>}
      <ul className={styles.media} aria-label={t('Media')}>
        {data?.map((item) => (
          <li key={item.id}>
            <Medium item={item} onAdd={() => add(editor, item)} />
            {item.type === 'VIDEO' && <AddSound editor={editor} item={item} />}
          </li>
        ))}
      </ul>
      {media.hasNextPage && (
        <button
          className="button small"
          disabled={media.isFetchingNextPage}
          onClick={() => void media.fetchNextPage()}
        >
          {t('Show more')}
        </button>
      )}
    </section>
  );
}

function Medium({ item, onAdd }: { item: Found; onAdd: () => void }) {
  const day = formatDay(new Date(item.localDateTime));
  const duration = item.duration ? formatDuration(item.duration) : '';
  const kind = item.type === 'VIDEO' ? t('Video') : t('Photo');
  return (
    <button
      type="button"
      className={styles.medium}
      onClick={onAdd}
      aria-label={`${t('Add {kind}, {day}', { kind, day })} ${duration}`.trim()}
    >
      <img
        src={getPictureUrl(item.id, 'thumbnail', item.thumbhash)}
        alt=""
        loading="lazy"
        draggable={false}
      />
      {duration && <span>{duration}</span>}
    </button>
  );
}

/** Adds an item at the end of the lowest track. */
function add(editor: Editor, { id: assetId, type, duration }: Found): void {
  const { film } = editor;
  const length =
    type === 'VIDEO' && duration
      ? fromFrameNumber(film, Math.max(1, toFrameNumber(film, rational(BigInt(duration), 1000n))))
      : STILL;
  const start = film.clips
    .filter(({ track }) => track === 0)
    .map(getEnd)
    .reduce(max, ZERO);
  const times = { start: toWire(start), duration: toWire(length), sourceIn: toWire(ZERO) };
  addEntry(editor, { id: crypto.randomUUID(), assetId, track: 0, ...times });
}

import { useInfiniteQuery, type UseInfiniteQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAlbums } from '../../data/albums/queries.ts';
import { formatDay, formatDuration } from '../../base/format.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { formatClock } from '../../parts/moments/entries.ts';
import { frameUrl } from '../../data/moments/moment-data.ts';
import { peopleQuery } from '../../data/people/queries.ts';
import type { Found } from '../../data/search/results.ts';
import { attempt } from '../../ui/toast.tsx';
import { Failure } from '../../ui/elements.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { addItem, addScene } from './add-entry.ts';
import { DRAGGED, dragged } from './dragged.ts';
import { AddSound } from './add-sound.tsx';
import {
  type MediaFilter,
  type MediaType,
  mediaQuery,
  type Scene,
  scenesQuery,
} from '../../data/studio/queries.ts';
import type { Editor } from './use-editor.ts';
import styles from './editor.module.css';
import { t } from '../../base/i18n.ts';

const TYPING_MS = 300;

type Kind = MediaType | 'moments';

const KINDS: readonly (readonly [Kind, string])[] = [
  ['VIDEO', t('Videos')],
  ['IMAGE', t('Photos')],
  ['moments', t('Moments')],
];
const ALL: MediaFilter = { words: '', albumId: '', personId: '' };

/** The videos, the photos and the moments of videos of which a film can be made. A click or a drop adds one at the end. */
export function MediaBin({ editor }: { editor: Editor }) {
  const [chosen, setKind] = useState<Kind>();
  const [filter, setFilter] = useState(ALL);
  const words = useDebounced(filter.words.trim(), TYPING_MS);
  const videos = useInfiniteQuery(mediaQuery(ALL, 'VIDEO'));
  const kind = chosen ?? (videos.data?.length === 0 ? 'IMAGE' : 'VIDEO');
  const props = { editor, filter: { ...filter, words } };
  return (
    <section className={styles.bin} aria-label={t('Media')}>
      <div className={styles.binFilter}>
        <input
          type="search"
          className="find-input"
          aria-label={t('Search')}
          placeholder={t('Search')}
          value={filter.words}
          onChange={({ target }) => setFilter({ ...filter, words: target.value })}
        />
        <div className={styles.kinds} role="group" aria-label={t('Kind')}>
          {KINDS.map(([name, label]) => (
            <button
              key={name}
              className="chip"
              aria-pressed={name === kind}
              onClick={() => setKind(name)}
            >
              {label}
            </button>
          ))}
        </div>
        <Origins filter={filter} onChange={setFilter} />
      </div>
      {kind === 'moments' ? <SceneList {...props} /> : <ItemList {...props} type={kind} />}
    </section>
  );
}

/** The most people to choose from, those with a name first. */
const MOST_PEOPLE = 1000;

/** Narrows the media to those of an album, and of a person. */
function Origins({
  filter,
  onChange,
}: {
  filter: MediaFilter;
  onChange: (to: MediaFilter) => void;
}) {
  const albums = useAlbums();
  const people = useQuery(peopleQuery('', MOST_PEOPLE, false));
  const named = people.data?.people.filter(({ name }) => name) ?? [];
  return (
    <>
      <Choice
        label={t('Album')}
        value={filter.albumId}
        onChange={(albumId) => onChange({ ...filter, albumId })}
      >
        <option value="">{t('All albums')}</option>
        {albums.data?.map(({ id, albumName }) => (
          <option key={id} value={id}>
            {albumName}
          </option>
        ))}
      </Choice>
      {named.length > 0 && (
        <Choice
          label={t('Person')}
          value={filter.personId}
          onChange={(personId) => onChange({ ...filter, personId })}
        >
          <option value="">{t('All people')}</option>
          {named.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      )}
    </>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
};

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      {children}
    </select>
  );
}

type ListProps = { editor: Editor; filter: MediaFilter };

function ItemList({ editor, filter, type }: ListProps & { type: MediaType }) {
  return (
    <MediaList media={useInfiniteQuery(mediaQuery(filter, type))}>
      {(item) => (
        <li key={item.id}>
          <Medium item={item} onAdd={() => addItem(editor, item)} />
          {item.type === 'VIDEO' && <AddSound editor={editor} item={item} />}
        </li>
      )}
    </MediaList>
  );
}

function SceneList({ editor, filter }: ListProps) {
  return (
    <MediaList media={useInfiniteQuery(scenesQuery(filter))}>
      {(scene) => (
        <li key={scene.momentId ?? scene.frameId}>
          <SceneButton scene={scene} onAdd={() => void attempt(() => addScene(editor, scene))} />
        </li>
      )}
    </MediaList>
  );
}

type MediaListProps<T> = {
  media: UseInfiniteQueryResult<T[]>;
  children: (item: T) => ReactNode;
};

function MediaList<T>({ media, children }: MediaListProps<T>) {
  const { data, error, hasNextPage, isFetchingNextPage } = media;
  return (
    <>
      {error && !data && <Failure error={error} onRetry={() => void media.refetch()} />}
      {data?.length === 0 && !hasNextPage && <p className="muted">{t('Nothing found')}</p>}
      <ul className={styles.media} aria-label={t('Media')}>
        {data?.map(children)}
      </ul>
      {hasNextPage && (
        <button
          className="button small"
          disabled={isFetchingNextPage}
          onClick={() => void media.fetchNextPage()}
        >
          {t('Show more')}
        </button>
      )}
    </>
  );
}

function Medium({ item, onAdd }: { item: Found; onAdd: () => void }) {
  const day = formatDay(new Date(item.localDateTime));
  const duration = item.duration ? formatDuration(item.duration) : '';
  const kind = item.type === 'VIDEO' ? t('Video') : t('Photo');
  return (
    <MediumButton
      name={`${t('Add {kind}, {day}', { kind, day })} ${duration}`.trim()}
      picture={getPictureUrl(item.id, 'thumbnail', item.thumbhash)}
      note={duration}
      onAdd={onAdd}
    />
  );
}

function SceneButton({ scene, onAdd }: { scene: Scene; onAdd: () => void }) {
  const { assetId, frameId, timeMs, text } = scene;
  const time = formatClock(timeMs);
  return (
    <MediumButton
      name={
        text
          ? t('Add moment at {time}: {text}', { time, text })
          : t('Add moment at {time}', { time })
      }
      picture={frameId ? frameUrl(frameId) : getPictureUrl(assetId, 'thumbnail')}
      note={time}
      onAdd={onAdd}
    />
  );
}

type MediumButtonProps = { name: string; picture: string; note: string; onAdd: () => void };

function MediumButton({ name, picture, note, onAdd }: MediumButtonProps) {
  return (
    <button
      type="button"
      className={styles.medium}
      onClick={onAdd}
      aria-label={name}
      title={name}
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData(DRAGGED, name);
        dragged.set(() => onAdd);
      }}
      onDragEnd={() => dragged.set(undefined)}
    >
      <img
        src={picture}
        alt=""
        loading="lazy"
        draggable={false}
        // It may not be made yet.
        onError={(event) => (event.currentTarget.hidden = true)}
      />
      {note && <span>{note}</span>}
    </button>
  );
}

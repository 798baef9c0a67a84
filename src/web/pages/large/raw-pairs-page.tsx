import { useInfiniteQuery } from '@tanstack/react-query';
import { FileImage, Layers, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { formatBytes, formatInstant } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { moveToTrash } from '../../data/trash/trash-actions.ts';
import type { RawPair } from '../../data/types.ts';
import { Empty, Failure, Page } from '../../ui/elements.tsx';
import { rawPairsQuery, stackPairs } from './raw-pairs.ts';
import albumsStyles from '../../ui/collections.module.css';
import linksStyles from '../../parts/links/links.module.css';

const NONE: ReadonlySet<string> = new Set();

/** The account's raw photos that are there as pictures, too: to stack them, or to delete the raw ones. */
export function RawPairsPage() {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(rawPairsQuery());
  const [chosen, setChosen] = useState(NONE);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${t('Raw photos with a picture')} · Safelight`;
  }, []);
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const total = data?.pages[0]?.total;
  const pairs = items.filter(({ raw }) => chosen.has(raw.id));
  const run = async (act: () => Promise<boolean>) => {
    setBusy(true);
    if (await act()) setChosen(NONE);
    setBusy(false);
  };
  return (
    <Page title={t('Raw photos with a picture')}>
      <p className="muted">
        {t(
          'Each of these raw photos has a picture of the same name and time in your library. Raw photos in the trash can be restored.',
        )}
      </p>
      {total && total.files > 0 && (
        <p>
          {t('{count, plural, one {# raw photo takes {size}.} other {# raw photos take {size}.}}', {
            count: total.files,
            size: formatBytes(total.bytes),
          })}
        </p>
      )}
      {error && items.length === 0 && <Failure error={error} onRetry={() => void refetch()} />}
      {data && items.length === 0 && (
        <Empty
          icon={FileImage}
          title={t('No raw photos with a picture')}
          text={t('None of your raw photos has a matching picture.')}
        />
      )}
      {items.length > 0 && (
        <Actions
          pairs={pairs}
          isBusy={isBusy}
          onSelect={(isAll) => setChosen(isAll ? new Set(items.map(({ raw }) => raw.id)) : NONE)}
          onStack={() => void run(() => stackPairs(pairs))}
          onTrash={() => void run(() => moveToTrash(new Set(pairs.map(({ raw }) => raw.id))))}
        />
      )}
      <ul className="people people-list" aria-label={t('Raw photos with a picture')}>
        {items.map((pair) => (
          <PairRow
            key={pair.raw.id}
            pair={pair}
            isChosen={chosen.has(pair.raw.id)}
            onChoose={(isChosen) => setChosen((old) => withMember(old, pair.raw.id, isChosen))}
          />
        ))}
      </ul>
      {hasNextPage && (
        <button className="button" onClick={() => void fetchNextPage()}>
          {t('Show more')}
        </button>
      )}
    </Page>
  );
}

function withMember(old: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(old);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}

type ActionsProps = {
  pairs: readonly RawPair[];
  isBusy: boolean;
  onSelect: (isAll: boolean) => void;
  onStack: () => void;
  onTrash: () => void;
};

function Actions({ pairs, isBusy, onSelect, onStack, onTrash }: ActionsProps) {
  const isNone = pairs.length === 0;
  const bytes = pairs.reduce((sum, { raw }) => sum + raw.fileSizeInBytes, 0);
  return (
    <div className="card-actions">
      <button className="button" onClick={() => onSelect(isNone)}>
        {isNone ? t('Select all') : t('Clear selection')}
      </button>
      <button
        className="button"
        disabled={isBusy || pairs.every(({ isStacked }) => isStacked)}
        onClick={onStack}
      >
        <Layers size={16} aria-hidden /> {t('Stack')}
      </button>
      <button className="button" disabled={isBusy || isNone} onClick={onTrash}>
        <Trash2 size={16} aria-hidden />{' '}
        {isNone
          ? t('Move to the trash')
          : t(
              'Move {count, plural, one {# raw photo} other {# raw photos}} to the trash ({size})',
              {
                count: pairs.length,
                size: formatBytes(bytes),
              },
            )}
      </button>
    </div>
  );
}

type RowProps = { pair: RawPair; isChosen: boolean; onChoose: (isChosen: boolean) => void };

function PairRow({ pair: { raw, picture, fileCreatedAt, isStacked }, ...choice }: RowProps) {
  const name = raw.originalFileName;
  const notes = [formatBytes(raw.fileSizeInBytes), formatInstant(fileCreatedAt)];
  return (
    <li>
      <label className="check" style={{ minWidth: 44, justifyContent: 'center' }}>
        <input
          type="checkbox"
          checked={choice.isChosen}
          aria-label={t('Select {name}', { name })}
          onChange={({ target }) => choice.onChoose(target.checked)}
        />
      </label>
      <span className={`${albumsStyles.cover} ${linksStyles.linkCover}`}>
        <img
          src={getPictureUrl(picture.id, 'thumbnail')}
          alt=""
          loading="lazy"
          onError={(event) => (event.currentTarget.hidden = true)}
        />
      </span>
      <span className="person-name">
        <Link href={`/photos/${raw.id}`}>{name}</Link>
        <small>{notes.join(' · ')}</small>
        <small>
          <Link href={`/photos/${picture.id}`}>{picture.originalFileName}</Link>
          {` · ${formatBytes(picture.fileSizeInBytes)}`}
          {isStacked && ` · ${t('In a stack')}`}
        </small>
      </span>
    </li>
  );
}

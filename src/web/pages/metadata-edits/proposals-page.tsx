import { useInfiniteQuery } from '@tanstack/react-query';
import { CalendarCheck, CalendarClock, Check, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { formatDay, formatTime } from '../../base/format.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { Empty, Failure, IconButton, Page } from '../../ui/elements.tsx';
import { MetadataDialog } from '../../parts/metadata-edits/dialog.tsx';
import {
  acceptProposals,
  dismissProposals,
  type Group,
  groupByDay,
  type ProposalField,
  type ProposalItem,
  proposalsQuery,
} from '../../data/metadata-edits/proposals-data.ts';
import styles from './proposals.module.css';
import { t } from '../../base/i18n.ts';

const FIELDS = [
  ['date', t('Without a date')],
  ['place', t('Without a place')],
] as const;

/** A page may have nothing of what it has read: the next ones are read until there is something to show. */
const FEW = 20;

/** Photos without a date or place, and what these may be. */
export function ProposalsPage({ field }: { field: ProposalField }) {
  const query = useInfiniteQuery(proposalsQuery(field));
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const needsMore = items.length < FEW && hasNextPage && !isFetching && !error;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);
  useEffect(() => {
    const [, label] = FIELDS.find(([name]) => name === field) ?? [];
    document.title = `${label ?? t('Missing dates and places')} · Safelight`;
  }, [field]);
  const groups = groupByDay(field, items);
  return (
    <Page title={t('Missing dates and places')}>
      <nav className={styles.fields} aria-label={t('What is missing')}>
        {FIELDS.map(([name, label]) => (
          <Link
            key={name}
            href={`/missing/${name}`}
            className="button"
            aria-current={name === field ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <p className="muted">
        {field === 'date'
          ? t('Their files have no date: they are shown at the date of the file.')
          : t('You took other photos within two hours of these, and they have a place.')}
      </p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {groups.map((group) => (
        <DayGroup key={group.day ?? ''} field={field} group={group} />
      ))}
      <p role="status" className="muted">
        {isFetching ? t('Loading') : ''}
      </p>
      {items.length === 0 && !hasNextPage && !isFetching && !error && (
        <Empty
          icon={CalendarCheck}
          title={t('Nothing is missing')}
          text={t('New items without a date or place are listed here.')}
        />
      )}
      {hasNextPage && items.length >= FEW && (
        <button className="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
          {t('Show more')}
        </button>
      )}
    </Page>
  );
}

function DayGroup({ field, group: { day, items } }: { field: ProposalField; group: Group }) {
  const ids = items.map(({ assetId }) => assetId);
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={styles.group}>
      <header className="row-head">
        <h2>{day === undefined ? t('No suggestion') : formatDay(new Date(`${day}T00:00:00Z`))}</h2>
        {day === undefined ? (
          <button className="button" onClick={() => setOpen(true)}>
            <CalendarClock size={16} aria-hidden /> {t('Edit date and place')}
          </button>
        ) : (
          <button className="button" onClick={() => void acceptProposals(field, ids)}>
            <Check size={16} aria-hidden />{' '}
            {t('{count, plural, one {Accept #} other {Accept all #}}', { count: ids.length })}
          </button>
        )}
      </header>
      <ul className={styles.items}>
        {items.map((item) => (
          <Row key={item.assetId} field={field} item={item} />
        ))}
      </ul>
      {isOpen && <MetadataDialog ids={ids} onClose={() => setOpen(false)} />}
    </section>
  );
}

function Row({ field, item }: { field: ProposalField; item: ProposalItem }) {
  const { assetId, originalFileName, proposal } = item;
  return (
    <li className={styles.item}>
      <Link href={`/photos/${assetId}`} aria-label={originalFileName}>
        <img src={getPictureUrl(assetId, 'thumbnail')} alt="" loading="lazy" />
      </Link>
      <div className={styles.text}>
        <strong>{originalFileName}</strong>
        <span className="muted">{formatClock(item.localDateTime)}</span>
        {proposal && (
          <span>
            → {toText(proposal)} <small className="muted">{SOURCES[proposal.source]}</small>
          </span>
        )}
      </div>
      {proposal && (
        <IconButton
          icon={Check}
          label={t('Accept for {name}', { name: originalFileName })}
          onClick={() => void acceptProposals(field, [assetId])}
        />
      )}
      <IconButton
        icon={X}
        label={t('Dismiss {name}', { name: originalFileName })}
        onClick={() => void dismissProposals(field, [assetId])}
      />
    </li>
  );
}

const SOURCES = {
  fileName: t('from the file name'),
  folder: t('from the folder'),
  neighbours: t('like items uploaded with it'),
  nearby: t('like others of these hours'),
};

const formatClock = (local: string): string => {
  const clock = new Date(local);
  return `${formatDay(clock)} · ${formatTime(clock)}`;
};

function toText(proposal: NonNullable<ProposalItem['proposal']>): string {
  const { localDateTime, city, state, country, latitude, longitude } = proposal;
  if (localDateTime !== null) return formatClock(localDateTime);
  const place = [city, state, country].filter(Boolean).join(', ');
  return place || `${latitude?.toFixed(4)}, ${longitude?.toFixed(4)}`;
}

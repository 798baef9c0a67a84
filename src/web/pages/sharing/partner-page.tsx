import { useQuery } from '@tanstack/react-query';
import { Images, UserX } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { InTimelineBox } from '../../parts/settings/in-timeline-box.tsx';
import { partnersQuery } from '../../data/settings/queries.ts';
import { useStore } from '../../base/store.ts';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import type { Partner } from '../../data/types.ts';
import { Avatar, Empty, Failure } from '../../ui/elements.tsx';
import styles from './sharing.module.css';
import { t } from '../../base/i18n.ts';

type Props = { partnerId: string; photoId: string | undefined };

/** The timeline that another account shares. */
export function PartnerPage({ partnerId, photoId }: Props) {
  const { data, error, refetch } = useQuery(partnersQuery('shared-with'));
  const partner = data?.find(({ id }) => id === partnerId);
  const name = partner?.name;
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Safelight`;
  }, [name]);
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  if (!partner) {
    return (
      <Empty
        icon={UserX}
        title={t('This timeline is not shared with you')}
        text={t('Whoever shared it may have stopped.')}
      >
        <Link href="/sharing" className="button">
          {t('To all that is shared')}
        </Link>
      </Empty>
    );
  }
  return (
    <TimelineView
      timeline={getTimeline(toFilter(partnerId))}
      title={t('Photos of {name}', { name: partner.name })}
      base={`/sharing/${partnerId}`}
      photoId={photoId}
      head={<Head partner={partner} />}
      empty={
        <Empty
          icon={Images}
          title={t('No photos yet')}
          text={t('{name} has no photos on the timeline.', { name: partner.name })}
        />
      }
    />
  );
}

const toFilter = (userId: string) =>
  ({ userId, visibility: 'timeline', withStacked: true }) as const;

function Head({ partner }: { partner: Partner }) {
  const timeline = getTimeline(toFilter(partner.id));
  const count = useStore(timeline.state, ({ months }) =>
    months.reduce((sum, month) => sum + month.count, 0),
  );
  return (
    <header className="view-head">
      <h2 className={styles.partnerName}>
        <Avatar name={partner.name} /> {partner.name}
      </h2>
      <p className="muted">
        {t('{count, plural, one {# item} other {# items}}', { count })} · {t('shares with you')}
      </p>
      <div className="view-actions">
        <InTimelineBox partner={partner} />
      </div>
    </header>
  );
}

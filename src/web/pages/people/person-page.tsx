import { useQuery } from '@tanstack/react-query';
import { ImageOff, UserX } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { createResults, createPageFetcher } from '../../data/search/results.ts';
import { ResultsView } from '../../parts/results/results-view.tsx';
import { Empty } from '../../ui/elements.tsx';
import { getName } from '../../data/people/people-data.ts';
import { PersonHead } from './person-head.tsx';
import { personCountQuery, personQuery } from '../../data/people/queries.ts';
import timelineStyles from '../../parts/grid/timeline.module.css';
import { t } from '../../base/i18n.ts';

/** One person and the photos of them. */
export function PersonPage({
  personId,
  photoId,
}: {
  personId: string;
  photoId: string | undefined;
}) {
  const [, navigate] = useLocation();
  const { data: person, error } = useQuery(personQuery(personId));
  const { data: count } = useQuery(personCountQuery(personId));
  const results = useMemo(
    () => createResults(['person', personId], createPageFetcher({ personIds: [personId] }, null)),
    [personId],
  );
  useEffect(() => {
    if (person) document.title = `${getName(person)} · Safelight`;
  }, [person]);
  if (error && !person) {
    return (
      <Empty icon={UserX} title={t('This person cannot be shown')} text={error.message}>
        <Link href="/people" className="button">
          {t('To everyone')}
        </Link>
      </Empty>
    );
  }
  return (
    <ResultsView
      results={results}
      daysBy="takenAt"
      title={person ? getName(person) : t('Person')}
      head={person ? <PersonHead person={person} /> : <div className="person-head" />}
      note={
        <>
          <h2>{t('Photos')}</h2>
          <span data-part="month-count" className={timelineStyles.monthCount}>
            {count && t('{count, plural, one {# item} other {# items}}', { count: count.assets })}
          </span>
        </>
      }
      photoId={photoId}
      toHref={(id) => `/people/${personId}${id ? `/photos/${id}` : ''}`}
      navigate={navigate}
      empty={
        <Empty
          icon={ImageOff}
          title={t('No photos')}
          text={t('Faces of this person may be on photos in the trash or in Locked.')}
        />
      }
    />
  );
}

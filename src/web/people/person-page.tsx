import { ImageOff, UserX } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { createResults, pagesOf } from '../search/results.ts';
import { ResultsView } from '../search/results-view.tsx';
import { formatCount } from '../format.ts';
import { Empty } from '../ui/parts.tsx';
import { useLiveReload } from '../ui/use-live-reload.ts';
import { useLoad } from '../ui/use-load.ts';
import { countAssets, fetchPerson, nameOf } from './people-data.ts';
import { PersonHead } from './person-head.tsx';

/** One person and the photos of them. */
export function PersonPage({
  personId,
  photoId,
}: {
  personId: string;
  photoId: string | undefined;
}) {
  const [, navigate] = useLocation();
  const { data: person, error, reload } = useLoad(() => fetchPerson(personId), personId);
  useLiveReload(['on_person_thumbnail'], reload);
  const count = useLoad(() => countAssets(personId), personId);
  const results = useMemo(
    () => createResults(pagesOf({ personIds: [personId] }, null)),
    [personId],
  );
  useEffect(() => {
    if (person) document.title = `${nameOf(person)} · Safelight`;
  }, [person]);
  if (error && !person) {
    return (
      <Empty icon={UserX} title="This person cannot be shown" text={error}>
        <Link href="/people" className="button">
          To everyone
        </Link>
      </Empty>
    );
  }
  const change = async () => {
    await Promise.all([reload(), count.reload(), results.refresh()]);
  };
  return (
    <ResultsView
      results={results}
      title={person ? nameOf(person) : 'Person'}
      head={
        person ? <PersonHead person={person} onChange={change} /> : <div className="person-head" />
      }
      note={
        <>
          <h2>Photos</h2>
          <span className="month-count">
            {count.data && formatCount(count.data.assets, 'item')}
          </span>
        </>
      }
      photoId={photoId}
      hrefOf={(id) => `/people/${personId}${id ? `/photos/${id}` : ''}`}
      navigate={navigate}
      empty={
        <Empty
          icon={ImageOff}
          title="No photos"
          text="Faces of this person may be on photos in the trash or in Locked."
        />
      }
    />
  );
}

import { useQuery } from '@tanstack/react-query';
import { Eye, EyeOff, UserPen, Users } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Empty, IconButton, Page } from '../../ui/elements.tsx';
import { FaceLink } from '../../parts/people/face-link.tsx';
import { fetchUnnamed } from '../../data/people/naming.ts';
import type { Person } from '../../data/people/people-data.ts';
import { peopleQuery } from '../../data/people/queries.ts';
import { attempt } from '../../ui/toast.tsx';
import { NamingDialog } from './naming-dialog.tsx';
import { Suggestions } from './suggestions.tsx';
import styles from '../../parts/people/people.module.css';
import { t } from '../../base/i18n.ts';

const PAGE_SIZE = 100;

/** Everyone on the photos, those with a name first. */
export function PeoplePage() {
  const [withHidden, setHidden] = useState(false);
  const [part, setPart] = useState('');
  const name = part.trim();
  const [size, setSize] = useState(PAGE_SIZE);
  const { data, error, isPlaceholderData } = useQuery(peopleQuery(name, size, withHidden));
  const [unnamed, setUnnamed] = useState<readonly Person[]>();
  const hasUnnamed = data?.hasNextPage || data?.people.some((one) => !one.name && !one.isHidden);
  const actions = (
    <>
      {hasUnnamed && (
        <button
          className="button"
          onClick={() => void attempt(async () => setUnnamed(await fetchUnnamed()))}
        >
          <UserPen size={18} aria-hidden /> {t('Name people')}
        </button>
      )}
      <input
        className="find-input"
        aria-label={t('Find a person')}
        placeholder={t('Find a person')}
        value={part}
        onChange={(event) => setPart(event.target.value)}
      />
      <IconButton
        icon={withHidden ? EyeOff : Eye}
        label={withHidden ? t('Leave hidden people out') : t('Show hidden people')}
        isOn={withHidden}
        onClick={() => setHidden(!withHidden)}
      />
    </>
  );
  return (
    <Page title={t('People')} actions={actions}>
      {error && <p role="alert">{error.message}</p>}
      {!name && <Suggestions />}
      {data?.people.length === 0 && (
        <Empty
          icon={Users}
          title={name ? t('No person with this name') : t('No people yet')}
          text={
            name
              ? t('Names are given on the page of a person.')
              : t(
                  'Faces in your photos are found in the background. You can also draw them yourself.',
                )
          }
        />
      )}
      <ul data-part="face-grid" className={styles.faceGrid}>
        {data?.people.map((person) => (
          <li key={person.id}>
            <FaceLink person={person} />
          </li>
        ))}
      </ul>
      {data?.hasNextPage && !isPlaceholderData && (
        <More key={size} onSeen={() => setSize(growSize(size))} />
      )}
      {data && !withHidden && data.hidden > 0 && !name && (
        <p className={`muted ${styles.hiddenNote}`}>
          {t('{hidden, plural, one {# person} other {# people}} hidden', { hidden: data.hidden })}
        </p>
      )}
      {unnamed && <NamingDialog people={unnamed} onClose={() => setUnnamed(undefined)} />}
    </Page>
  );
}

/** Returns the next larger list size; above 1,000 it grows by whole requests. */
const growSize = (size: number): number => size + (size < 1000 ? PAGE_SIZE : 1000);

/** Calls `onSeen` when the end of the list comes into view. */
function More({ onSeen }: { onSeen: () => void }) {
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!mark.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onSeen());
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [onSeen]);
  return <div ref={mark} className={styles.moreMark} />;
}

import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { FacePicture } from '../../parts/people/face-link.tsx';
import { getName } from '../../data/people/people-data.ts';
import styles from '../../ui/collections.module.css';
import { albumPeopleQuery } from '../../data/albums/queries.ts';
import { t } from '../../base/i18n.ts';

type Props = { albumId: string; chosen: string | undefined };

/** The named people of the account on the photos of an album: each leads to their photos in it, the chosen one back to all. */
export function AlbumPeople({ albumId, chosen }: Props) {
  const { data = [] } = useQuery(albumPeopleQuery(albumId));
  const people = data.filter(({ id, name }) => name || id === chosen);
  if (people.length === 0) return null;
  return (
    <ul className={styles.albumPeople} aria-label={t('People in this album')}>
      {people.map((person) => (
        <li key={person.id}>
          <Link
            href={`/albums/${albumId}${person.id === chosen ? '' : `?${new URLSearchParams({ person: person.id })}`}`}
            className="face-link"
            aria-current={person.id === chosen}
          >
            <FacePicture person={person} />
            <span>{getName(person)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

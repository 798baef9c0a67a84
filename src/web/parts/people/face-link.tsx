import { User } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { faceUrl, getName, type Person } from '../../data/people/people-data.ts';
import styles from './people.module.css';

type Pictured = Pick<Person, 'id' | 'updatedAt' | 'thumbnailPath'>;

/** The round picture of a person; a drawn one where there is none yet. */
export function FacePicture({ person }: { person: Pictured }) {
  const [failed, setFailed] = useState<string>();
  const url = faceUrl(person);
  return (
    <span className="face-picture" aria-hidden>
      {!person.thumbnailPath || failed === url ? (
        <User strokeWidth={1.25} />
      ) : (
        <img src={url} alt="" loading="lazy" decoding="async" onError={() => setFailed(url)} />
      )}
    </span>
  );
}

export function FaceLink({ person }: { person: Person }) {
  return (
    <Link
      href={`/people/${person.id}`}
      className={person.isHidden ? `face-link ${styles.hiddenFace}` : 'face-link'}
    >
      <FacePicture person={person} />
      <span
        data-part="face-name"
        className={person.name && !person.isHidden ? styles.faceName : `${styles.faceName} muted`}
      >
        {getName(person)}
      </span>
    </Link>
  );
}

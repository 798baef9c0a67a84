import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { FacePicture } from './face-link.tsx';
import { createPerson, getName, type Person } from '../../data/people/people-data.ts';
import { candidatesQuery } from '../../data/people/queries.ts';
import { attempt } from '../../ui/toast.tsx';
import { t } from '../../base/i18n.ts';

type Props = {
  /** People who may be the same as this one are suggested; this one is left out. */
  closestTo?: string | undefined;
  /** A new person can be made of what was typed. */
  canCreate?: boolean;
  onPick: (person: Person) => void;
};

/** A person out of the list, found by name. */
export function PersonPicker({ closestTo, canCreate = false, onPick }: Props) {
  const [part, setPart] = useState('');
  const name = part.trim();
  const [isOpen, setOpen] = useState(closestTo === undefined);
  const isLikely = !isOpen && name === '';
  const { data: people } = useQuery(candidatesQuery(name, closestTo, isLikely));
  const create = () =>
    void attempt(async () => {
      onPick(await createPerson(name));
    });
  return (
    <>
      <div className="field">
        <input
          aria-label={t('Find a person')}
          placeholder={canCreate ? t('Find a person, or name a new one') : t('Find a person')}
          autoFocus
          value={part}
          onChange={(event) => setPart(event.target.value)}
        />
      </div>
      {people?.length === 0 && !canCreate && (
        <p className="muted">
          {isLikely ? t('Nobody looks like this person.') : t('No people to choose from.')}
        </p>
      )}
      <ul className="values people-values">
        {canCreate && name && (
          <li>
            <button className="value" onClick={create}>
              <span className="face-picture" aria-hidden>
                <Plus />
              </span>
              <span>{t('New person “{name}”', { name })}</span>
            </button>
          </li>
        )}
        {people?.map((person) => (
          <li key={person.id}>
            <button className="value" onClick={() => onPick(person)}>
              <FacePicture person={person} />
              <span>{getName(person)}</span>
            </button>
          </li>
        ))}
      </ul>
      {people && isLikely && (
        <button className="button" onClick={() => setOpen(true)}>
          {t('Show everybody')}
        </button>
      )}
    </>
  );
}

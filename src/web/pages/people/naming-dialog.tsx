import { useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { giveName } from '../../data/people/naming.ts';
import { type Person, WHO_IS_THIS } from '../../data/people/people-data.ts';
import { FacePicture } from '../../parts/people/face-link.tsx';
import { PersonPicker } from '../../parts/people/picker.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './naming.module.css';

type Props = { people: readonly Person[]; onClose: () => void };

/** Asks for the name of one person after the other, until there are no more or Escape is pressed. */
export function NamingDialog({ people, onClose }: Props) {
  const [at, setAt] = useState(0);
  const isBusy = useRef(false);
  const person = people[at];

  const answer = async (who: string | Person) => {
    if (!person || isBusy.current) return;
    isBusy.current = true;
    if (await giveName(person, who, () => setAt(at))) setAt(at + 1);
    isBusy.current = false;
  };
  if (!person) {
    return (
      <Dialog title={WHO_IS_THIS} onClose={onClose}>
        <p className="muted">{t('That was everybody.')}</p>
        <div className="dialog-actions">
          <button className="button primary" autoFocus onClick={onClose}>
            {t('Done')}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={WHO_IS_THIS} onClose={onClose}>
      <div data-part="naming" className={styles.naming}>
        <FacePicture key={person.id} person={person} />
        <p className="muted" role="status">
          {t('{done} of {total}', { done: at + 1, total: people.length })}
        </p>
      </div>
      <PersonPicker
        key={person.id}
        closestTo={person.id}
        isNamedOnly
        onPick={(other) => void answer(other)}
        onCreate={(name) => void answer(name)}
      />
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          {t('Done')}
        </button>
        <button className="button" onClick={() => setAt(at + 1)}>
          {t('Skip')}
        </button>
      </div>
    </Dialog>
  );
}

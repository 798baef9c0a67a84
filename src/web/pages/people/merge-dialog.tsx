import { ArrowLeftRight } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { FacePicture } from '../../parts/people/face-link.tsx';
import { getName, type Person } from '../../data/people/people-data.ts';
import { PersonPicker } from '../../parts/people/picker.tsx';
import styles from '../../parts/people/people.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  person: Person;
  /** Already chosen: it is asked about at once. */
  other?: Person | undefined;
  onMerge: (other: Person) => void;
  onClose: () => void;
};

/** Lets another person be chosen, then shows both faces and asks before they become one. */
export function MergeDialog({ person, other, onMerge, onClose }: Props) {
  const [chosen, setChosen] = useState(other);
  if (!chosen) {
    return (
      <Dialog title={t('Merge {person} with', { person: getName(person) })} onClose={onClose}>
        <PersonPicker closestTo={person.id} onPick={setChosen} />
      </Dialog>
    );
  }
  return (
    <Dialog key={chosen.id} title={t('Is this the same person?')} onClose={onClose}>
      <div className={styles.pair}>
        {[person, chosen].map((one, at) => [
          at === 1 && <ArrowLeftRight key="between" size={18} aria-hidden />,
          <span key={one.id} className="face-link">
            <FacePicture person={one} />
            <span className={styles.faceName}>{getName(one)}</span>
          </span>,
        ])}
      </div>
      <p className="muted">
        {t('All photos of both go to one person. You can undo it, also later in the history.')}
      </p>
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button className="button primary" autoFocus onClick={() => onMerge(chosen)}>
          {t('Merge')}
        </button>
      </div>
    </Dialog>
  );
}

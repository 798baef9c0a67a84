import { fold } from '../../../core/fold-text.ts';
import { Eye, EyeOff, Heart, History, Merge } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { formatLongDate } from '../../base/format.ts';
import { attempt, attemptUndoable, showToast, showUndo } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { NameField } from '../../ui/name-field.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { FacePicture } from '../../parts/people/face-link.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import {
  changePerson,
  findPeople,
  mergePeople,
  type Person,
  type PersonUpdate,
  undoLastCorrection,
  WHO_IS_THIS,
} from '../../data/people/people-data.ts';
import { RelationField } from './relation-field.tsx';
import styles from '../../parts/people/people.module.css';
import albumsStyles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

type Props = { person: Person };

/** The name, birth date and picture of a person, and the actions for them. */
export function PersonHead({ person }: Props) {
  const [open, setOpen] = useState<'merge' | 'history'>();
  const [candidate, setCandidate] = useState<Person>();
  const [, navigate] = useLocation();
  const close = () => {
    setOpen(undefined);
    setCandidate(undefined);
  };
  const change = async (next: PersonUpdate) => {
    await attempt(() => changePerson(person.id, next));
  };
  const setHidden = async (isHidden: boolean) => {
    if (!(await attempt(() => changePerson(person.id, { isHidden })))) return;
    showUndo(isHidden ? t('Hidden from people and suggestions') : t('Shown again'), () =>
      attempt(() => changePerson(person.id, { isHidden: !isHidden })),
    );
  };
  /** A person with a name stays, of two without the one that is looked at. */
  const merge = async (other: Person) => {
    close();
    const [kept, gone] = !person.name && other.name ? [other, person] : [person, other];
    if (!(await attempt(() => mergePeople([kept.id, gone.id])))) return;
    if (kept === other) navigate(`/people/${other.id}`);
    showUndo(t('Merged into one person'), () =>
      attempt(() => undoLastCorrection(kept.id, 'merge')),
    );
  };
  const rename = async (name: string) => {
    await change({ name });
    if (!name) return;
    const same = (await findPeople(name, true).catch(() => [])).find(
      (other) => other.id !== person.id && fold(other.name) === fold(name),
    );
    if (!same) return;
    showToast(t('There is another {name}.', { name: same.name }), 'info', {
      actions: [
        {
          label: t('Merge'),
          run: () => {
            setCandidate(same);
            setOpen('merge');
          },
        },
      ],
    });
  };
  return (
    <header className="person-head">
      <FacePicture person={person} />
      <div className={styles.personFacts}>
        <NameField key={person.id} name={person.name} placeholder={WHO_IS_THIS} onSave={rename} />
        <BirthDate
          value={person.birthDate}
          onSave={(birthDate) =>
            void attemptUndoable(
              () => changePerson(person.id, { birthDate }),
              t('Birth date changed'),
              () => changePerson(person.id, { birthDate: person.birthDate }),
            )
          }
        />
        <RelationField personId={person.id} />
        <div className={albumsStyles.albumBar}>
          <IconButton
            icon={Heart}
            label={person.isFavorite ? t('Remove from favorites') : t('Add to favorites')}
            word={t('Favorite')}
            isOn={person.isFavorite === true}
            onClick={() => void change({ isFavorite: !person.isFavorite })}
          />
          <IconButton
            icon={person.isHidden ? Eye : EyeOff}
            label={person.isHidden ? t('Show among people') : t('Hide this person')}
            word
            onClick={() => void setHidden(!person.isHidden)}
          />
          <IconButton
            icon={Merge}
            label={t('Merge with another')}
            word
            onClick={() => setOpen('merge')}
          />
          <IconButton icon={History} label={t('History')} word onClick={() => setOpen('history')} />
        </div>
      </div>
      {open === 'merge' && (
        <MergeDialog
          person={person}
          other={candidate}
          onMerge={(other) => void merge(other)}
          onClose={close}
        />
      )}
      {open === 'history' && <HistoryDialog personId={person.id} onClose={close} />}
    </header>
  );
}

type BirthProps = { value: string | null; onSave: (value: string | null) => void };

function BirthDate({ value, onSave }: BirthProps) {
  const [isOpen, setOpen] = useState(false);
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  return (
    <p className="muted birth">
      <button className={styles.linkButton} onClick={() => setOpen(true)}>
        {value
          ? t('Born {date}', { date: formatLongDate(new Date(value)) })
          : t('Add a birth date')}
      </button>
      {isOpen && (
        <Dialog title={t('Birth date')} onClose={() => setOpen(false)}>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              const day = new FormData(event.currentTarget).get('day');
              setOpen(false);
              onSave(typeof day === 'string' && day ? day : null);
            }}
          >
            <div className="field">
              <input
                type="date"
                name="day"
                aria-label={t('Birth date')}
                defaultValue={value ?? ''}
                max={today}
                autoFocus
              />
            </div>
            <div className="form-actions">
              <button className="button primary">{t('Save')}</button>
            </div>
          </form>
        </Dialog>
      )}
    </p>
  );
}

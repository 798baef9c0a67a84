import { createPerson, type Person, WHO_IS_THIS } from '../../data/people/people-data.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { attempt } from '../../ui/toast.tsx';
import { PersonPicker } from './picker.tsx';

type Props = { onPick: (person: Person) => void; onClose: () => void };

/** Asks whose face it is: somebody who is known, or a new name. */
export const WhoDialog = ({ onPick, onClose }: Props) => (
  <Dialog title={WHO_IS_THIS} onClose={onClose}>
    <PersonPicker
      onPick={onPick}
      onCreate={(name) => void attempt(async () => onPick(await createPerson(name)))}
    />
  </Dialog>
);

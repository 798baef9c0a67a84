import { type ReactNode, useState } from 'react';
import { attempt, showUndo } from '../../ui/toast.tsx';
import {
  changeObservation,
  getName,
  type PetObservation,
  restoreObservation,
} from '../../data/pets/pet-data.ts';
import { PetPicker } from './picker.tsx';
import { t } from '../../base/i18n.ts';

type Change = Parameters<typeof changeObservation>[1];

export type Answering = {
  answer: (before: PetObservation, change: Change, done: string) => Promise<void>;
  /** Opens `dialog` to choose another pet than `exceptId`. */
  choosePet: (observation: PetObservation) => void;
  dialog: ReactNode;
};

/** Saves what the owner says of one observation, and offers Undo. */
export function useAnswer(exceptId: string | null): Answering {
  const [observation, setObservation] = useState<PetObservation>();
  const answer: Answering['answer'] = async (before, change, done) => {
    if (!(await attempt(() => changeObservation(before.id, change)))) return;
    showUndo(done, () => attempt(() => restoreObservation(before)));
  };
  const dialog = observation && (
    <PetPicker
      title={t('Which pet is it?')}
      exceptId={exceptId}
      newSpecies={observation.species}
      onPick={(pet) => {
        setObservation(undefined);
        const change = { verdict: 'confirmed', petId: pet.id } as const;
        void answer(observation, change, t('This is {pet}', { pet: getName(pet) }));
      }}
      onClose={() => setObservation(undefined)}
    />
  );
  return { answer, choosePet: setObservation, dialog };
}

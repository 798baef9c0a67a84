import { type ReactNode, useState } from 'react';
import { attempt, showUndo } from '../toast.tsx';
import { decide, nameOf, type PetObservation, takeBack } from './pet-data.ts';
import { PetPicker } from './picker.tsx';

type Change = Parameters<typeof decide>[1];

export type Answering = {
  answer: (before: PetObservation, change: Change, done: string) => Promise<void>;
  /** Opens `dialog`: it is another pet than `exceptId`. */
  askWhich: (seen: PetObservation) => void;
  dialog: ReactNode;
};

/** What the owner says of one sighting, with a way back; `again` shows what has become of it. */
export function useAnswer(again: () => Promise<unknown>, exceptId: string | null): Answering {
  const [moved, setMoved] = useState<PetObservation>();
  const answer: Answering['answer'] = async (before, change, done) => {
    if (!(await attempt(() => decide(before.id, change)))) return;
    await again();
    showUndo(done, () =>
      attempt(async () => {
        await takeBack(before);
        await again();
      }),
    );
  };
  const dialog = moved && (
    <PetPicker
      title="Which pet is it?"
      exceptId={exceptId}
      newSpecies={moved.species}
      onPick={(pet) => {
        setMoved(undefined);
        const change = { verdict: 'confirmed', petId: pet.id } as const;
        void answer(moved, change, `This is ${nameOf(pet)}`);
      }}
      onClose={() => setMoved(undefined)}
    />
  );
  return { answer, askWhich: setMoved, dialog };
}

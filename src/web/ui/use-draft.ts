import { type Dispatch, type SetStateAction, useState } from 'react';

/** State that begins with a saved value, and anew whenever that becomes another one. */
export const useDraft = <T>(saved: T): [T, Dispatch<SetStateAction<T>>] =>
  useStateFrom(saved, () => false);

/** The same for a text field that saves: what was typed since stays when the saved text changes. */
export const useTextDraft = (saved: string): [string, Dispatch<SetStateAction<string>>] =>
  useStateFrom(saved, (draft, before) => draft !== before && draft.trim() !== saved.trim());

function useStateFrom<T>(
  saved: T,
  keeps: (draft: T, before: T) => boolean,
): [T, Dispatch<SetStateAction<T>>] {
  const [origin, setOrigin] = useState(saved);
  const [draft, setDraft] = useState(saved);
  if (!Object.is(origin, saved)) {
    setOrigin(saved);
    if (!keeps(draft, origin)) setDraft(saved);
  }
  return [draft, setDraft];
}

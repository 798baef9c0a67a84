import { type Dispatch, type SetStateAction, useState } from 'react';

/** State that begins with a saved value, and anew whenever that becomes another one. */
export function useDraft<T>(saved: T): [T, Dispatch<SetStateAction<T>>] {
  const [origin, setOrigin] = useState(saved);
  const [draft, setDraft] = useState(saved);
  if (!Object.is(origin, saved)) {
    setOrigin(saved);
    setDraft(saved);
  }
  return [draft, setDraft];
}

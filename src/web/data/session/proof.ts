import { post } from '../../base/api.ts';
import { createPersonalStore } from '../../base/store.ts';

// The server asks anew for the password or PIN before it changes who may do what.

type Question = {
  readonly answer: Promise<boolean>;
  readonly resolve: (isGiven: boolean) => void;
};
/** Requests that wait for the proof; the dialog is beside every page. */
export const proofPrompt = createPersonalStore<Question | undefined>(undefined);

/** Asks for the password or PIN. Resolves with false if it is not given. */
export function askForProof(): Promise<boolean> {
  const open = proofPrompt.get();
  if (open) return open.answer;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  proofPrompt.set({ answer: promise, resolve });
  return promise;
}

export const giveProof = (proof: { pinCode: string } | { password: string }): Promise<void> =>
  post('/auth/session/proof', proof);

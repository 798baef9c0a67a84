import { useState } from 'react';
import { usePinStatus } from '../../data/locked/pin.ts';
import { useStore } from '../../base/store.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { giveProof, proofPrompt } from '../../data/session/proof.ts';
import { t } from '../../base/i18n.ts';

/** Asks for the password or PIN, for a request that waits for it. */
export function ProofDialog() {
  const question = useStore(proofPrompt);
  const { data: status } = usePinStatus();
  if (!question || !status) return null;
  const answer = (isGiven: boolean) => {
    proofPrompt.set(undefined);
    question.resolve(isGiven);
  };
  const { password, pinCode } = status;
  return (
    <Dialog title={t('Confirm that it is you')} onClose={() => answer(false)}>
      {password || pinCode ? (
        <ProofForm hasPassword={password} hasPin={pinCode} onDone={() => answer(true)} />
      ) : (
        <p>{t('Log out and in again to make this change.')}</p>
      )}
    </Dialog>
  );
}

type Props = { hasPassword: boolean; hasPin: boolean; onDone: () => void };

function ProofForm({ hasPassword, hasPin, onDone }: Props) {
  const [isByPin, setByPin] = useState(!hasPassword);
  const form = useForm(async (values, element) => {
    const text = values['proof'] ?? '';
    try {
      await giveProof(isByPin ? { pinCode: text } : { password: text });
    } catch (error) {
      element.reset();
      throw error;
    }
    onDone();
  });
  return (
    <Form
      state={form}
      action={t('Continue')}
      extra={
        hasPassword &&
        hasPin && (
          <button type="button" className="button" onClick={() => setByPin(!isByPin)}>
            {isByPin ? t('Use the password') : t('Use the PIN')}
          </button>
        )
      }
    >
      <p className="muted">{t('This change decides who may do what here.')}</p>
      <Field
        key={isByPin ? 'pin' : 'password'}
        label={isByPin ? t('PIN') : t('Your password')}
        name="proof"
        type="password"
        required
        autoFocus
        autoComplete={isByPin ? 'off' : 'current-password'}
      />
    </Form>
  );
}

import { useState } from 'react';
import { ApiError } from '../../base/api.ts';
import { useStore } from '../../base/store.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { isPadShown, PIN_DIGITS, PinPad } from './pin-pad.tsx';
import { pinPrompt, setUpPin, unlock, useKnownPinStatus } from '../../data/locked/pin.ts';
import { t } from '../../base/i18n.ts';

const PIN = { pattern: '\\d{6}', maxLength: PIN_DIGITS, minLength: PIN_DIGITS } as const;
/** With a pad on the page, the keyboard of the phone would only cover it. */
const toInputMode = () => (isPadShown() ? ('none' as const) : ('numeric' as const));

/** Enters the PIN, or makes the first one. */
export function PinForm({ onDone }: { onDone?: () => void }) {
  const { data: status } = useKnownPinStatus();
  if (!status) return null;
  return status.pinCode ? <Unlock onDone={onDone} /> : <SetUp onDone={onDone} />;
}

type Props = { onDone: (() => void) | undefined };

function Unlock({ onDone }: Props) {
  const [isByPassword, setByPassword] = useState(false);
  const form = useForm(async (values, element) => {
    try {
      await unlock(
        isByPassword
          ? { password: values['password'] ?? '' }
          : { pinCode: values['pinCode'] ?? '' },
      );
      onDone?.();
    } catch (error) {
      element.reset();
      throw error;
    }
  });
  return (
    <Form
      state={form}
      action={t('Unlock')}
      extra={
        <button type="button" className="button" onClick={() => setByPassword(!isByPassword)}>
          {isByPassword ? t('Use the PIN') : t('Forgot the PIN?')}
        </button>
      }
    >
      {isByPassword ? (
        <Field
          key="password"
          label={t('Your password')}
          name="password"
          type="password"
          required
          autoFocus
          autoComplete="current-password"
        />
      ) : (
        <Field
          key="pin"
          label={t('PIN')}
          name="pinCode"
          type="password"
          required
          autoFocus
          autoComplete="off"
          className="pin"
          inputMode={toInputMode()}
          {...PIN}
        />
      )}
      {!isByPassword && <PinPad />}
    </Form>
  );
}

function SetUp({ onDone }: Props) {
  const form = useForm(async (values) => {
    if (values['pinCode'] !== values['again']) {
      throw new ApiError(400, '', { again: t('The two PINs are not the same.') });
    }
    await setUpPin(values['pinCode'] ?? '');
    onDone?.();
  });
  const common = {
    type: 'password',
    required: true,
    autoComplete: 'off',
    className: 'pin',
    inputMode: toInputMode(),
  };
  return (
    <Form state={form} action={t('Set the PIN')}>
      <p className="muted">
        {t('Choose six digits. They are asked for before locked photos are shown.')}
      </p>
      <Field
        label={t('New PIN')}
        name="pinCode"
        autoFocus
        error={form.fields['pinCode']}
        {...common}
        {...PIN}
      />
      <Field
        label={t('PIN again')}
        name="again"
        error={form.fields['again']}
        {...common}
        {...PIN}
      />
      <PinPad />
    </Form>
  );
}

/** For an action that needs the PIN anywhere on the page. */
export function PinDialog() {
  const question = useStore(pinPrompt);
  if (!question) return null;
  const answer = (isOpen: boolean) => {
    pinPrompt.set(undefined);
    question.resolve(isOpen);
  };
  return (
    <Dialog title={t('Locked photos')} onClose={() => answer(false)}>
      <PinForm onDone={() => answer(true)} />
    </Dialog>
  );
}

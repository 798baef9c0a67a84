import { Eye, EyeOff } from 'lucide-react';
import { type FormEvent, type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';
import { ApiError, getMessage } from '../base/api.ts';
import { t } from '../base/i18n.ts';

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  label: string;
  name: string;
  hint?: string | undefined;
  error?: string | undefined;
};

export function Field({ label, hint, error, ...input }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  const [isShown, setShown] = useState(false);
  const isSecret = input.type === 'password';
  const line = (
    <input
      id={id}
      {...input}
      type={isSecret && isShown ? 'text' : input.type}
      aria-invalid={error ? true : undefined}
      aria-describedby={note ? `${id}-note` : undefined}
    />
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {isSecret ? (
        <div className="secret-field">
          {line}
          <ShowButton isShown={isShown} onChange={setShown} />
        </div>
      ) : (
        line
      )}
      {note && (
        <p id={`${id}-note`} className={error ? 'field-note error' : 'field-note'}>
          {note}
        </p>
      )}
    </div>
  );
}

type ShowButtonProps = { isShown: boolean; onChange: (isShown: boolean) => void };

/** Shows the characters of a password, which is typed on small keys. */
function ShowButton({ isShown, onChange }: ShowButtonProps) {
  const Icon = isShown ? EyeOff : Eye;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={t('Show characters')}
      title={t('Show characters')}
      aria-pressed={isShown}
      onClick={() => onChange(!isShown)}
    >
      <Icon size={18} aria-hidden />
    </button>
  );
}

/** Returns the text fields of a form by name. */
export const readValues = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );

export type FormState = {
  isBusy: boolean;
  error: string | undefined;
  fields: Readonly<Record<string, string>>;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
};

/** Sends a form's text fields; errors come back by field, or as one sentence. */
export function useForm(
  send: (values: Record<string, string>, form: HTMLFormElement) => Promise<unknown>,
): FormState {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});

  async function submit(form: HTMLFormElement): Promise<void> {
    const values = readValues(form);
    setBusy(true);
    setError(undefined);
    setFields({});
    try {
      await send(values, form);
    } catch (problem) {
      const named = problem instanceof ApiError ? problem.fields : {};
      const isShownAtField = Object.keys(named).some((name) => form.elements.namedItem(name));
      setFields(named);
      if (!isShownAtField) setError(getMessage(problem));
    } finally {
      setBusy(false);
    }
  }

  return {
    isBusy,
    error,
    fields,
    onSubmit: (event) => {
      event.preventDefault();
      void submit(event.currentTarget);
    },
  };
}

type FormProps = {
  state: FormState;
  action: string;
  children: ReactNode;
  extra?: ReactNode;
  /** Set when the form cannot be sent. */
  isOff?: boolean;
};

export function Form({ state, action, children, extra, isOff = false }: FormProps) {
  return (
    <form className="form" onSubmit={state.onSubmit}>
      {children}
      <p className="form-error" role="alert">
        {state.error}
      </p>
      <div className="form-actions">
        {extra}
        <button className="button primary" type="submit" disabled={state.isBusy || isOff}>
          {state.isBusy ? t('One moment …') : action}
        </button>
      </div>
    </form>
  );
}

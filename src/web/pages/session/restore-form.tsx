import { useState } from 'react';
import { ApiError, post } from '../../base/api.ts';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { isInMaintenance } from '../../data/session/session.ts';
import { t } from '../../base/i18n.ts';

const PATH = '/admin/database-backups/start-restore';
const SWITCH_MS = 500;

/** Offers to restore a backup on a server without accounts, to whoever can read what the server prints. */
export function RestoreForm() {
  const [isAsking, setAsking] = useState(false);
  const form = useForm(({ code = '' }) => startRestore(code));
  if (!isAsking) {
    return (
      <button
        type="button"
        className="button"
        onClick={() => {
          setAsking(true);
          // It is refused, and prints a code.
          void post(PATH).catch(() => {});
        }}
      >
        {t('Restore a backup')}
      </button>
    );
  }
  return (
    <section aria-labelledby="restore">
      <h2 id="restore">{t('Restore a backup')}</h2>
      <p className="muted">
        {t(
          'Enter the code that the server has just printed, to show that it is yours. It is in its terminal, in the output of its container, or in the system journal.',
        )}
      </p>
      <Form state={form} action={t('Continue')}>
        <Field
          label={t('Code')}
          name="code"
          required
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={form.fields['code']}
        />
      </Form>
    </section>
  );
}

/** Changes to the page of maintenance mode, where the backup is uploaded. */
async function startRestore(code: string): Promise<void> {
  await post(PATH, undefined, { 'x-safelight-restore-code': code.trim() }).catch(toCodeError);
  // The server changes to it after its answer, and closes connections meanwhile.
  while (!(await isInMaintenance())) {
    await new Promise((resolve) => setTimeout(resolve, SWITCH_MS));
  }
  location.assign('/maintenance');
}

function toCodeError(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 403) throw error;
  throw new ApiError(403, '', { code: t('This is not the code that the server has printed.') });
}

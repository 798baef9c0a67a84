import { t } from '../../base/i18n.ts';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { checkMoveIn } from '../../data/move-in/move-in-data.ts';

const EXAMPLE = 'http://nas:2283';
const PERMISSIONS =
  'asset.read, asset.download, asset.statistics, album.read, tag.read, stack.read, user.read, person.read, ' +
  'sharedLink.read, memory.read, partner.read';

/** The address of the other server, and a key of the account there. */
export function ServerStep() {
  const form = useForm(({ url = '', key = '' }) =>
    checkMoveIn({ url: url.trim(), key: key.trim() }),
  );
  return (
    <>
      <p>
        {t(
          'Your photos, videos, albums and tags are copied from a running Immich server. Nothing is changed there.',
        )}
      </p>
      <Form state={form} action={t('Check')}>
        <Field
          label={t('Address of the Immich server')}
          name="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder={EXAMPLE}
          required
          error={form.fields['url']}
        />
        <KeyField error={form.fields['key']} />
      </Form>
      <p className="muted">
        {t('The key needs these permissions: {permissions}', { permissions: PERMISSIONS })}
      </p>
    </>
  );
}

export function KeyField({ error }: { error: string | undefined }) {
  return (
    <Field
      label={t('API key of your account there')}
      name="key"
      type="password"
      autoComplete="off"
      spellCheck={false}
      required
      hint={t(
        'In Immich: Account settings, API keys, New API key. The key is kept in memory only while the move lasts.',
      )}
      error={error}
    />
  );
}

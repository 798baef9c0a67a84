import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { formatLongDate } from '../../base/format.ts';
import { getLanguage, languages, t } from '../../base/i18n.ts';
import { QrCode } from '../../parts/setup/qr-code.tsx';
import { serverConfigQuery } from '../../data/server/queries.ts';
import type { InvitationCreate, NewInvitation } from '../../data/types.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, useForm } from '../../ui/form.tsx';
import { createInvitation, toInvitationPath } from '../../data/admin/invitation-data.ts';
import { mailSettingsQuery } from '../../data/admin/mail-data.ts';
import { NewAccountFields } from './new-account-fields.tsx';
import { parseQuota, QuotaField } from './quota-field.tsx';

const LIFETIMES = [
  { days: 1, label: t('In a day') },
  { days: 7, label: t('In a week') },
  { days: 30, label: t('In a month') },
] as const;
const DEFAULT_DAYS = 7;

/** Asks whom to invite, and then shows the link this once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewInvitation>();
  if (made) return <Made invitation={made} onClose={onClose} />;
  return <Edit onClose={onClose} onMade={setMade} />;
}

type EditProps = { onClose: () => void; onMade: (invitation: NewInvitation) => void };

function Edit({ onClose, onMade }: EditProps) {
  const { data: mail } = useQuery(mailSettingsQuery());
  const canSend = Boolean(mail?.smtp.enabled && mail.externalDomain);
  const form = useForm(async (values) => onMade(await createInvitation(toCreate(values))));
  return (
    <Dialog title={t('Invite a person')} onClose={onClose}>
      <Form state={form} action={t('Create invitation')}>
        <p className="muted">
          {t('The person opens a link, chooses a password, and the account is ready.')}
        </p>
        <NewAccountFields errors={form.fields} emailHint={t('The account logs in with it.')} />
        <QuotaField value={null} />
        <Choice label={t('Expires')} name="days" value={String(DEFAULT_DAYS)}>
          {LIFETIMES.map(({ days, label }) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
        </Choice>
        {canSend ? (
          <>
            <label className="check">
              <input type="checkbox" name="sendMail" defaultChecked /> {t('Send the link by email')}
            </label>
            <Choice label={t('Language of the mail')} name="language" value={getLanguage()}>
              {languages.map(({ code, name }) => (
                <option key={code} value={code} lang={code}>
                  {name}
                </option>
              ))}
            </Choice>
          </>
        ) : (
          <p className="muted">
            {t('Pass the link on yourself: no mail server or address of the page is set up.')}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

type ChoiceProps = { label: string; name: string; value: string; children: ReactNode };

const Choice = ({ label, name, value, children }: ChoiceProps) => (
  <div className="field">
    <label htmlFor={`invite-${name}`}>{label}</label>
    <select id={`invite-${name}`} name={name} defaultValue={value}>
      {children}
    </select>
  </div>
);

function toCreate(values: Readonly<Record<string, string>>): InvitationCreate {
  const { name = '', email = '', quota, days, language } = values;
  return {
    name,
    email,
    quotaSizeInBytes: parseQuota(quota),
    expiresInDays: Number(days),
    sendMail: values['sendMail'] === 'on',
    ...(isLanguage(language) && { language }),
  };
}

type Language = NonNullable<InvitationCreate['language']>;
const isLanguage = (code: string | undefined): code is Language =>
  languages.some((language) => language.code === code);

type MadeProps = { invitation: NewInvitation; onClose: () => void };

function Made({ invitation, onClose }: MadeProps) {
  const { data: config } = useQuery(serverConfigQuery());
  const url = `${config?.externalDomain || location.origin}${toInvitationPath(invitation)}`;
  const { name, email, mail, mailError, expiresAt } = invitation;
  return (
    <Dialog title={t('Invitation for {name}', { name })} onClose={onClose}>
      {mail === 'sent' && <p role="status">{t('The link was sent to {email}.', { email })}</p>}
      {mail === 'failed' && (
        <p className="form-error" role="alert">
          {t('The mail server refused: {error}. Pass the link on yourself.', {
            error: mailError ?? '',
          })}
        </p>
      )}
      <CopyField value={url} label={t('Link')} />
      <QrCode text={url} label={t('QR code of the link')} />
      <p className="muted">
        {t('The link works once, until {day}, and is shown only now. Whoever has it can accept.', {
          day: formatLongDate(new Date(expiresAt)),
        })}
      </p>
      <div className="dialog-actions">
        <button className="button primary" onClick={onClose}>
          {t('Done')}
        </button>
      </div>
    </Dialog>
  );
}

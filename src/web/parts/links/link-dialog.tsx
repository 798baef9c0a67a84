import { useState } from 'react';
import { formatShortDay } from '../../base/format.ts';
import type { SharedLink, SharedLinkChange } from '../../data/types.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { QrCode } from '../setup/qr-code.tsx';
import {
  changeLink,
  createLink,
  getExpiry,
  LIFETIMES,
  type LinkTarget,
} from '../../data/links/link-data.ts';
import { useGuestUrl } from '../../data/links/queries.ts';
import styles from './links.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  /** The target of a new link, or the link to change. */
  of: { target: LinkTarget } | { link: SharedLink };
  onClose: (isDone: boolean) => void;
};

export function LinkDialog({ of, onClose }: Props) {
  const [made, setMade] = useState<SharedLink>();
  if (made) return <Made link={made} onClose={() => onClose(true)} />;
  return (
    <Edit
      of={of}
      onClose={() => onClose(false)}
      onDone={(link) => ('link' in of ? onClose(true) : setMade(link))}
    />
  );
}

type EditProps = {
  of: Props['of'];
  onClose: () => void;
  onDone: (link: SharedLink) => void;
};

function Edit({ of, onClose, onDone }: EditProps) {
  const link = 'link' in of ? of.link : undefined;
  const isAlbum = link ? link.type === 'ALBUM' : 'target' in of && 'albumId' in of.target;
  const [isShowing, setShowing] = useState(link?.showMetadata ?? true);
  const [showsPlaces, setShowsPlaces] = useState(link !== undefined && !link.hidesPlaces);
  const form = useForm(async (values) => {
    const change = toChange(values, link !== undefined);
    onDone(
      'link' in of ? await changeLink(of.link.id, change) : await createLink(of.target, change),
    );
  });
  return (
    <Dialog title={link ? t('Edit link') : t('Share by link')} onClose={onClose}>
      <Form state={form} action={link ? t('Save') : t('Create link')}>
        <p className="muted">{t('Whoever has the link sees the photos, without an account.')}</p>
        <Field
          label={t('Note for yourself')}
          name="description"
          autoFocus
          defaultValue={link?.description ?? ''}
          error={form.fields['description']}
        />
        <Field
          label={t('Custom URL')}
          name="slug"
          autoComplete="off"
          defaultValue={link?.slug ?? ''}
          placeholder={t('summer-in-norway')}
          hint={t('{host}/s/…; without one it is long and cannot be guessed.', {
            host: location.host,
          })}
          error={form.fields['slug']}
        />
        <Field
          label={t('Password')}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={
            link?.password ? t('Leave empty to keep the current one.') : t('Leave empty for none.')
          }
          error={form.fields['password']}
        />
        {link?.password && (
          <label className="check">
            <input type="checkbox" name="noPassword" /> {t('Remove the password')}
          </label>
        )}
        <Ends link={link} />
        <fieldset className={styles.checks}>
          <legend>{t('Guests may')}</legend>
          <label className="check">
            <input
              type="checkbox"
              name="allowDownload"
              defaultChecked={link?.allowDownload ?? true}
              disabled={!isShowing}
            />{' '}
            {isShowing && !showsPlaces ? t('Download photos') : t('Download originals')}
          </label>
          {isAlbum && (
            <label className="check">
              <input type="checkbox" name="allowUpload" defaultChecked={link?.allowUpload} />{' '}
              {t('Add photos to the album')}
            </label>
          )}
          <label className="check">
            <input
              type="checkbox"
              name="showMetadata"
              checked={isShowing}
              onChange={(event) => setShowing(event.target.checked)}
            />{' '}
            {t('See dates and cameras')}
          </label>
          <label className="check">
            <input
              type="checkbox"
              name="showPlaces"
              checked={isShowing && showsPlaces}
              disabled={!isShowing}
              onChange={(event) => setShowsPlaces(event.target.checked)}
            />{' '}
            {t('See where the photos were taken')}
          </label>
          {isShowing && !showsPlaces && (
            <p className="muted">
              {t(
                'Places stay hidden: no map, no place names, and downloads are copies without metadata.',
              )}
            </p>
          )}
        </fieldset>
      </Form>
    </Dialog>
  );
}

function Ends({ link }: { link: SharedLink | undefined }) {
  const until = link?.expiresAt ? formatShortDay(new Date(link.expiresAt)) : t('never');
  return (
    <div className="field">
      <label htmlFor="link-days">{t('Expires')}</label>
      <select id="link-days" name="days" defaultValue={link ? 'keep' : '0'}>
        {link && <option value="keep">{t('As now: {until}', { until })}</option>}
        {LIFETIMES.map(({ label, days }) => (
          <option key={days} value={days}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

function toChange(values: Record<string, string>, isEdit: boolean): SharedLinkChange {
  const isShowing = values['showMetadata'] === 'on';
  const { days = '0', password, noPassword } = values;
  return {
    description: values['description'] ?? '',
    slug: values['slug']?.trim() || null,
    showMetadata: isShowing,
    ...(isShowing && { hidesPlaces: values['showPlaces'] !== 'on' }),
    allowDownload: isShowing && values['allowDownload'] === 'on',
    allowUpload: values['allowUpload'] === 'on',
    ...(days === 'keep' ? {} : { expiresAt: getExpiry(Number(days)) }),
    ...(noPassword === 'on'
      ? { password: null }
      : password || !isEdit
        ? { password: password || null }
        : {}),
  };
}

function Made({ link, onClose }: { link: SharedLink; onClose: () => void }) {
  const url = useGuestUrl(link);
  return (
    <Dialog title={t('The link is ready')} onClose={onClose}>
      <CopyField value={url} label={t('Link')} />
      <QrCode text={url} label={t('QR code of the link')} />
      <p className="muted">
        {link.password && `${t('Share the password in another way than the link.')} `}
        {t('You find all links under Links.')}
      </p>
      <div className="dialog-actions">
        <button className="button primary" onClick={onClose}>
          {t('Done')}
        </button>
      </div>
    </Dialog>
  );
}

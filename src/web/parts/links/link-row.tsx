import { useQuery } from '@tanstack/react-query';
import {
  Copy,
  ExternalLink,
  Link2,
  Pencil,
  Presentation,
  QrCode as QrCodeIcon,
  Trash2,
  Tv,
} from 'lucide-react';
import { useState } from 'react';
import { formatAgo, formatShortDay } from '../../base/format.ts';
import { attempt, showToast } from '../../ui/toast.tsx';
import type { LinkUse, SharedLink } from '../../data/types.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { getPictureUrl } from '../../base/pictures.ts';
import { deleteLink, isExpired, toGuestPath } from '../../data/links/link-data.ts';
import { LinkDialog } from './link-dialog.tsx';
import { QrCode } from '../setup/qr-code.tsx';
import { linkUsesQuery, useGuestUrl } from '../../data/links/queries.ts';
import albumsStyles from '../../ui/collections.module.css';
import styles from './links.module.css';
import { t } from '../../base/i18n.ts';

/** One link: what it shows, what it allows, and what can be done with it. */
export function LinkRow({ link }: { link: SharedLink }) {
  const [open, setOpen] = useState<'edit' | 'delete' | 'code' | 'slideshow'>();
  const url = useGuestUrl(link);
  const title = getTitle(link);
  const { data: uses } = useQuery(linkUsesQuery());
  const use = uses?.find(({ linkId }) => linkId === link.id);
  const copy = () =>
    (navigator.clipboard as Clipboard | undefined)?.writeText(url).then(
      () => showToast(t('Copied'), 'success'),
      () => showToast(url),
    ) ?? showToast(url);
  return (
    <li className={isExpired(link) ? 'muted' : ''}>
      <LinkCover link={link} />
      <span className="person-name">
        {title}
        <small>{listNotes(link).join(' · ')}</small>
        <small>{describeUse(use)}</small>
      </span>
      <Menu
        label={t('More about {title}', { title })}
        entries={[
          { icon: Copy, label: t('Copy the link'), run: () => void copy() },
          { icon: QrCodeIcon, label: t('Show QR code'), run: () => setOpen('code') },
          {
            icon: ExternalLink,
            label: t('See it as a guest'),
            run: () => void window.open(toGuestPath(link)),
          },
          {
            icon: Presentation,
            label: t('Open the party wall'),
            run: () => void window.open(`${toGuestPath(link)}/wall`),
          },
          {
            icon: Tv,
            label: t('Slideshow for a television'),
            run: () => setOpen('slideshow'),
          },
          { icon: Pencil, label: t('Edit'), run: () => setOpen('edit') },
          { icon: Trash2, label: t('Delete'), run: () => setOpen('delete') },
        ]}
      />
      {open === 'code' && (
        <Dialog title={title} onClose={() => setOpen(undefined)}>
          <QrCode text={url} label={t('QR code of the link')} />
          <CopyField value={url} label={t('Link')} />
        </Dialog>
      )}
      {open === 'slideshow' && (
        <Dialog title={t('Slideshow for a television')} onClose={() => setOpen(undefined)}>
          <p className="muted">
            {t(
              'Open this address in the browser of the television; any key switches to full screen.',
            )}
          </p>
          <CopyField value={`${url}/slideshow`} label={t('Link')} />
        </Dialog>
      )}
      {open === 'edit' && <LinkDialog of={{ link }} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <Confirm
          title={t('Delete this link?')}
          text={t('The link stops working. The photos stay.')}
          action={t('Delete link')}
          onClose={() => setOpen(undefined)}
          onConfirm={() => void attempt(() => deleteLink(link.id), t('Link deleted'))}
        />
      )}
    </li>
  );
}

function describeUse(use: LinkUse | undefined): string {
  if (!use) return t('not opened yet');
  const { openedCount, downloadedCount, lastOpenedAt } = use;
  return [
    t('opened {count, plural, one {# time} other {# times}}', { count: openedCount }),
    downloadedCount > 0
      ? t('{count, plural, one {# download} other {# downloads}}', { count: downloadedCount })
      : '',
    lastOpenedAt ? t('last {ago}', { ago: formatAgo(lastOpenedAt) }) : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

const getTitle = ({ description, album, assets }: SharedLink): string =>
  description ||
  (album
    ? album.albumName || t('Untitled')
    : t('{count, plural, one {# photo} other {# photos}}', { count: assets.length }));

function LinkCover({ link: { album, assets } }: { link: SharedLink }) {
  const id = album ? album.albumThumbnailAssetId : assets[0]?.id;
  return (
    <span className={`${albumsStyles.cover} ${styles.linkCover}`}>
      {id ? (
        <img
          src={getPictureUrl(id, 'thumbnail')}
          alt=""
          loading="lazy"
          onError={(event) => (event.currentTarget.hidden = true)}
        />
      ) : (
        <Link2 size={20} aria-hidden />
      )}
    </span>
  );
}

function listNotes(link: SharedLink): string[] {
  const { album, assets, expiresAt, password, slug } = link;
  return [
    album
      ? t('album {name}', { name: album.albumName || t('Untitled') })
      : t('{count, plural, one {# photo} other {# photos}}', { count: assets.length }),
    slug ? `/s/${slug}` : '',
    password ? t('password') : '',
    link.allowDownload ? t('download') : '',
    link.allowUpload ? t('upload') : '',
    link.showMetadata ? (link.hidesPlaces ? t('no places') : '') : t('no metadata'),
    expiresAt ? describeEnd(link, formatShortDay(new Date(expiresAt))) : '',
  ].filter(Boolean);
}

const describeEnd = (link: SharedLink, day: string): string =>
  isExpired(link) ? t('expired {day}', { day }) : t('until {day}', { day });

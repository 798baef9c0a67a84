import { Copy, ExternalLink, Link2, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { formatShortDay } from '../format.ts';
import { attempt, showToast } from '../toast.tsx';
import type { SharedLink } from '../types.ts';
import { Confirm } from '../ui/dialog.tsx';
import { Menu } from '../ui/menu.tsx';
import { getPictureUrl } from '../pictures.ts';
import { deleteLink, isExpired, toGuestPath } from './link-data.ts';
import { LinkDialog } from './link-dialog.tsx';
import { useGuestUrl } from './queries.ts';
import albumsStyles from '../albums/albums.module.css';
import styles from './links.module.css';
import { t } from '../i18n.ts';

/** One link: what it shows, what it allows, and what can be done with it. */
export function LinkRow({ link }: { link: SharedLink }) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const url = useGuestUrl(link);
  const title = getTitle(link);
  const copy = () =>
    (navigator.clipboard as Clipboard | undefined)?.writeText(url).then(
      () => showToast(t('Copied'), 'success'),
      () => showToast(url),
    ) ?? showToast(url);
  return (
    <li className={isExpired(link) ? 'gone' : ''}>
      <LinkCover link={link} />
      <span className="person-name">
        {title}
        <small>{listNotes(link).join(' · ')}</small>
      </span>
      <Menu
        label={t('More about {title}', { title })}
        entries={[
          { icon: Copy, label: t('Copy the link'), run: () => void copy() },
          {
            icon: ExternalLink,
            label: t('See it as a guest'),
            run: () => void window.open(toGuestPath(link)),
          },
          { icon: Pencil, label: t('Edit'), run: () => setOpen('edit') },
          { icon: Trash2, label: t('Delete'), run: () => setOpen('delete') },
        ]}
      />
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
    link.showMetadata ? '' : t('no metadata'),
    expiresAt ? describeEnd(link, formatShortDay(new Date(expiresAt))) : '',
  ].filter(Boolean);
}

const describeEnd = (link: SharedLink, day: string): string =>
  isExpired(link) ? t('ended {day}', { day }) : t('until {day}', { day });

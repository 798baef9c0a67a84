import type { Notification } from '../types.ts';
import { t } from '../i18n.ts';

export type Description = {
  title: string;
  /** Details in the words of the server, unless the title says it all. */
  text: string | undefined;
  /** Page with the subject of the notification. */
  href: string | undefined;
};

const TITLES: Readonly<Record<string, string>> = {
  albumInvite: t('An album was shared with you'),
  albumUpdate: t('New photos in a shared album'),
  jobFailed: t('A job failed'),
  backupFailed: t('A backup failed'),
  diskSpace: t('The disk is almost full'),
  integrity: t('Files are missing or damaged'),
  importFinished: t('An import has finished'),
  exportReady: t('An export is ready'),
  newLogin: t('New login to your account'),
};

const PAGES: Readonly<Record<string, string>> = {
  jobFailed: '/admin/jobs',
  backupFailed: '/backup',
  newLogin: '/settings',
};

/** Words a notification in the reader's language; kinds that are not known show the server's title. */
export function describeNotification({ title, description, data = {} }: Notification): Description {
  const kind = toText(data['kind']) ?? '';
  const known = TITLES[kind];
  const named = describeAlbum(kind, toText(data['albumName']), toText(data['senderName']));
  return {
    title: named ?? known ?? title,
    text: named ? undefined : description,
    href: getHref(kind, toText(data['albumId']), toText(data['memoryId'])),
  };
}

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function describeAlbum(kind: string, album?: string, name?: string): string | undefined {
  if (!album) return undefined;
  if (kind === 'albumUpdate') return t('New photos in “{album}”', { album });
  if (kind !== 'albumInvite') return undefined;
  return name
    ? t('{name} shared the album “{album}” with you', { name, album })
    : t('The album “{album}” was shared with you', { album });
}

function getHref(kind: string, albumId?: string, memoryId?: string): string | undefined {
  if (albumId) return `/albums/${albumId}`;
  if (memoryId) return `/memories/${memoryId}`;
  return PAGES[kind];
}

import { getExportsPath } from '../../data/memories/export-data.ts';
import type { Notification } from '../../data/types.ts';
import { type Data, describeDetails, readText } from './details.ts';
import { t } from '../../base/i18n.ts';

export type Description = {
  title: string;
  /** Details, unless the title says it all. */
  text: string | undefined;
  /** Page with the subject of the notification. */
  href: string | undefined;
};

const TITLES: Readonly<Record<string, string>> = {
  albumInvite: t('An album was shared with you'),
  albumUpdate: t('New photos in a shared album'),
  clusterGroupRequest: t('An invitation to a group for people'),
  jobFailed: t('A job failed'),
  backupFailed: t('A backup failed'),
  diskSpace: t('The disk is almost full'),
  integrity: t('Files are missing or damaged'),
  importFinished: t('An import has finished'),
  exportReady: t('An export is ready'),
  maintenance: t('Maintenance was interrupted'),
  newLogin: t('New login to your account'),
  partnerShare: t('A timeline was shared with you'),
};

const PAGES: Readonly<Record<string, string>> = {
  jobFailed: '/admin/jobs',
  backupFailed: '/backup',
  integrity: '/admin/integrity',
  newLogin: '/settings',
  clusterGroupRequest: '/settings',
};

/** Words a notification in the reader's language; kinds that are not known show the server's title. */
export function describeNotification(notification: Notification): Description {
  const data: Data = notification.data ?? {};
  const kind = readText(data, 'kind') ?? '';
  const whole =
    describeAlbum(kind, data) ?? describePartner(kind, data) ?? describeExport(kind, data);
  return {
    title:
      whole ??
      describeFailure(kind, data) ??
      describeIntegrity(kind, data) ??
      TITLES[kind] ??
      notification.title,
    text: whole ? undefined : describeDetails(notification),
    href: 'uncountedDays' in data ? undefined : getHref(kind, data),
  };
}

function describeIntegrity(kind: string, data: Data): string | undefined {
  if (kind !== 'integrity') return undefined;
  if ('libraryId' in data) return t('Files of an external library are gone');
  if ('uncountedDays' in data) return t('Deletions are paused: the clock jumped ahead');
  return 'untracked' in data ? t('Untracked files') : undefined;
}

function describeFailure(kind: string, data: Data): string | undefined {
  const host = readText(data, 'webhookHost');
  if (host) return t('A webhook to {host} could not be delivered', { host });
  if (data['isSwitchedOff'] === true) {
    const name = readText(data, 'workflowName');
    return name
      ? t('The workflow “{name}” was switched off', { name })
      : t('A workflow was switched off');
  }
  if (data['isWaiting'] === true) return t('Jobs wait until the server can run them');
  return kind === 'jobFailed' && readText(data, 'exportId') ? t('An export has failed') : undefined;
}

function describeAlbum(kind: string, data: Data): string | undefined {
  const [album, name] = [readText(data, 'albumName'), readText(data, 'senderName')];
  if (!album) return undefined;
  if (kind === 'albumUpdate') return t('New photos in “{album}”', { album });
  if (kind !== 'albumInvite') return undefined;
  return name
    ? t('{name} shared the album “{album}” with you', { name, album })
    : t('The album “{album}” was shared with you', { album });
}

function describePartner(kind: string, data: Data): string | undefined {
  const name = kind === 'partnerShare' ? readText(data, 'senderName') : undefined;
  return name && t('{name} shares photos with you', { name });
}

function describeExport(kind: string, data: Data): string | undefined {
  const [memory, film] = [readText(data, 'memoryName'), readText(data, 'projectName')];
  if (kind !== 'exportReady') return undefined;
  if (film) return t('The film “{film}” is ready', { film });
  if (!memory) return undefined;
  return readText(data, 'exportKind') === 'archive'
    ? t('The archive of “{memory}” is ready', { memory })
    : t('The film of “{memory}” is ready', { memory });
}

function getHref(kind: string, data: Data): string | undefined {
  const [albumId, memoryId, workflowId] = [
    readText(data, 'albumId'),
    readText(data, 'memoryId'),
    readText(data, 'workflowId'),
  ];
  const projectId = readText(data, 'projectId');
  const senderId = kind === 'partnerShare' ? readText(data, 'senderId') : undefined;
  if (senderId) return `/sharing/${senderId}`;
  if (projectId) return `/studio/${projectId}`;
  if (readText(data, 'libraryId')) return '/admin/libraries';
  if (albumId) return `/albums/${albumId}`;
  if (workflowId) return `/workflows/${workflowId}/log`;
  if (!memoryId) return PAGES[kind];
  return readText(data, 'exportId') ? getExportsPath(memoryId) : `/memories/${memoryId}`;
}

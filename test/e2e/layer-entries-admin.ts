import type { Entry } from './layers.ts';

const NAME = 'safelight-20260101T020000-v0.3.0.sql.gz';
const ID = '0190a0a0-0000-7000-8000-000000000001';
const OWNER = { name: 'Admin' };

const USERS = '/admin/users';
const BACKUPS = '/admin/backups';
const BACKUP_ANSWERS = {
  '/admin/database-backups': { backups: [{ filename: NAME, filesize: 12_345_678 }] },
};

/** The dialogs of the administration. */
export const ADMIN_ENTRIES: readonly Entry[] = [
  { title: 'Invite a person', of: 'pages/admin/invite-dialog.tsx', at: USERS, steps: ['Invite'] },
  { title: 'New account', of: 'pages/admin/users-page.tsx', at: USERS, steps: ['New account'] },
  {
    title: 'Edit {name}',
    of: 'pages/admin/users-page.tsx',
    at: USERS,
    steps: [['Edit {name}', OWNER]],
  },
  {
    title: 'New library',
    of: 'pages/admin/library-dialog.tsx',
    at: '/admin/libraries',
    steps: ['New library'],
  },
  {
    title: 'Choose a folder',
    of: 'parts/admin/folder-picker.tsx',
    at: '/admin/libraries',
    steps: ['New library', 'Choose a folder'],
  },
  {
    title: 'Start maintenance mode?',
    of: 'pages/admin/backups-page.tsx',
    at: BACKUPS,
    steps: ['Start maintenance mode'],
  },
  {
    title: 'Restore {name}?',
    of: 'pages/admin/backups-page.tsx',
    at: BACKUPS,
    steps: [['Restore {name}', { name: NAME }]],
    answers: BACKUP_ANSWERS,
  },
  {
    title: 'Delete {name}?',
    of: 'pages/admin/backups-page.tsx',
    at: BACKUPS,
    steps: [['Delete {name}', { name: NAME }]],
    answers: BACKUP_ANSWERS,
  },
  {
    title: 'Upgrade to PostgreSQL {version}?',
    of: 'pages/admin/postgres-upgrade.tsx',
    at: BACKUPS,
    steps: [['Upgrade to PostgreSQL {version} …', { version: '19' }]],
    answers: { '/postgres-upgrade': { upgrade: { from: '18', to: '19' }, failure: null } },
  },
  {
    title: 'Revoke the invitation of {name}?',
    of: 'pages/admin/invitations.tsx',
    at: USERS,
    steps: [['Revoke the invitation of {name}', { name: 'Jane' }]],
    answers: {
      '/admin/invitations': [
        {
          id: ID,
          name: 'Jane',
          email: 'jane@example.com',
          inviterName: 'Admin',
          createdAt: '2026-01-01T00:00:00Z',
          expiresAt: '2027-01-01T00:00:00Z',
        },
      ],
    },
  },
  {
    title: 'Forget “{name}”?',
    of: 'pages/backup/backup-page.tsx',
    at: '/backup',
    steps: [['Forget {name}', { name: 'Phone' }]],
    answers: {
      '/backup-devices': {
        items: [
          {
            id: ID,
            name: 'Phone',
            platform: 'ios',
            appVersion: '1.2',
            reportedAt: '2026-01-01T00:00:00Z',
            pendingCount: 3,
            lastSuccessAt: null,
            isVerified: false,
            lastReconciliation: null,
          },
        ],
        total: 1,
      },
    },
  },
  {
    title: 'Delete {name}?',
    of: 'pages/admin/users-page.tsx',
    at: USERS,
    steps: [['Delete {name}', OWNER]],
  },
  {
    title: 'Download “{name}”?',
    of: 'pages/admin/models-page.tsx',
    at: '/admin/models',
    steps: [
      (page, say) =>
        page
          .getByRole('button', {
            name: say('Download “{name}” …', { name: say('More alphabets') }),
          })
          .click(),
    ],
  },
  {
    title: 'Welcome',
    of: 'pages/admin/mail-page.tsx',
    at: '/admin/mail',
    steps: [(page, say) => page.getByText(say('Preview'), { exact: true }).first().click()],
  },
];

import { expect, test } from 'bun:test';
import type { Notification } from '../../data/types.ts';
import { describeNotification } from './describe.ts';

const note = (values: Partial<Notification>): Notification => ({
  id: 'n',
  createdAt: '2026-01-01T00:00:00.000Z',
  level: 'info',
  title: 'Words of the server',
  type: 'SystemMessage',
  ...values,
});

test('an album invitation names the album and its owner, and links to it', () => {
  const data = { kind: 'albumInvite', albumId: 'a', albumName: 'Japan', senderName: 'Ann' };
  expect(describeNotification(note({ data, description: 'in English' }))).toEqual({
    title: 'Ann shared the album “Japan” with you',
    text: undefined,
    href: '/albums/a',
  });
  expect(describeNotification(note({ data: { ...data, senderName: 7 } })).title).toBe(
    'The album “Japan” was shared with you',
  );
});

test('a shared timeline names who shares it, and links to it', () => {
  const data = { kind: 'partnerShare', senderId: 'a', senderName: 'Ann' };
  expect(describeNotification(note({ data, description: 'in English' }))).toEqual({
    title: 'Ann shares photos with you',
    text: undefined,
    href: '/sharing/a',
  });
});

test('a known kind without names keeps the details of the server', () => {
  expect(
    describeNotification(note({ data: { kind: 'jobFailed' }, description: 'No space left' })),
  ).toEqual({ title: 'A job failed', text: 'No space left', href: '/admin/jobs' });
});

test('an export is named by its memory and kind, and links to the exports in the player', () => {
  const data = { kind: 'exportReady', exportId: 'e', memoryId: 'm', exportKind: 'archive' };
  const href = '/memories/m?exports';
  expect(describeNotification(note({ data: { ...data, memoryName: 'A trip' } }))).toEqual({
    title: 'The archive of “A trip” is ready',
    text: undefined,
    href,
  });
  expect(describeNotification(note({ data, description: 'in English' }))).toEqual({
    title: 'An export is ready',
    text: 'in English',
    href,
  });
  const failed = { ...data, kind: 'jobFailed' };
  expect(describeNotification(note({ data: failed, description: 'The disk is full' }))).toEqual({
    title: 'An export has failed',
    text: 'The disk is full',
    href,
  });
});

test('a film of the studio is named by its project, and links to it', () => {
  const data = { kind: 'exportReady', exportId: 'e', projectId: 'p', exportKind: 'film' };
  const ready = note({ data: { ...data, projectName: 'Holiday' }, description: 'in English' });
  expect(describeNotification(ready)).toEqual({
    title: 'The film “Holiday” is ready',
    text: undefined,
    href: '/studio/p',
  });
  const failed = note({ data: { ...data, kind: 'jobFailed' }, description: 'The disk is full' });
  expect(describeNotification(failed)).toEqual({
    title: 'An export has failed',
    text: 'The disk is full',
    href: '/studio/p',
  });
});

test('a webhook that failed is named by its host, and links to the log of its workflow', () => {
  const data = { kind: 'workflow', workflowId: 'w', webhookHost: 'nas.lan', count: 2 };
  expect(describeNotification(note({ data, description: 'No answer within 10 s' }))).toEqual({
    title: 'A webhook to nas.lan could not be delivered',
    text: 'No answer within 10 s',
    href: '/workflows/w/log',
  });
});

test('a notification of an unknown kind, or without data, shows its title', () => {
  for (const data of [undefined, { kind: 'fromTheFuture' }, { kind: 3 }]) {
    expect(describeNotification(note(data ? { data } : {}))).toEqual({
      title: 'Words of the server',
      text: undefined,
      href: undefined,
    });
  }
});

test('time that the clock skipped is told in the language of the reader, and has no page', () => {
  const data = { kind: 'integrity', uncountedDays: 31 };
  expect(describeNotification(note({ data, description: 'Days' }))).toEqual({
    title: 'Deletions are paused: the clock jumped ahead',
    text: 'The clock moved ahead by 31 days. The trash is kept that much longer.',
    href: undefined,
  });
});

test('a failed job is called by words', () => {
  const data = { kind: 'jobFailed', name: 'physicalDeduplication.purge', count: 2 };
  const description = 'Job physicalDeduplication.purge failed with error: No space left';
  expect(describeNotification(note({ data, description })).text).toBe(
    'Delete removed copies: No space left',
  );
});

test('what is known of an event is told in the language of the page, not in that of the server', () => {
  const tell = (data: Record<string, unknown>) =>
    describeNotification(note({ data, description: 'in English' }));
  const text = (data: Record<string, unknown>) => tell(data).text;
  expect(text({ kind: 'newLogin', deviceType: 'Safari', deviceOs: 'macOS', isApp: false })).toBe(
    'From a new device: Safari, macOS',
  );
  expect(text({ kind: 'newLogin', deviceType: '', deviceOs: '' })).toBe('From a new device');
  expect(text({ kind: 'clusterGroupRequest', senderName: 'Ann' })).toBe('From Ann');
  expect(text({ kind: 'importFinished', count: 1 })).toBe('1 new item');
  const bytes = { availableBytes: 1024 ** 3, sizeBytes: 4 * 1024 ** 3, reserveBytes: 1024 ** 2 };
  expect(text({ kind: 'diskSpace', ...bytes })).toMatch(/GB of .+ are free. Uploads stop at/);
  expect(text({ kind: 'integrity', untracked: 2 })).toBe(
    '2 files in the data folder belong to no photo',
  );
  expect(text({ kind: 'integrity', damaged: 1, unreadable: 2 })).toBe(
    '1 original is missing or damaged. Upload it again. 2 originals cannot be read.',
  );
  expect(tell({ kind: 'integrity', libraryId: 'l', files: 3 })).toEqual({
    title: 'Files of an external library are gone',
    text: '3 files are gone. Nothing was changed. If you deleted them, confirm it.',
    href: '/admin/libraries',
  });
  expect(tell({ kind: 'maintenance' })).toEqual({
    title: 'Maintenance was interrupted',
    text: 'in English',
    href: undefined,
  });
});

test('of an error, only its own words are the words of the server', () => {
  const backup = { data: { kind: 'backupFailed' }, title: 'Backup Failed' };
  const description = 'The backup of the database failed with error: No space left';
  expect(describeNotification(note({ ...backup, description })).text).toBe('No space left');
  const waiting = {
    data: { kind: 'jobFailed', name: 'assets.readMetadata', isWaiting: true },
    description: 'Jobs assets.readMetadata wait until the machine can run them: no exiftool',
  };
  expect(describeNotification(note(waiting))).toMatchObject({
    title: 'Jobs wait until the server can run them',
    text: expect.stringMatching(/^[A-Z].+: no exiftool$/),
  });
  const stopped = {
    kind: 'workflow',
    workflowId: 'w',
    workflowName: 'Hearts',
    isSwitchedOff: true,
  };
  const reason = 'The models that this step needs are not installed';
  expect(describeNotification(note({ data: stopped, description: reason }))).toEqual({
    title: 'The workflow “Hearts” was switched off',
    text: reason,
    href: '/workflows/w/log',
  });
  expect(describeNotification(note({ data: { ...stopped, workflowName: null } })).title).toBe(
    'A workflow was switched off',
  );
});

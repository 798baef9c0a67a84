import { writeBackup } from '../../src/maintenance/backup-files.ts';

// A process for backup.test.ts: backs up the database until it is killed.
const [url, folder] = process.argv.slice(2) as [string, string];
await writeBackup(url, folder, {
  kind: 'scheduled',
  now: new Date(),
  signal: new AbortController().signal,
});

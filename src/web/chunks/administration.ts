// Pages of administrators.

export { AboutPage } from '../admin/about-page.tsx';
export { BackupsPage } from '../admin/backups-page.tsx';
export { ConfigPage } from '../admin/config/config-page.tsx';
export { DeduplicationPage } from '../admin/deduplication-page.tsx';
export { HealthPage } from '../admin/health-page.tsx';
export { IntegrityPage } from '../admin/integrity-page.tsx';
export { JobsPage } from '../admin/jobs-page.tsx';
export { LibrariesPage } from '../admin/libraries-page.tsx';
export { LogPage } from '../admin/log-page.tsx';
export { MailPage } from '../admin/mail-page.tsx';
export { ModelsPage } from '../admin/models-page.tsx';
export { NodesPage } from '../admin/nodes-page.tsx';
export { StatisticsPage } from '../admin/statistics-page.tsx';
export { StoragePage } from '../admin/storage-page.tsx';
export { UsersPage } from '../admin/users-page.tsx';
export { SetupPage } from '../setup/setup-page.tsx';

export { importFolder } from './import.domain.ts';
export type { ImportReport } from './report.ts';

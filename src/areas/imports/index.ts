export type { Facts } from './facts.ts';
export { type FolderFacts, isPhotoJson, readFolderFacts } from './folder-facts.ts';
export { createSidecarFinder } from './groups.ts';
export { importFolder } from './import.domain.ts';
export { createReport, type ImportReport } from './report.ts';
export type { ImportEvents } from './run.ts';
export { createImmichClient, type ImmichClient } from './immich/client.ts';
export { importFromImmich } from './immich/immich-import.domain.ts';
export { ImmichUnavailable } from './immich/unavailable.ts';

import type { JobHandler } from '../../../jobs/define.ts';
import { makeFilm } from './film/film.domain.ts';
import type { exportFilm } from './jobs.ts';
import { executeRun } from './run.domain.ts';

export const handleExportFilm: JobHandler<typeof exportFilm> = (ctx, { exportId }) =>
  executeRun(ctx, exportId, makeFilm);

import type { AnyElysia } from 'elysia';
import type { Guard } from '../http/guard.ts';
import { albumRoutes } from './albums/routes.ts';
import { assetRoutes } from './assets/routes.ts';
import { timelineRoutes } from './timeline/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { uploadRoutes } from './uploads/routes.ts';

/** Every area of the API, in the order of the documentation. */
export const areas: readonly ((guard: Guard) => AnyElysia)[] = [
  albumRoutes,
  uploadRoutes,
  jobRoutes,
  assetRoutes,
  timelineRoutes,
];

import { areas } from './areas/index.ts';
import { setEventScreening } from './areas/workflow-events/index.ts';
import { screenEvents } from './areas/workflows/runs/screening.domain.ts';
import type { Deps } from './core/context.ts';
import { type App, createApi } from './http/api.ts';
import type { RequestMetrics } from './http/request-metrics.ts';

export type { App } from './http/api.ts';

/** The whole API, without a listener: tests call `handle`, the server puts a front before it. */
export function createApp(deps: Deps, requestMetrics?: RequestMetrics): App {
  setEventScreening(async () => screenEvents);
  return createApi(deps, areas, requestMetrics);
}

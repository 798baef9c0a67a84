import type { MetricFamily, Sample } from '../core/openmetrics.ts';
import { type Exchange, findExchange } from './exchange.ts';

/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Responses of one route so far. */
type RouteMetrics = {
  readonly method: string;
  /** With the names of parameters in place of their values. */
  readonly route: string;
  /** Not cumulative; the last is above all bounds. */
  readonly buckets: number[];
  seconds: number;
  readonly statuses: Map<number, number>;
};

export type RequestMetrics = {
  /** Returns the function that marks an exchange as one of this route. */
  addRoute(method: string, route: string): (exchange: Exchange) => void;
  /** Counts a response that was sent. */
  count(exchange: Exchange, status: number): void;
  list(): MetricFamily[];
};

export function createRequestMetrics(): RequestMetrics {
  const routes = new Map<string, RouteMetrics>();
  const byExchange = new WeakMap<Exchange, RouteMetrics>();

  function getRoute(method: string, route: string): RouteMetrics {
    const key = `${method} ${route}`;
    const known = routes.get(key);
    if (known) return known;
    const buckets = Array.from({ length: BOUNDS.length + 1 }, () => 0);
    const made = { method, route, buckets, seconds: 0, statuses: new Map() };
    routes.set(key, made);
    return made;
  }

  return {
    addRoute(method, route) {
      const metrics = getRoute(method, route);
      return (exchange) => void byExchange.set(exchange, metrics);
    },
    count(exchange, status) {
      const { incoming, startedAt } = exchange;
      const metrics = byExchange.get(exchange) ?? getRoute(...findOtherRoute(incoming));
      const seconds = (performance.now() - startedAt) / 1000;
      const found = BOUNDS.findIndex((bound) => seconds <= bound);
      const at = found < 0 ? BOUNDS.length : found;
      metrics.buckets[at] = (metrics.buckets[at] ?? 0) + 1;
      metrics.seconds += seconds;
      metrics.statuses.set(status, (metrics.statuses.get(status) ?? 0) + 1);
    },
    list: () => toFamilies([...routes.values()].filter(({ statuses }) => statuses.size > 0)),
  };
}

// oxlint-disable-next-line no-explicit-any -- the hooks of a route, of which this needs one
type Route = { readonly method: string; readonly path: string; readonly hooks: any };

/** Makes requests of a route count as such, refused ones too. Call it before the route is added to the app. */
export function installRouteMark({ method, path, hooks }: Route, metrics: RequestMetrics): void {
  const mark = metrics.addRoute(method, `/api${path}`);
  const fn = ({ request }: { request: Request }) => {
    const exchange = findExchange(request);
    if (exchange) mark(exchange);
  };
  hooks.transform = [{ fn, isAsync: false }, hooks.transform ?? []].flat();
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns the route of requests that no route of the API has taken: clients choose their paths and methods. */
function findOtherRoute({ method = 'GET', url = '/' }: Exchange['incoming']): [string, string] {
  return [METHODS.has(method) ? method : 'other', url.startsWith('/api/') ? '/api/*' : '/*'];
}

const toFamilies = (routes: readonly RouteMetrics[]): MetricFamily[] => [
  {
    name: 'safelight_http_requests',
    type: 'counter',
    help: 'Responses by route and status.',
    samples: routes.flatMap(({ method, route, statuses }) =>
      [...statuses].map(([status, value]) => ({
        suffix: '_total',
        labels: { method, route, status: String(status) },
        value,
      })),
    ),
  },
  {
    name: 'safelight_http_request_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from the head of a request to the end of its response.',
    samples: routes.flatMap(toHistogram),
  },
];

function toHistogram({ method, route, buckets, seconds }: RouteMetrics): Sample[] {
  const labels = { method, route };
  let count = 0;
  const cumulative = buckets.map((value, at) => ({
    suffix: '_bucket',
    labels: { ...labels, le: formatBound(BOUNDS[at]) },
    value: (count += value),
  }));
  return [
    ...cumulative,
    { suffix: '_count', labels, value: count },
    { suffix: '_sum', labels, value: seconds },
  ];
}

/** Canonical, as the specification asks: 1.0, 2.5, +Inf. */
function formatBound(bound: number | undefined): string {
  if (bound === undefined) return '+Inf';
  return Number.isInteger(bound) ? bound.toFixed(1) : String(bound);
}

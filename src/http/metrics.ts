import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../core/hash.ts';
import { formatMetrics, type MetricFamily, OPENMETRICS_TYPE } from '../core/openmetrics.ts';

type Collect = () => Promise<readonly MetricFamily[]>;

/**
 * Returns the handler of /metrics (OpenMetrics). It returns undefined for other paths. Without a token there
 * is nothing at this path.
 */
export function createMetricsHandler(token: string | undefined, collect: Collect) {
  const digest = token === undefined ? undefined : sha256(token);
  return (request: Request): Response | Promise<Response> | undefined => {
    if (!METRICS_URL.test(request.url)) return undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!digest || !isRead) return refuse(404, 'Not found');
    const [, given = ''] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    if (!timingSafeEqual(sha256(given), digest)) {
      return refuse(401, 'The token is missing or wrong', { 'www-authenticate': 'Bearer' });
    }
    return respond(collect);
  };
}

const METRICS_URL = /^[a-z]+:\/\/[^/]*\/metrics(?:\?|$)/;

const refuse = (status: number, message: string, headers = {}) =>
  Response.json({ message }, { status, headers });

const respond = async (collect: Collect): Promise<Response> =>
  new Response(formatMetrics(await collect()), {
    headers: { 'content-type': OPENMETRICS_TYPE, 'cache-control': 'no-store' },
  });

/** Names that orchestrators and load balancers know, and the operations that they stand for. */
const OPERATIONS: Readonly<Record<string, string>> = {
  '/healthz': '/api/server/ping',
  '/readyz': '/api/server/ready',
};
const PROBE_URL = /^([a-z]+:\/\/[^/]*)(\/(?:healthz|readyz))(?:\?|$)/;

const PROBES: ReadonlySet<string> = new Set(Object.entries(OPERATIONS).flat());

/** Whether a path is one that balancers ask for all the time. */
export const isProbe = (path: string): boolean => PROBES.has(path);

/** Returns the request of the operation for a request of a probe, and any other request as it is. */
export function resolveProbe(request: Request): Request {
  const [, origin, name] = PROBE_URL.exec(request.url) ?? [];
  const operation = name === undefined ? undefined : OPERATIONS[name];
  return operation === undefined ? request : new Request(`${origin}${operation}`, request);
}

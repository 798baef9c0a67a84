/** Where clients that know only the host find the API. It lies outside /api, so not in the app. */
export const WELL_KNOWN_PATH = '/.well-known/immich';

export function wellKnown(request: Request): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return Response.json(
      { message: 'Method not allowed' },
      { status: 405, headers: { allow: 'GET, HEAD' } },
    );
  }
  return Response.json({ api: { endpoint: '/api' } });
}

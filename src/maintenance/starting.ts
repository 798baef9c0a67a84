import { errorBody } from '../http/error-body.ts';
import texts from './page-texts.json';

const RETRY_AFTER_SECONDS = 2;

type Language = keyof typeof texts;

/** Serves requests until the library is: 503, and a page that asks again by itself. */
export const createStartingHandler = () => ({
  fetch: (request: Request): Response => {
    const headers = { 'retry-after': String(RETRY_AFTER_SECONDS), 'cache-control': 'no-store' };
    const { pathname } = new URL(request.url);
    const isPage = !/^\/(?:api|\.well-known|assets)(?:\/|$)/.test(pathname);
    if (isPage && request.headers.get('accept')?.includes('text/html')) {
      return new Response(request.method === 'HEAD' ? null : toPage(request), {
        status: 503,
        headers: {
          ...headers,
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'referrer-policy': 'no-referrer',
        },
      });
    }
    const { method, url } = request;
    return Response.json(errorBody({ method, url }, 503, 'The server is starting'), {
      status: 503,
      headers,
    });
  },
});

function toPage({ headers }: Request): string {
  const language = findLanguage(headers.get('accept-language') ?? '');
  const { title, starting } = texts[language];
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="refresh" content="${RETRY_AFTER_SECONDS}" />
    <meta name="color-scheme" content="light dark" />
    <title>Safelight</title>
  </head>
  <body>
    <h1>${title}</h1>
    <p>${starting}</p>
  </body>
</html>
`;
}

/** Returns the first language of the header that there is: RFC 9110 §12.5.4, without weights. */
const findLanguage = (header: string): Language =>
  header
    .split(',')
    .map((tag) => tag.trim().split(/[-;]/, 1)[0] as Language)
    .find((name) => name in texts) ?? 'en';

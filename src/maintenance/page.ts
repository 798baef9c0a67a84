import { createHash } from 'node:crypto';
import { requireValue } from '../core/required.ts';
import bundle from './page.html' with { type: 'text' };
import texts from './page-texts.json';

// One file without links to others: it is shown while the application does not run.

// The types of Bun do not know the attribute.
const html = (bundle as unknown as string).replace(
  'const TEXTS = {};',
  () => `const TEXTS = ${JSON.stringify(texts)};`,
);

const computeHash = (tag: 'script' | 'style'): string => {
  const [, text] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
  const hash = createHash('sha256').update(requireValue(text, `${tag} of the page`));
  return `'sha256-${hash.digest('base64')}'`;
};

const POLICY = [
  "default-src 'none'",
  `script-src ${computeHash('script')}`,
  `style-src ${computeHash('style')}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the page of maintenance mode; other pages lead to it and back afterwards. */
export function pageResponse({ method, url }: Request, path: string): Response {
  if (path !== '/maintenance') {
    const target = path + new URL(url).search;
    const location = `/maintenance?${new URLSearchParams({ continue: target })}`;
    return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
  }
  return new Response(method === 'HEAD' ? null : html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
    },
  });
}

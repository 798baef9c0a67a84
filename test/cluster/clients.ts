import { createHash } from 'node:crypto';
import { createForm, DATES, filePart, FORM_TYPE } from '../support/forms.ts';

// Clients of a library behind a URL.

type Headers = Readonly<Record<string, string>>;
export type Account = { readonly token: string; readonly key: string };

export async function send<T = Record<string, string>>(
  url: string,
  route: string,
  { headers, body }: { readonly headers?: Headers; readonly body?: object } = {},
): Promise<T> {
  const [method = '', path] = route.split(' ');
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
  return (text ? JSON.parse(text) : {}) as T;
}

export const PASSWORD = 'a long password';
const ADMINISTRATOR = 'ann@example.org';

export const logIn = async (url: string, email: string): Promise<string> =>
  (await send(url, 'POST /auth/login', { body: { email, password: PASSWORD } }))['accessToken']!;

/** Logs an account in, and makes an API key for it. */
export async function createAccount(url: string, email: string): Promise<Account> {
  const token = await logIn(url, email);
  const made = await send(url, 'POST /api-keys', {
    headers: { authorization: `Bearer ${token}` },
    body: { name: 'test', permissions: ['all'] },
  });
  return { token, key: made['secret']! };
}

/** The administrator of a new library. */
export async function signUp(url: string): Promise<Account> {
  const body = { email: ADMINISTRATOR, password: PASSWORD, name: 'Ann' };
  await send(url, 'POST /auth/admin-sign-up', { body });
  return createAccount(url, ADMINISTRATOR);
}

export const toSha1 = (bytes: Uint8Array): string =>
  createHash('sha1').update(bytes).digest('base64');

export type Uploaded = { readonly status: number; readonly id: string | undefined };

export async function upload(
  url: string,
  key: string,
  bytes: Uint8Array,
  fileName?: string,
): Promise<Uploaded> {
  const response = await fetch(`${url}/api/assets`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': FORM_TYPE },
    body: createForm([...DATES, filePart(bytes, fileName)]) as BodyInit,
  });
  const { id } = (await response.json()) as { id?: string };
  return { status: response.status, id };
}

export async function download(url: string, key: string, id: string): Promise<string> {
  const response = await fetch(`${url}/api/assets/${id}/original`, {
    headers: { 'x-api-key': key },
  });
  return toSha1(new Uint8Array(await response.arrayBuffer()));
}

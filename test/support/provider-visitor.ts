const FORM_TYPE = 'application/x-www-form-urlencoded';
const MOST_STEPS = 8;

/** A browser without scripts that keeps the cookies of a provider: its session there. */
export function createVisitor() {
  const cookies = new Map<string, string>();

  async function request(url: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, ...(form && { 'content-type': FORM_TYPE }) },
      ...(form && { method: 'POST', body: new URLSearchParams(form).toString() }),
    });
    for (const text of response.headers.getSetCookie()) {
      const [name, value] = text.split(';')[0]!.split('=') as [string, string];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    return response;
  }

  /** Logs in at the page of the provider, and returns the address to which it sends the user back. */
  async function signOn(start: string, user: string): Promise<string> {
    const { origin } = new URL(start);
    let url = start;
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const response = await request(url, url.includes('/interaction/') ? { user } : undefined);
      const location = response.headers.get('location');
      if (!location) throw new Error(`${response.status} ${await response.text()}`);
      url = new URL(location, url).href;
      if (!url.startsWith(origin)) return url;
    }
    throw new Error('too many redirects');
  }

  /** Confirms at the provider that its session shall end. */
  async function logOut(url: string): Promise<void> {
    const page = await (await request(url)).text();
    const xsrf = /name="xsrf" value="(\w+)"/.exec(page)![1]!;
    await request(new URL('/session/end/confirm', url).href, { xsrf, logout: 'yes' });
  }

  return { signOn, logOut };
}

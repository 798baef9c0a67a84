import { afterAll, beforeEach } from 'bun:test';
import { MemoryStorage } from './memory-storage.ts';

/** Call it at the top of a file: gives its tests the address, storage and cookies of a browser. */
export function startPageAddress() {
  let address = new URL('http://page.test/photos');
  const visits: string[] = [];
  const globals = ['location', 'history', 'document', 'localStorage', 'sessionStorage'] as const;
  const go = (path: string) => void (address = new URL(path, address));
  const location = {
    get href() {
      return address.href;
    },
    get origin() {
      return address.origin;
    },
    get pathname() {
      return address.pathname;
    },
    get search() {
      return address.search;
    },
    get hash() {
      return address.hash;
    },
    assign: (url: string) => void visits.push(url),
    reload: () => void visits.push('reload'),
  };
  const move = (_state: unknown, _title: string, path: string) => go(path);
  const document = { cookie: '' };
  beforeEach(() => {
    address = new URL('http://page.test/photos');
    visits.length = 0;
    document.cookie = '';
    const values = {
      location,
      history: { pushState: move, replaceState: move },
      document,
      localStorage: new MemoryStorage(),
      sessionStorage: new MemoryStorage(),
    };
    for (const name of globals) {
      Object.defineProperty(globalThis, name, { value: values[name], configurable: true });
    }
  });
  afterAll(() => {
    for (const name of globals) Reflect.deleteProperty(globalThis, name);
  });
  return {
    go,
    read: () => `${address.pathname}${address.search}`,
    /** Pages of other servers that were opened, and 'reload'. */
    visits,
    /** As after a login: the session itself is in a cookie that no script reads. */
    setLoginCookie: () => void (document.cookie = 'immich_is_authenticated=true'),
  };
}

const BASE = 'http://localhost';
const toUrl = (request: RequestInfo | URL): string =>
  new URL(request instanceof Request ? request.url : request, BASE).href;

/** A cache of requests by their address, in memory. */
class MemoryCache {
  readonly #bodies = new Map<string, Blob>();

  async put(request: RequestInfo | URL, response: Response): Promise<void> {
    this.#bodies.set(toUrl(request), await response.blob());
  }

  async match(request: RequestInfo | URL): Promise<Response | undefined> {
    const body = this.#bodies.get(toUrl(request));
    return body && new Response(body);
  }

  async delete(request: RequestInfo | URL): Promise<boolean> {
    return this.#bodies.delete(toUrl(request));
  }

  async keys(): Promise<Request[]> {
    return [...this.#bodies.keys()].map((url) => new Request(url));
  }
}

/** The caches of a browser, in memory, as far as the page's code uses them. */
export class MemoryCaches {
  readonly #caches = new Map<string, MemoryCache>();

  async open(name: string): Promise<Cache> {
    const cache = this.#caches.get(name) ?? new MemoryCache();
    this.#caches.set(name, cache);
    return cache as unknown as Cache;
  }

  async has(name: string): Promise<boolean> {
    return this.#caches.has(name);
  }

  async delete(name: string): Promise<boolean> {
    return this.#caches.delete(name);
  }
}

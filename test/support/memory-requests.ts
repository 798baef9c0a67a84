import { afterEach, beforeEach } from 'bun:test';
import { restoreConnection } from './page-connection.ts';

/** A request as XMLHttpRequest sends it, with the parts of a form by their names. */
export type SentRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  readonly body: unknown;
};
export type SentAnswer = {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** `silent`: nobody answers until the request is aborted. Undefined: the connection is lost. */
type Outcome = SentAnswer | 'silent' | undefined;

/** Replaces XMLHttpRequest until `end` is called. */
export function startMemoryRequests(answer: (request: SentRequest) => Outcome): {
  sent: SentRequest[];
  end: () => Promise<void>;
} {
  const sent: SentRequest[] = [];
  class MemoryRequest {
    status = 0;
    responseText = '';
    readonly upload: { onprogress?: (event: { loaded: number }) => void } = {};
    onload = () => {};
    onerror = () => {};
    onabort = () => {};
    #method = '';
    #path = '';
    readonly #headers: Record<string, string> = {};
    #answered: Readonly<Record<string, string>> = {};

    open(method: string, url: string): void {
      this.#method = method;
      this.#path = new URL(url, 'http://page.test').pathname.replace(/^\/api/, '');
    }
    setRequestHeader(name: string, value: string): void {
      this.#headers[name] = value;
    }
    getResponseHeader(name: string): string | null {
      return this.#answered[name] ?? null;
    }
    send(body: unknown): void {
      const parts = body instanceof FormData ? [...body] : [];
      const form = Object.fromEntries(
        parts.map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
      );
      const request = {
        method: this.#method,
        path: this.#path,
        headers: this.#headers,
        form,
        body,
      };
      sent.push(request);
      queueMicrotask(() => {
        const got = answer(request);
        if (got === 'silent') return;
        if (!got) return this.onerror();
        if (body instanceof Blob) this.upload.onprogress?.({ loaded: body.size });
        this.status = got.status;
        this.responseText = got.body ? JSON.stringify(got.body) : '';
        this.#answered = got.headers ?? {};
        this.onload();
      });
    }
    abort(): void {
      this.onabort();
    }
  }
  const { XMLHttpRequest } = globalThis;
  globalThis.XMLHttpRequest = MemoryRequest as unknown as typeof XMLHttpRequest;
  return {
    sent,
    end() {
      globalThis.XMLHttpRequest = XMLHttpRequest;
      return restoreConnection();
    },
  };
}

/**
 * Call it at the top of a file: its tests send to a server that answers routes as they say. A route without an answer is
 * refused with 404.
 */
export function startRequestServer() {
  let answers: Record<string, Outcome> = {};
  let server: ReturnType<typeof startMemoryRequests>;
  const toRoute = ({ method, path }: SentRequest) => `${method} ${path}`;
  beforeEach(() => {
    answers = {};
    server = startMemoryRequests((request) => {
      const route = toRoute(request);
      return route in answers ? answers[route] : { status: 404 };
    });
  });
  afterEach(() => server.end());
  return {
    /** Answers a route, as 'PATCH /assets/uploads/a', from now on. */
    answer: (route: string, outcome: Outcome) => void (answers[route] = outcome),
    listRoutes: () => server.sent.map(toRoute),
    /** The last request to a route. */
    find: (route: string) => server.sent.findLast((request) => toRoute(request) === route),
  };
}

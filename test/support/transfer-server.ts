import { afterAll, beforeEach } from 'bun:test';

// For tests of uploads in the page: a server behind XMLHttpRequest, which alone tells how much of a body has gone out.

type Received = {
  readonly route: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: XMLHttpRequestBodyInit | null;
};
type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};
/** 'lost': the connection breaks. 'silent': nobody answers, until the request is aborted. */
type Answer = Reply | 'lost' | 'silent';
type Handler = (received: Received) => Answer;

class Transfer {
  static handle: Handler = () => ({ status: 404 });
  readonly upload: { onprogress?: (event: { loaded: number }) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  status = 0;
  responseText = '';
  #route = '';
  readonly #headers: Record<string, string> = {};
  #answer: Reply['headers'] = {};

  open(method: string, url: string): void {
    this.#route = `${method} ${url.replace(/^\/api/, '')}`;
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }
  getResponseHeader(name: string): string | null {
    return this.#answer?.[name] ?? null;
  }
  send(body: XMLHttpRequestBodyInit | null): void {
    const answer = Transfer.handle({ route: this.#route, headers: this.#headers, body });
    if (answer === 'silent') return;
    queueMicrotask(() => {
      if (answer === 'lost') return this.onerror?.();
      if (body instanceof Blob) this.upload.onprogress?.({ loaded: body.size });
      this.status = answer.status;
      this.responseText = answer.body ? JSON.stringify(answer.body) : '';
      this.#answer = answer.headers;
      this.onload?.();
    });
  }
  abort(): void {
    this.onabort?.();
  }
}

/** Call it at the top of a file: replaces `XMLHttpRequest` for its tests. What has no answer is refused with 404. */
export function startTransferServer() {
  const before = globalThis.XMLHttpRequest;
  let handlers: Record<string, Handler> = {};
  let received: Received[] = [];
  beforeEach(() => {
    handlers = {};
    received = [];
    Transfer.handle = (request) => {
      received.push(request);
      return handlers[request.route]?.(request) ?? { status: 404 };
    };
    globalThis.XMLHttpRequest = Transfer as unknown as typeof XMLHttpRequest;
  });
  afterAll(() => void (globalThis.XMLHttpRequest = before));
  return {
    /** Answers a route, as 'PATCH /assets/uploads/a', from now on. */
    answer: (route: string, reply: Answer) => void (handlers[route] = () => reply),
    listRoutes: () => received.map(({ route }) => route),
    /** The last request to a route. */
    find: (route: string) => received.findLast((one) => one.route === route),
  };
}

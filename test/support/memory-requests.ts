/** A request as XMLHttpRequest sends it, with the parts of a form by their names. */
export type SentRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
};
export type SentAnswer = {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Replaces XMLHttpRequest until `end` is called. Without an answer, the connection is lost. */
export function startMemoryRequests(answer: (request: SentRequest) => SentAnswer | undefined): {
  sent: SentRequest[];
  end: () => void;
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
      const request = { method: this.#method, path: this.#path, headers: this.#headers, form };
      sent.push(request);
      queueMicrotask(() => {
        const got = answer(request);
        if (!got) return this.onerror();
        if (body instanceof Blob) this.upload.onprogress?.({ loaded: body.size });
        this.status = got.status;
        this.responseText = got.body ? JSON.stringify(got.body) : '';
        this.#answered = got.headers ?? {};
        return this.onload();
      });
    }
    abort(): void {
      this.onabort();
    }
  }
  const { XMLHttpRequest } = globalThis;
  globalThis.XMLHttpRequest = MemoryRequest as unknown as typeof XMLHttpRequest;
  return { sent, end: () => void (globalThis.XMLHttpRequest = XMLHttpRequest) };
}

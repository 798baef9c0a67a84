import { createInterface, type Interface } from 'node:readline';

/** Asks questions on the terminal, or reads the answers from a pipe. */
export type Prompt = {
  /** Returns the next line; empty when there is none. */
  ask(question: string): Promise<string>;
  close(): void;
};

export function createPrompt(): Prompt {
  let reader: Interface | undefined;
  let lines: AsyncIterator<string> | undefined;
  return {
    async ask(question) {
      process.stdout.write(question);
      reader ??= createInterface({ input: process.stdin, terminal: false });
      lines ??= reader[Symbol.asyncIterator]();
      const { value, done } = await lines.next();
      if (!process.stdin.isTTY) process.stdout.write('\n');
      return done ? '' : value;
    },
    close: () => reader?.close(),
  };
}

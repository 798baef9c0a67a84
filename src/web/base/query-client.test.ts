import { afterEach, expect, test } from 'bun:test';
import { QueryObserver } from '@tanstack/react-query';
import { ApiError } from './api.ts';
import { invalidate, mutate, queryClient, updateData } from './query-client.ts';

const KEY = ['test', 'list'];

afterEach(() => queryClient.clear());

/** Shows data that a fake server holds. */
function show(server: { list: string[] }): () => void {
  const observer = new QueryObserver(queryClient, {
    queryKey: KEY,
    queryFn: () => Promise.resolve([...server.list]),
  });
  return observer.subscribe(() => {});
}
const shown = () => queryClient.getQueryData<string[]>(KEY);

test('a change resolves with the answer when the invalidated data has been fetched again', async () => {
  const server = { list: ['a'] };
  const hide = show(server);
  const answer = await mutate(() => Promise.resolve(server.list.push('b')), {
    invalidates: [['test']],
  });
  expect(answer).toBe(2);
  expect(shown()).toEqual(['a', 'b']);
  hide();
});

test('an optimistic change is seen at once and reverted when the server refuses it', async () => {
  const server = { list: ['a'] };
  const hide = show(server);
  await queryClient.refetchQueries({ queryKey: KEY });
  const refuse = Promise.withResolvers<void>();
  const change = mutate(() => refuse.promise, {
    invalidates: [],
    apply: () => updateData<string[]>(KEY, (old) => [...old, 'b']),
  });
  await Bun.sleep(0);
  expect(shown()).toEqual(['a', 'b']);
  refuse.reject(new ApiError(409, 'It has changed.'));
  await expect(change).rejects.toThrow('It has changed.');
  expect(shown()).toEqual(['a']);
  hide();
});

test('an optimistic change is seen at once while older data is being fetched, and stays', async () => {
  const server = { list: ['a'] };
  let answer: Promise<void> = Promise.resolve();
  const observer = new QueryObserver(queryClient, {
    queryKey: KEY,
    queryFn: async () => {
      const list = [...server.list];
      await answer;
      return list;
    },
  });
  const hide = observer.subscribe(() => {});
  await queryClient.refetchQueries({ queryKey: KEY });
  const slow = Promise.withResolvers<void>();
  answer = slow.promise;
  const fetching = queryClient.refetchQueries({ queryKey: KEY });
  const updating = updateData<string[]>(KEY, (old) => [...old, 'b']);
  expect(shown()).toEqual(['a', 'b']);
  await updating;
  slow.resolve();
  await fetching.catch(() => undefined);
  expect(shown()).toEqual(['a', 'b']);
  hide();
});

test('a change that fails fetches the invalidated data too', async () => {
  const server = { list: ['a'] };
  const hide = show(server);
  await queryClient.refetchQueries({ queryKey: KEY });
  server.list = ['changed by somebody else'];
  const change = mutate(() => Promise.reject(new ApiError(409, 'It has changed.')), {
    invalidates: [['test']],
  });
  await change.catch(() => undefined);
  expect(shown()).toEqual(['changed by somebody else']);
  hide();
});

/** Adds an entry that the server holds after `answer`. */
const add = (server: { list: string[] }, entry: string, answer: Promise<void>) =>
  mutate(
    async () => {
      await answer;
      server.list.push(entry);
    },
    { invalidates: [['test']], apply: () => updateData<string[]>(KEY, (old) => [...old, entry]) },
  );

test('data to which a later change is applied stays as it is shown until that one is answered', async () => {
  const server = { list: ['a'] };
  const hide = show(server);
  await queryClient.refetchQueries({ queryKey: KEY });
  const late = Promise.withResolvers<void>();
  const first = add(server, 'b', Promise.resolve());
  const second = add(server, 'c', late.promise);
  await first;
  expect(shown()).toEqual(['a', 'b', 'c']);
  await invalidate([['test']]);
  expect(shown()).toEqual(['a', 'b', 'c']);
  server.list.push('by somebody else');
  late.resolve();
  await second;
  expect(shown()).toEqual(['a', 'b', 'by somebody else', 'c']);
  hide();
});

test('a refused change does not revert the later change of the same data', async () => {
  const server = { list: ['a'] };
  const hide = show(server);
  await queryClient.refetchQueries({ queryKey: KEY });
  const late = Promise.withResolvers<void>();
  const first = add(server, 'b', Promise.reject(new ApiError(409, 'It has changed.')));
  const second = add(server, 'c', late.promise);
  await first.catch(() => undefined);
  expect(shown()).toEqual(['a', 'b', 'c']);
  late.resolve();
  await second;
  expect(shown()).toEqual(['a', 'c']);
  hide();
});

test('changes of data that the answer replaces are sent in order, and only the last answer is shown', async () => {
  queryClient.setQueryData(KEY, ['a']);
  const replies: (() => void)[] = [];
  const stored = ['a'];
  const change = (entry: string) =>
    mutate(
      async () => {
        await new Promise<void>((resolve) => replies.push(resolve));
        stored.push(`${entry} by the server`);
        return [...stored];
      },
      {
        invalidates: [],
        replaces: KEY,
        apply: () => updateData<string[]>(KEY, (old) => [...old, entry]),
      },
    );
  const first = change('b');
  const second = change('c');
  await Bun.sleep(1);
  expect(replies).toHaveLength(1);
  replies[0]!();
  await first;
  expect(shown()).toEqual(['a', 'b', 'c']);
  await Bun.sleep(1);
  replies[1]!();
  expect(await second).toEqual(['a', 'b by the server', 'c by the server']);
  expect(shown()).toEqual(['a', 'b by the server', 'c by the server']);
});

test('when the last of two changes is refused, what the first has made of it is fetched', async () => {
  const server = { list: ['a'] };
  const hide = show(server);
  await queryClient.refetchQueries({ queryKey: KEY });
  const change = (entry: string, send: () => Promise<string[]>) =>
    mutate(send, {
      invalidates: [],
      replaces: KEY,
      apply: () => updateData<string[]>(KEY, (old) => [...old, entry]),
    });
  const first = change('b', () => Promise.resolve((server.list = ['a', 'b'])));
  const second = change('c', () => Promise.reject(new ApiError(400, 'No')));
  await Promise.allSettled([first, second]);
  expect(shown()).toEqual(['a', 'b']);
  hide();
});

test('data whose first fetch began before a change is fetched once more', async () => {
  const server = { list: ['old'] };
  const answers: (() => void)[] = [];
  const observer = new QueryObserver(queryClient, {
    queryKey: KEY,
    queryFn: async () => {
      const list = [...server.list];
      await new Promise<void>((resolve) => answers.push(resolve));
      return list;
    },
  });
  const hide = observer.subscribe(() => {});
  server.list = ['new'];
  const fresh = invalidate([KEY]);
  answers[0]!();
  for (let turn = 0; turn < 100 && answers.length < 2; turn++) await Bun.sleep(1);
  answers[1]!();
  await fresh;
  expect(shown()).toEqual(['new']);
  expect(answers).toHaveLength(2);
  hide();
});

test('an unreachable server is asked once more, a refusal is not', async () => {
  for (const [status, attempts] of [
    [0, 2],
    [503, 2],
    [404, 1],
    [500, 1],
  ] as const) {
    let asked = 0;
    const read = queryClient.fetchQuery({
      queryKey: ['test', status],
      queryFn: () => Promise.reject(new ApiError(status, `${++asked}`)),
      retryDelay: 1,
    });
    expect(await read.catch((error: ApiError) => error.status)).toBe(status);
    expect(asked).toBe(attempts);
  }
});

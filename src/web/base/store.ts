import { useSyncExternalStore } from 'react';

/** A value outside React that components can follow. */
export type ReadableStore<T> = {
  get: () => T;
  subscribe: (listener: () => void) => () => void;
};
export type Store<T> = ReadableStore<T> & { set: (next: T | ((old: T) => T)) => void };

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const changed = typeof next === 'function' ? (next as (old: T) => T)(value) : next;
      if (Object.is(changed, value)) return;
      value = changed;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const personal = new Set<() => void>();

/** Creates a store of the signed-in account, which is reset when the account logs out. */
export function createPersonalStore<T>(initial: T): Store<T> {
  const store = createStore(initial);
  personal.add(() => store.set(initial));
  return store;
}
export const resetPersonalStores = (): void => {
  for (const reset of personal) reset();
};

export function useStore<T>(store: ReadableStore<T>): T;
/** `select` must return the same object for the same state. */
export function useStore<T, S>(store: ReadableStore<T>, select: (value: T) => S): S;
export function useStore<T, S>(store: ReadableStore<T>, select?: (value: T) => S): T | S {
  return useSyncExternalStore(store.subscribe, () => (select ? select(store.get()) : store.get()));
}

import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Failure } from './elements.tsx';
import { t } from '../base/i18n.ts';

export type LazyComponent<Props> = ((props: Props) => ReactNode) & {
  /** Fetches the code ahead of time; a failure shows only when the component is rendered. */
  readonly preload: () => void;
};

/**
 * Returns a component whose code is a chunk of its own, fetched when it is first rendered.
 * Not React.lazy: React holds content back for 300 ms after it has shown a fallback, also where the
 * chunk arrives at once.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode | ((props: Props) => ReactNode) = null,
): LazyComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;
  const fetchOnce = async (): Promise<ComponentType<Props>> => {
    loading ??= load();
    loaded = await loading;
    return loaded;
  };
  function Lazy(props: Props): ReactNode {
    const [Component, setComponent] = useState(() => loaded);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (Component) return;
      fetchOnce().then(
        (component) => setComponent(() => component),
        () => setFailed(true),
      );
    }, [Component]);
    // A browser remembers a module that could not be loaded: only a reload asks for it again.
    if (hasFailed) return <Failure error={FAILED} onRetry={() => location.reload()} />;
    if (Component) return <Component {...props} />;
    return typeof fallback === 'function' ? fallback(props) : fallback;
  }
  return Object.assign(Lazy, { preload: () => void fetchOnce().catch(() => undefined) });
}

const FAILED = new Error(t('This part of the page could not be loaded.'));

/** Runs when the browser has nothing better to do; Safari has no idle callbacks. */
export function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(run, { timeout: 5000 });
  else setTimeout(run, 1000);
}

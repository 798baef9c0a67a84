import { lazyComponent } from '../../ui/lazy.tsx';

/** Fetched beside the first photos: nothing is selected before they are there. */
export const SelectionBar = lazyComponent(() =>
  import('./selection-bar.tsx').then((chunk) => chunk.SelectionBar),
);

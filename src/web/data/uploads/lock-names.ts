type Content = { readonly userId: string; readonly sha256: string };

/** Only the tab or worker that holds this lock sends the content, or changes what is remembered of it. */
export const toLockName = ({ userId, sha256 }: Content): string =>
  `safelight.upload ${userId} ${sha256}`;

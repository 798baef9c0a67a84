import manifest from '../../package.json' with { type: 'json' };

/** Ours. Clients are told the version of the API that we are compatible with instead. */
export const VERSION: string = manifest.version;

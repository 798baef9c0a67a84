import manifest from '../../package.json' with { type: 'json' };

/** Version of this program. Clients get the version of the API that it is compatible with instead. */
export const VERSION: string = manifest.version;

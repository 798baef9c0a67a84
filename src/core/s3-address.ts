/** A bucket, or a part of it, at an S3 endpoint that is addressed by path. */
export type S3Address = {
  /** The URL of the bucket, without a slash at the end. */
  readonly url: string;
  /** The beginning of all keys: empty, or with a slash at the end. */
  readonly prefix: string;
  readonly region: string;
};

const EXPECTED = 'a URL as https://HOST[:PORT]/BUCKET[/PREFIX][?region=NAME]';
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w.-]+(?:\/[\w.-]+)*$/;

/** Throws an Error that completes "NAME must be …". Credentials have a file of their own. */
export function parseS3Address(text: string): S3Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
    throw new Error(EXPECTED);
  }
  const [, bucket = '', ...folders] = url.pathname.replace(/\/$/, '').split('/');
  const prefix = folders.join('/');
  const { region = 'us-east-1', ...others } = Object.fromEntries(url.searchParams);
  const isKnown = Object.keys(others).length === 0 && /^[\w-]+$/.test(region);
  if (!BUCKET.test(bucket) || !isKnown || (prefix !== '' && !PREFIX.test(prefix))) {
    throw new Error(EXPECTED);
  }
  return { url: `${url.origin}/${bucket}`, prefix: prefix && `${prefix}/`, region };
}

import { useCallback, useEffect, useRef, useState } from 'react';
import { checkConnection, isOffline } from '../../base/connection.ts';
import { useStore } from '../../base/store.ts';
import styles from './viewer.module.css';
import { t } from '../../base/i18n.ts';

type Reason = 'none' | 'failed' | 'unreachable';

/**
 * Stands where a picture could not be shown, and says why: there is none, or the server was not reached. What was not
 * reached is asked for again when the server answers.
 */
export function MissingPicture() {
  const host = useRef<HTMLDivElement>(null);
  const tries = useRef(0);
  const [found, setFound] = useState<Reason>();
  const isCut = useStore(isOffline);
  const reason = isCut ? 'unreachable' : found;
  const reload = useCallback(() => {
    const suffix = `try=${++tries.current}`;
    for (const image of findFailed(host.current)) image.src = `${toOwnUrl(image)}&${suffix}`;
  }, []);

  useEffect(() => {
    if (isCut) return;
    let isGone = false;
    void findReason(findFailed(host.current)[0]).then((found) => {
      if (isGone) return;
      setFound(found ?? 'failed');
      if (!found) reload();
    });
    return () => {
      isGone = true;
    };
  }, [isCut, reload]);

  return (
    <div ref={host} className={styles.viewerError} role="status">
      {reason && <p>{describe(reason)}</p>}
      {reason === 'failed' && (
        <button className="button small" onClick={reload}>
          {t('Try again')}
        </button>
      )}
    </div>
  );
}

function describe(reason: Reason): string {
  if (reason === 'none') return t('There is no picture of this file yet.');
  if (reason === 'failed') return t('The picture could not be loaded.');
  return t('Offline: the picture appears when the server answers again.');
}

/** As the page has set it, without the number of an earlier try. */
const toOwnUrl = ({ src }: HTMLImageElement): string => src.replace(/&try=\d+$/, '');

const findFailed = (host: HTMLElement | null): HTMLImageElement[] =>
  [...(host?.closest('.yarl__slide')?.querySelectorAll('img') ?? [])].filter(
    ({ complete, naturalWidth }) => complete && naturalWidth === 0,
  );

/** Undefined: it can be loaded by now. */
async function findReason(image: HTMLImageElement | undefined): Promise<Reason | undefined> {
  if (!image) return undefined;
  const status = await fetch(image.currentSrc || image.src).then(
    (response) => response.status,
    () => 0,
  );
  if (status === 0) return (await checkConnection()) ? 'failed' : 'unreachable';
  if (status === 404) return 'none';
  return status < 400 ? undefined : 'failed';
}

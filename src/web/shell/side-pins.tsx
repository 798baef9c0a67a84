import { ArrowDown, ArrowUp, ListOrdered, PinOff, Tag } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { getPictureUrl } from '../base/pictures.ts';
import type { Pin } from '../data/types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { IconButton } from '../ui/elements.tsx';
import { movePin, removePin } from '../data/pins/pin-data.ts';
import { usePins } from '../data/pins/queries.ts';
import shellStyles from './shell.module.css';
import styles from './pins.module.css';
import { t } from '../base/i18n.ts';

/** The pinned albums and tags, as links. */
export function PinList({ onChoose }: { onChoose?: () => void }) {
  const list = usePins();
  const [path] = useLocation();
  const [isOrdering, setOrdering] = useState(false);
  if (!list || list.pins.length === 0) return null;
  return (
    <section className="side-pins" aria-label={t('Pinned')}>
      <header>
        <h3>{t('Pinned')}</h3>
        <IconButton
          icon={ListOrdered}
          label={t('Order the pins')}
          className="small"
          onClick={() => setOrdering(true)}
        />
      </header>
      <ul>
        {list.pins.filter(isShown).map((pin) => (
          <li key={pin.id}>
            <Link
              href={toPath(pin)}
              className={`${shellStyles.navLink} pin`}
              aria-current={path.startsWith(toPath(pin)) ? 'page' : undefined}
              onClick={onChoose}
            >
              <PinCover pin={pin} />
              <span>{getTitle(pin)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {isOrdering && <OrderDialog list={list.pins} onClose={() => setOrdering(false)} />}
    </section>
  );
}

const isShown = ({ isAvailable, kind }: Pin): boolean =>
  isAvailable && (kind === 'album' || kind === 'tag');
const toPath = ({ kind, targetId }: Pin): string =>
  `/${kind === 'tag' ? 'tags' : 'albums'}/${targetId}`;
const getTitle = ({ title, isAvailable }: Pin): string =>
  isAvailable ? title || t('Untitled') : t('Not available now');

function PinCover({ pin: { coverAssetId, kind } }: { pin: Pin }) {
  if (kind === 'tag') return <Tag size={18} strokeWidth={1.75} aria-hidden />;
  return (
    <span className={styles.pinCover}>
      {coverAssetId && (
        <img
          src={getPictureUrl(coverAssetId, 'thumbnail')}
          alt=""
          loading="lazy"
          onError={(event) => (event.currentTarget.hidden = true)}
        />
      )}
    </span>
  );
}

function OrderDialog({ list, onClose }: { list: readonly Pin[]; onClose: () => void }) {
  return (
    <Dialog title={t('Pinned')} onClose={onClose}>
      {list.length === 0 && <p className="muted">{t('Nothing is pinned any more.')}</p>}
      <ul className="people">
        {list.map((pin, index) => (
          <li key={pin.id}>
            <PinCover pin={pin} />
            <span className="person-name">{getTitle(pin)}</span>
            <IconButton
              icon={ArrowUp}
              label={t('Move {pin} up', { pin: getTitle(pin) })}
              disabled={index === 0}
              onClick={() => void movePin(pin.id, -1)}
            />
            <IconButton
              icon={ArrowDown}
              label={t('Move {pin} down', { pin: getTitle(pin) })}
              disabled={index === list.length - 1}
              onClick={() => void movePin(pin.id, 1)}
            />
            <IconButton
              icon={PinOff}
              label={t('Unpin {pin}', { pin: getTitle(pin) })}
              onClick={() => void removePin(pin.id)}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

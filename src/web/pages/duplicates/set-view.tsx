import { Check, Layers2, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { formatDuration } from '../../base/format.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Asset } from '../../data/types.ts';
import { type Fact, compareFacts } from '../../parts/duplicates/facts.ts';
import styles from './duplicates.module.css';
import timelineStyles from '../../parts/grid/timeline.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  assets: readonly Asset[];
  keptIds: ReadonlySet<string>;
  toHref: (id: string) => string;
  /** Undefined: nothing is to be trashed. */
  onToggle?: ((id: string) => void) | undefined;
};

/** The copies side by side; where they differ is what one looks at. */
export function SetView({ assets, keptIds, toHref, onToggle }: Props) {
  const facts = compareFacts(assets);
  return (
    <ul className={styles.copies} aria-label={t('Copies')}>
      {assets.map((asset, at) => (
        <li
          key={asset.id}
          data-part="copy"
          className={keptIds.has(asset.id) ? `${styles.copy} ${styles.kept}` : styles.copy}
        >
          <Link
            href={toHref(asset.id)}
            data-part="copy-picture"
            className={styles.copyPicture}
            aria-label={t('Look at copy {at} in full', { at: at + 1 })}
          >
            <img src={getPictureUrl(asset.id, 'preview', asset.thumbhash)} alt="" loading="lazy" />
            {asset.type === 'VIDEO' && (
              <span className={`badge ${timelineStyles.badgeVideo}`}>
                {formatDuration(asset.duration ?? 0)}
              </span>
            )}
          </Link>
          {onToggle && (
            <Choice
              isKept={keptIds.has(asset.id)}
              at={at}
              name={asset.originalFileName}
              onToggle={() => onToggle(asset.id)}
            />
          )}
          <dl className={styles.copyFacts}>
            {facts.map((fact) => (
              <FactRow key={fact.name} fact={fact} at={at} />
            ))}
          </dl>
          {asset.stack && (
            <p className={styles.copyStack}>
              <Layers2 size={15} aria-hidden />{' '}
              {t('On top of a stack of {assetCount}; the others stay', {
                assetCount: asset.stack.assetCount,
              })}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

type ChoiceProps = { isKept: boolean; at: number; name: string; onToggle: () => void };

function Choice({ isKept, at, name, onToggle }: ChoiceProps) {
  return (
    <button
      data-part="copy-choice"
      className={styles.copyChoice}
      data-kept={isKept || undefined}
      aria-label={describeChoice(isKept, at + 1, name)}
      onClick={onToggle}
    >
      {isKept ? (
        <>
          <Check size={18} aria-hidden /> {t('Keep')}
        </>
      ) : (
        <>
          <Trash2 size={18} aria-hidden /> {t('Trash')}
        </>
      )}
      {at < 9 && <kbd aria-hidden data-key={at + 1} />}
    </button>
  );
}

const describeChoice = (isKept: boolean, at: number, originalFileName: string): string =>
  isKept
    ? t('Keep copy {at}, {originalFileName}', { at, originalFileName })
    : t('Trash copy {at}, {originalFileName}', { at, originalFileName });

/** Longer texts scroll in their box, also by keys. */
const LONG_CHARS = 100;

function FactRow({ fact, at }: { fact: Fact; at: number }) {
  const isLong = (fact.values[at] ?? '').length > LONG_CHARS;
  const kind = fact.best.has(at) ? 'best' : fact.isDifferent ? 'differs' : undefined;
  return (
    <div
      data-part="copy-fact"
      data-kind={kind}
      className={`${styles.copyFact} ${(kind && styles[kind]) ?? ''}`}
    >
      <dt>{fact.name}</dt>
      <dd tabIndex={isLong ? 0 : undefined}>
        {fact.values[at] || '–'}
        {fact.best.has(at) && <span className="hidden-title">{t(', the most')}</span>}
      </dd>
    </div>
  );
}

import { Link } from 'wouter';
import { t } from '../../base/i18n.ts';

/** The pages of what an account may not need. */
export const WhatCanGo = () => (
  <section className="card" aria-labelledby="what-can-go">
    <h2 id="what-can-go">{t('Free up space')}</h2>
    <div className="card-actions">
      {LINKS.map(({ href, label }) => (
        <Link key={href} className="button" href={href}>
          {label}
        </Link>
      ))}
    </div>
  </section>
);

const LINKS = [
  { href: '/large', label: t('Large files') },
  { href: '/raw-pairs', label: t('Raw photos with a picture') },
  { href: '/duplicates', label: t('Duplicates') },
  { href: '/trash', label: t('Trash') },
];

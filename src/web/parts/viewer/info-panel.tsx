import { Aperture, CalendarDays, Camera, FileImage, MapPin, Star, X } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { isGuest } from '../../base/api.ts';
import { AssetLabels } from './asset-labels.tsx';
import { AssetTags } from '../tags/asset-tags.tsx';
import { formatBytes, formatDay, formatExposure, formatTime } from '../../base/format.ts';
import { EditButtons } from '../metadata-edits/edit-buttons.tsx';
import { PhotoPets } from '../pets/photo-pets.tsx';
import { changeAsset } from '../../data/assets/asset-actions.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Asset, AssetChange, Exif } from '../../data/types.ts';
import { findFutureDate } from './future-date.ts';
import { PhotoPeople } from './photo-people.tsx';
import { PhotoPlace } from './photo-place.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { useTextDraft } from '../../ui/use-draft.ts';
import styles from '../../ui/info-panel.module.css';
import { t } from '../../base/i18n.ts';
import { useQuery } from '@tanstack/react-query';
import { damageQuery } from '../../data/viewer/queries.ts';
import { albumsWithQuery } from '../../data/albums/queries.ts';
import { AlbumLinks } from './album-links.tsx';
import infoPanelStyles from '../../ui/info-panel.module.css';

type Props = {
  asset: Asset | undefined;
  /** Only one's own photos can be changed. */
  isMine: boolean;
  onClose: () => void;
};

export function InfoPanel({ asset, isMine, onClose }: Props) {
  const change = async (next: AssetChange) => {
    if (!asset) return;
    await attempt(() => changeAsset(asset.id, next));
  };
  return (
    <aside data-part="info" className={styles.info} aria-label={t('Information')}>
      <header className={styles.infoHead}>
        <h2>{t('Information')}</h2>
        <IconButton icon={X} label={t('Close information')} onClick={onClose} />
      </header>
      {asset && (
        <>
          <Description key={asset.id} asset={asset} isMine={isMine} onSave={change} />
          <Rating asset={asset} isMine={isMine} onRate={(rating) => void change({ rating })} />
          <Facts asset={asset} isMine={isMine} />
          <PhotoPlace key={`${asset.id} place`} exif={asset.exifInfo} />
          {isMine && !isGuest() && !asset.isTrashed && <EditButtons asset={asset} />}
          {isMine && !isGuest() && <PhotoPeople key={`${asset.id} people`} asset={asset} />}
          {!isGuest() && <PhotoAlbums assetId={asset.id} />}
          {isMine && !isGuest() && <PhotoPets key={`${asset.id} pets`} asset={asset} />}
          {isMine && <AssetTags asset={asset} />}
          {isMine && !isGuest() && <AssetLabels key={`${asset.id} labels`} assetId={asset.id} />}
        </>
      )}
    </aside>
  );
}

type DescriptionProps = {
  asset: Asset;
  isMine: boolean;
  onSave: (change: AssetChange) => Promise<void>;
};

function Description({ asset, isMine, onSave }: DescriptionProps) {
  const saved = asset.exifInfo?.description ?? '';
  const [text, setText] = useTextDraft(saved);
  if (!isMine) return saved ? <p>{saved}</p> : null;
  const save = () => {
    if (text !== saved) void onSave({ description: text });
  };
  return (
    <textarea
      className={styles.infoField}
      aria-label={t('Description')}
      placeholder={t('Add a description')}
      rows={Math.min(8, Math.max(2, text.split('\n').length + 1))}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        if (event.key === 'Escape') {
          setText(saved);
          event.currentTarget.blur();
        }
      }}
    />
  );
}

type RatingProps = { asset: Asset; isMine: boolean; onRate: (rating: number | null) => void };

function Rating({ asset, isMine, onRate }: RatingProps) {
  // A rejected picture (-1) has no stars.
  const rating = Math.max(0, asset.exifInfo?.rating ?? 0);
  if (!isMine && rating === 0) return null;
  return (
    <div
      className={styles.rating}
      role="group"
      aria-label={t('Rating: {rating} of 5 stars', { rating })}
    >
      {[1, 2, 3, 4, 5].map((stars) => (
        <button
          key={stars}
          className={styles.star}
          disabled={!isMine}
          aria-pressed={stars <= rating}
          aria-label={stars === rating ? t('Remove the rating') : t('Rate {stars} of 5', { stars })}
          onClick={() => onRate(stars === rating ? null : stars)}
        >
          <Star size={20} aria-hidden fill={stars <= rating ? 'currentColor' : 'none'} />
        </button>
      ))}
    </div>
  );
}

function Facts({ asset, isMine }: { asset: Asset; isMine: boolean }) {
  const exif: Partial<Exif> = asset.exifInfo ?? {};
  const clock = new Date(asset.localDateTime);
  const camera = formatCamera(exif.make, exif.model);
  const place = [exif.city, exif.state, exif.country].filter(Boolean).join(', ');
  const exposure = formatExposure(exif);
  const future = findFutureDate(asset);
  const size = exif.fileSizeInByte ? formatBytes(exif.fileSizeInByte) : undefined;
  return (
    <dl className={styles.facts}>
      <Fact icon={CalendarDays} name={t('Taken')}>
        {formatDay(clock)}
        <small>{[formatTime(clock), formatZone(asset)].filter(Boolean).join(' · ')}</small>
        {future && (
          <small>
            {t('The file says {day}, which is in the future. Sorted by its upload.', {
              day: formatDay(future),
            })}
          </small>
        )}
      </Fact>
      <Fact icon={FileImage} name={t('File')}>
        <span className={styles.fileName}>{asset.originalFileName}</span>
        <small>{[formatPixels(asset), size].filter(Boolean).join(' · ')}</small>
        {isMine && <DamageNote asset={asset} />}
        {asset.isOffline && <small>{t('Offline: its file cannot be found where it was.')}</small>}
      </Fact>
      {(camera || exif.lensModel) && (
        <Fact icon={Camera} name={t('Camera')}>
          {camera ?? exif.lensModel}
          {camera && exif.lensModel && <small>{exif.lensModel}</small>}
        </Fact>
      )}
      {exposure && (
        <Fact icon={Aperture} name={t('Exposure')}>
          {exposure}
        </Fact>
      )}
      {place && (
        <Fact icon={MapPin} name={t('Place')}>
          {place}
        </Fact>
      )}
    </dl>
  );
}

function Fact({
  icon: Icon,
  name,
  children,
}: {
  icon: LucideIcon;
  name: string;
  children: ReactNode;
}) {
  return (
    <div className={styles.fact}>
      <dt>
        <Icon size={20} strokeWidth={1.5} aria-hidden />
        <span className="hidden-title">{name}</span>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** 'Apple iPhone 13 Pro', but not 'Canon Canon EOS R5'. */
function formatCamera(make: string | null | undefined, model: string | null | undefined) {
  if (!make || !model) return model ?? make ?? undefined;
  const brand = make.split(' ')[0] ?? make;
  return model.toLowerCase().startsWith(brand.toLowerCase()) ? model : `${make} ${model}`;
}

function formatPixels({ width, height }: Asset): string | undefined {
  if (!width || !height) return undefined;
  const mega = (width * height) / 1e6;
  return `${width} × ${height}${mega >= 1 ? ` (${mega.toFixed(mega < 10 ? 1 : 0)} MP)` : ''}`;
}

/** The zone's name if the file says one, and how far the clock was from UTC. */
function formatZone(asset: Asset): string | undefined {
  const minutes = Math.round(
    (Date.parse(asset.localDateTime) - Date.parse(asset.fileCreatedAt)) / 60_000,
  );
  const name = asset.exifInfo?.timeZone;
  if (!name) return undefined;
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  const offset = `UTC${minutes < 0 ? '−' : '+'}${hours}${rest ? `:${String(rest).padStart(2, '0')}` : ''}`;
  return /^(UTC|GMT)?[+-]?\d*(:\d\d)?$/.test(name) ? offset : `${offset} (${name})`;
}

/** Tells the owner that only a part of the file can be shown. */
function DamageNote({ asset }: { asset: Asset }) {
  const { data: isDamaged } = useQuery(damageQuery(asset));
  return isDamaged && <small>{t('Partly damaged: shown as far as it can be read.')}</small>;
}

/** The albums of the account that contain the photo. */
function PhotoAlbums({ assetId }: { assetId: string }) {
  const { data = [] } = useQuery(albumsWithQuery(assetId));
  if (data.length === 0) return null;
  return (
    <section className={infoPanelStyles.infoSection}>
      <header>
        <h3>{t('Albums')}</h3>
      </header>
      <AlbumLinks albums={data} assetId={assetId} />
    </section>
  );
}

/** The metadata of a photo or video in a sidecar; what is null is left out. */
export type SidecarValues = {
  /** The clock where it was taken, as 'YYYY-MM-DDTHH:MM:SS.mmm'. */
  readonly localTakenAt: string | null;
  /** Minutes east of Greenwich; null: the zone is unknown. */
  readonly offsetMinutes: number | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  /** Stars; -1: rejected. */
  readonly rating: number | null;
  readonly description: string;
  /** Paths, as 'Travel|Japan'. */
  readonly tags: readonly string[];
  readonly people: readonly string[];
};

/** As long as a sidecar may be. */
export const MAX_SIDECAR_BYTES = 10 * 1024 ** 2;

export const NO_VALUES: SidecarValues = {
  localTakenAt: null,
  offsetMinutes: null,
  latitude: null,
  longitude: null,
  city: null,
  state: null,
  country: null,
  rating: null,
  description: '',
  tags: [],
  people: [],
};

const NAMESPACES: Readonly<Record<string, string>> = {
  dc: 'http://purl.org/dc/elements/1.1/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
  lr: 'http://ns.adobe.com/lightroom/1.0/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
};

/** Returns an XMP packet (ISO 16684-1) with the properties that photo programs read from sidecars. */
export function formatXmp(values: SidecarValues): string {
  const { latitude, longitude, rating, description, tags, people } = values;
  const taken = formatTaken(values);
  const names = Object.entries(NAMESPACES).map(([name, uri]) => `xmlns:${name}="${uri}"`);
  const properties = [
    toElement('exif:DateTimeOriginal', taken),
    toElement('photoshop:DateCreated', taken),
    toElement('exif:GPSLatitude', latitude === null ? null : formatDegrees(latitude, 'N', 'S')),
    toElement('exif:GPSLongitude', longitude === null ? null : formatDegrees(longitude, 'E', 'W')),
    toElement('photoshop:City', values.city),
    toElement('photoshop:State', values.state),
    toElement('photoshop:Country', values.country),
    toElement('xmp:Rating', rating === null ? null : String(rating)),
    description && toContainer('dc:description', 'Alt', [description], ' xml:lang="x-default"'),
    toContainer('dc:subject', 'Bag', [
      ...new Set(tags.map((path) => path.slice(path.lastIndexOf('|') + 1))),
    ]),
    toContainer('lr:hierarchicalSubject', 'Bag', tags),
    toContainer('Iptc4xmpExt:PersonInImage', 'Bag', people),
  ];
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" ${names.join(' ')}>
${properties.filter(Boolean).join('\n')}
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>
`;
}

function formatTaken({ localTakenAt, offsetMinutes }: SidecarValues): string | null {
  if (localTakenAt === null || offsetMinutes === null) return localTakenAt;
  const [hours, minutes] = [Math.abs(offsetMinutes) / 60, Math.abs(offsetMinutes) % 60].map(
    (part) => String(Math.trunc(part)).padStart(2, '0'),
  );
  return `${localTakenAt}${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
}

/** Returns degrees and minutes as XMP has them: '38,43.200000N'. */
function formatDegrees(value: number, positive: string, negative: string): string {
  const absolute = Math.abs(value);
  const degrees = Math.trunc(absolute);
  return `${degrees},${((absolute - degrees) * 60).toFixed(6)}${value < 0 ? negative : positive}`;
}

const toElement = (name: string, text: string | null): string =>
  text === null ? '' : `<${name}>${escape(text)}</${name}>`;

function toContainer(
  name: string,
  kind: 'Alt' | 'Bag',
  texts: readonly string[],
  attributes = '',
): string {
  if (texts.length === 0) return '';
  const items = texts.map((text) => `<rdf:li${attributes}>${escape(text)}</rdf:li>`).join('');
  return `<${name}><rdf:${kind}>${items}</rdf:${kind}></${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** XML 1.0 has no control characters but tab and line feed. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- they are what must go
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/g, '')
    .replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');

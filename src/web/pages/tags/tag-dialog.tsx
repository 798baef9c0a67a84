import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import type { Tag } from '../../data/types.ts';
import { changeTag, createTag } from '../../data/tags/tag-data.ts';
import styles from '../../parts/tags/tags.module.css';
import { t } from '../../base/i18n.ts';

const COLORS = [
  [t('Red'), '#d64545'],
  [t('Orange'), '#e08a2c'],
  [t('Yellow'), '#d9b82c'],
  [t('Green'), '#4c9f6a'],
  [t('Blue'), '#4a7fd1'],
  [t('Violet'), '#8b62c9'],
  [t('Gray'), '#8a8580'],
] as const;

type Props = {
  /** The tag to change; undefined: a new one. */
  tag?: Tag | undefined;
  /** The parent of a new tag. */
  parent?: Tag | undefined;
  onClose: () => void;
};

export function TagDialog({ tag, parent, onClose }: Props) {
  const form = useForm(async (values) => {
    const name = values['name'] ?? '';
    const color = values['color'] || undefined;
    if (tag) await changeTag(tag.id, { ...(name !== tag.name && { name }), color: color ?? null });
    else {
      await createTag({ name, ...(color && { color }), ...(parent && { parentId: parent.id }) });
    }
    onClose();
  });
  const title = tag
    ? t('Edit “{name}”', { name: tag.name })
    : parent
      ? t('New tag below “{name}”', { name: parent.name })
      : t('New tag');
  const isOther = tag?.color && !COLORS.some(([, color]) => color === tag.color);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form state={form} action={tag ? t('Save') : t('Create')}>
        <Field
          label={t('Name')}
          name="name"
          required
          autoFocus
          maxLength={255}
          defaultValue={tag?.name}
          error={form.fields['name']}
        />
        <fieldset className={styles.swatches}>
          <legend>{t('Color')}</legend>
          <Swatch name={t('None')} color="" isOn={!tag?.color} />
          {COLORS.map(([name, color]) => (
            <Swatch key={color} name={name} color={color} isOn={tag?.color === color} />
          ))}
          {isOther && <Swatch name={t('As now')} color={tag.color ?? ''} isOn />}
        </fieldset>
      </Form>
    </Dialog>
  );
}

type SwatchProps = { name: string; color: string; isOn: boolean };

const Swatch = ({ name, color, isOn }: SwatchProps) => (
  <label className={styles.swatch} title={name}>
    <input type="radio" name="color" value={color} defaultChecked={isOn} aria-label={name} />
    <span style={color ? { backgroundColor: color } : undefined} />
  </label>
);

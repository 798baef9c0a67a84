import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import type { Tag } from '../types.ts';
import { changeTag, createTag } from './tag-data.ts';
import styles from './tags.module.css';

const COLORS = [
  ['Red', '#d64545'],
  ['Orange', '#e08a2c'],
  ['Yellow', '#d9b82c'],
  ['Green', '#4c9f6a'],
  ['Blue', '#4a7fd1'],
  ['Violet', '#8b62c9'],
  ['Grey', '#8a8580'],
] as const;

type Props = {
  /** The one to change; undefined: a new one. */
  tag?: Tag | undefined;
  /** The parent of a new tag. */
  parent?: Tag | undefined;
  onClose: () => void;
};

export function TagDialog({ tag, parent, onClose }: Props) {
  const form = useForm(async (values) => {
    const name = values['name'] ?? '';
    const color = values['color'] || undefined;
    if (tag) await changeTag(tag.id, { name, color: color ?? null });
    else {
      await createTag({ name, ...(color && { color }), ...(parent && { parentId: parent.id }) });
    }
    onClose();
  });
  const title = tag ? `Edit “${tag.name}”` : parent ? `New tag below “${parent.name}”` : 'New tag';
  const isOther = tag?.color && !COLORS.some(([, color]) => color === tag.color);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form state={form} action={tag ? 'Save' : 'Create'}>
        <Field
          label="Name"
          name="name"
          required
          autoFocus
          maxLength={255}
          defaultValue={tag?.name}
          error={form.fields['name']}
        />
        <fieldset className={styles.swatches}>
          <legend>Colour</legend>
          <Swatch name="None" color="" isOn={!tag?.color} />
          {COLORS.map(([name, color]) => (
            <Swatch key={color} name={name} color={color} isOn={tag?.color === color} />
          ))}
          {isOther && <Swatch name="As now" color={tag.color ?? ''} isOn />}
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

import type { Page } from 'playwright-core';

/** Returns texts with insufficient contrast (WCAG 2.2, 1.4.3) and their ratio; skips pictures. */
export const faintTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    type Color = readonly [number, number, number, number];
    const parseColor = (css: string): Color => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = css;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data] as unknown as Color;
    };
    const over = (top: Color, ground: Color): Color => {
      const part = top[3] / 255;
      const mix = (at: 0 | 1 | 2) => top[at] * part + ground[at] * (1 - part);
      return [mix(0), mix(1), mix(2), 255];
    };
    /** Undefined over a picture or a gradient. */
    const findBackground = (element: Element): Color | undefined => {
      const layers: Color[] = [];
      for (let at: Element | null = element; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.backgroundImage !== 'none') return undefined;
        layers.push(parseColor(style.backgroundColor));
        if (layers.at(-1)![3] === 255) break;
      }
      return layers
        .toReversed()
        .reduce((ground, layer) => over(layer, ground), [255, 255, 255, 255]);
    };
    const computeLuminance = (color: Color): number => {
      const [red, green, blue] = color.slice(0, 3).map((value) => {
        const part = value / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      }) as [number, number, number];
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const faint = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement!;
      const text = texts.currentNode.textContent!.trim();
      const isSeen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      if (!text || !isSeen || element.closest('.hidden-title, .skip, [data-part=tile], :disabled'))
        continue;
      const ground = findBackground(element);
      if (!ground) continue;
      const style = getComputedStyle(element);
      const [a, b] = [
        computeLuminance(over(parseColor(style.color), ground)),
        computeLuminance(ground),
      ];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const size = parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (isLarge ? 3 : 4.5)) faint.add(`${text.slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
    return [...faint];
  });

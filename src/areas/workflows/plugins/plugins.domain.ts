import { badRequest } from '../../../core/errors.ts';
import { methods, toMethodKey } from '../methods/catalogue.ts';
import { CORE_PLUGIN, type Method, OWN_PLUGIN, toPluginSchema } from '../methods/define.ts';
import { templates } from '../methods/templates.ts';
import type {
  Plugin,
  PluginMethod,
  PluginMethodSearch,
  PluginSearch,
  PluginTemplate,
} from './plugins.schemas.ts';

// Methods are part of the program; clients of Immich know them as those of plugins.

const RELEASED = '2026-11-01T00:00:00.000Z';

const toPluginMethod = (method: Method): PluginMethod => ({
  key: toMethodKey(method),
  name: method.name,
  title: method.title,
  description: method.description,
  types: ['AssetV1'],
  hostFunctions: false,
  schema: toPluginSchema(method.config),
  uiHints: method.kind === 'filter' ? ['Filter'] : [],
});

const describePlugin = (
  about: Omit<Plugin, 'author' | 'createdAt' | 'updatedAt' | 'methods'>,
): Plugin => ({
  ...about,
  author: 'Safelight',
  createdAt: RELEASED,
  updatedAt: RELEASED,
  methods: methods.filter(({ plugin }) => plugin === about.name).map(toPluginMethod),
});

const plugins: readonly Plugin[] = [
  describePlugin({
    id: '1a3c2d5e-6f70-4b81-9c92-a3b4c5d6e7f8',
    name: CORE_PLUGIN,
    title: 'Immich Core Plugin',
    description: 'Core workflow capabilities for Immich',
    version: '2.0.1',
  }),
  describePlugin({
    id: '2b4d3e6f-7081-4c92-8da3-b4c5d6e7f809',
    name: OWN_PLUGIN,
    title: 'Safelight',
    description: 'More filters and actions',
    version: '1.0.0',
  }),
];

const equals = <T>(wanted: T | undefined, value: T): boolean =>
  wanted === undefined || wanted === value;

export const listPlugins = (search: PluginSearch): Plugin[] =>
  plugins.filter(
    (plugin) =>
      search.enabled !== false &&
      (['id', 'name', 'title', 'description', 'version'] as const).every((member) =>
        equals(search[member], plugin[member]),
      ),
  );

/** Throws 400 for an unknown plugin. */
export function getPlugin(id: string): Plugin {
  const plugin = plugins.find((one) => one.id === id.toLowerCase());
  if (!plugin) throw badRequest('Plugin not found');
  return plugin;
}

/** Every method fits every trigger: all of them concern an asset. */
export const listMethods = (search: PluginMethodSearch): PluginMethod[] =>
  plugins
    .filter(
      ({ name, version }) =>
        equals(search.pluginName, name) && equals(search.pluginVersion, version),
    )
    .flatMap((plugin) => plugin.methods)
    .filter(
      (method) =>
        search.enabled !== false &&
        search.id === undefined &&
        (['name', 'title', 'description'] as const).every((member) =>
          equals(search[member], method[member]),
        ),
    );

export const listTemplates = (): PluginTemplate[] =>
  templates.map(({ plugin, name, title, description, trigger, steps }) => ({
    key: `${plugin}#${name}`,
    title,
    description,
    trigger,
    steps: steps.map(({ method, config }) => ({ method, config: config && { ...config } })),
    uiHints: steps.some(({ method }) => method.endsWith('#assetAddToAlbums')) ? ['SmartAlbum'] : [],
  }));

// The native files of this target. Listed by hand: the bundler embeds what it sees imported.
import vips from '../node_modules/@img/sharp-libvips-linux-x64/lib/libvips-cpp.so.8.18.7' with { type: 'file' };
import sharp from '../node_modules/@img/sharp-linux-x64/lib/sharp-linux-x64-0.35.5.node' with { type: 'file' };
import wrtc from '../node_modules/@roamhq/wrtc-linux-x64/wrtc.node' with { type: 'file' };
import onnxRuntime from '../node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1' with { type: 'file' };
import onnxBinding from '../node_modules/onnxruntime-node/bin/napi-v6/linux/x64/onnxruntime_binding.node' with { type: 'file' };
import launch from './launch.linux-x64' with { type: 'file' };
import vectors from './vectors.linux-x64.so' with { type: 'file' };
import type { NativeFiles } from './load.ts';

/** Libraries come before the addon that needs them, in the layout that its RPATH names. */
export const nativeFiles: NativeFiles = {
  sharp: [
    { name: '@img/sharp-libvips-linux-x64/lib/libvips-cpp.so.8.18.7', embedded: vips },
    { name: '@img/sharp-linux-x64/lib/sharp.node', embedded: sharp },
  ],
  'onnxruntime-node': [
    { name: 'onnxruntime/libonnxruntime.so.1', embedded: onnxRuntime },
    { name: 'onnxruntime/onnxruntime_binding.node', embedded: onnxBinding },
  ],
  '@roamhq/wrtc': [{ name: 'wrtc/wrtc.node', embedded: wrtc }],
  launch: [{ name: 'launch/launch', embedded: launch, isProgram: true }],
  vectors: [{ name: 'vectors/vectors.so', embedded: vectors }],
};

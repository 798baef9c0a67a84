// The player of video streams, which few videos need.

export { default as Hls } from 'hls.js/light';

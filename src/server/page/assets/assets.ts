/**
 * The style sheet and the script as they are served: under a name that changes with what is in them, so that a browser may keep them for
 * good.
 */
import { pageScript } from '../../../browser/page-script.js';
import { digest } from '../../../core/ids.js';
import { chartStyle } from '../../charts/line-chart.js';
import { style } from './style.js';

interface Asset {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

const named = (kind: string, type: string, text: string): Asset => ({
  name: `inbox-${digest(text).slice(0, 12)}.${kind}`,
  type: `${type}; charset=utf-8`,
  text,
});

export const assets = {
  style: named('css', 'text/css', `${style}${chartStyle}`),
  script: named('js', 'text/javascript', pageScript),
};

/** The asset of this name, or undefined. */
export function assetResponse(name: string): Response | undefined {
  const asset = Object.values(assets).find((each) => each.name === name);
  if (asset === undefined) return undefined;
  return new Response(asset.text, {
    headers: {
      'content-type': asset.type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    },
  });
}

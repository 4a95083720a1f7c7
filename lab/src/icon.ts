// The mark of the side panel: a pulse. Its colour comes from the theme, see style/base.css.

import { LabIcon } from '@jupyterlab/ui-components';

export const holdfastIcon = new LabIcon({
  name: 'holdfast:pulse',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <path class="jp-Holdfast-pulse" fill="none" stroke="#616161" stroke-width="1.6"
    stroke-linecap="round" stroke-linejoin="round"
    d="M1.5 9.5h2.6l1.7-5 2.8 8 1.9-5 .9 2h3.1"/>
</svg>`
});

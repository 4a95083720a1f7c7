// The lines of code that hold or gather memory, the fastest growing first.

import React from 'react';

import { human, place } from './format';
import { MemorySite } from './protocol';

/** By growth if steps are known, else by what is held. */
export function byGrowth(sites: readonly MemorySite[]): MemorySite[] {
  const key = (site: MemorySite): [number, number] => [
    site.growth_per_step_bytes ?? 0,
    site.live_bytes ?? 0
  ];
  return [...sites].sort((a, b) => {
    const [growthA, liveA] = key(a);
    const [growthB, liveB] = key(b);
    return growthB - growthA || liveB - liveA;
  });
}

export function SitesTable(props: {
  sites: readonly MemorySite[];
  most: number;
}): React.ReactElement | null {
  const sites = byGrowth(props.sites).slice(0, props.most);
  if (sites.length === 0) {
    return null;
  }
  const grows = sites.some(site => site.growth_per_step_bytes);
  return (
    <table className="jp-Holdfast-sites">
      <thead>
        <tr>
          <th scope="col">line</th>
          {grows && <th scope="col">per step</th>}
          <th scope="col">holds</th>
        </tr>
      </thead>
      <tbody>
        {sites.map(site => (
          <tr key={`${site.file}:${site.line}`}>
            <td title={site.file}>
              <code>{place(site.file, site.line)}</code>
            </td>
            {grows && (
              <td>
                {site.growth_per_step_bytes ? `+${human(site.growth_per_step_bytes)}` : ''}
              </td>
            )}
            <td>{site.live_bytes === null ? '' : human(site.live_bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

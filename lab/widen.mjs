// In the bundle's package.json: any JupyterLab 4, where ours names the very versions we build with.
// JupyterLab compares these with its own, and calls an extension incompatible that asks for others.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../python/holdfast/labextension/package.json', import.meta.url);
const bundle = JSON.parse(readFileSync(file, 'utf8'));
for (const [name, version] of Object.entries(bundle.dependencies)) {
  bundle.dependencies[name] = `^${version.replace(/^\D*/, '').split('.')[0]}.0.0`;
}
delete bundle.overrides;
writeFileSync(file, `${JSON.stringify(bundle, null, 2)}\n`);

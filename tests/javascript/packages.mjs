// The packages that site_src/package.json pins, for scripts that lie elsewhere.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../site_src/package.json", import.meta.url));

/** Import a package by its name. */
export const packaged = (name) => import(pathToFileURL(require.resolve(name)));

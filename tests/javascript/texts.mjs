// The fixed texts of all pages, for scripts that are tested without a page.
import { python } from "./python.mjs";

const PROGRAM = `
import json
from site_src.generator.texts import TEXTS
print(json.dumps({f"{group}.{name}": text for group, known in TEXTS.items() for name, text in known.items()}))
`;
const island = { textContent: JSON.stringify(python(PROGRAM)) };

/** As much of a document as the texts need. */
export const textsDocument = { querySelectorAll: () => [island] };
globalThis.document ??= textsDocument;

// What every script of the site, and every one that tests it, is held to beside its types.
// Paths are from the repository's root, where `make lint` runs.
import js from "@eslint/js";
import globals from "globals";

const HTML = "Names from results are data: make elements of them instead (base/elements.js).";
const rules = {
  "array-callback-return": "error",
  curly: ["error", "multi-line"],
  "default-case-last": "error",
  eqeqeq: "error",
  "no-control-regex": "off",
  "no-else-return": "error",
  "no-eval": "error",
  "no-implicit-coercion": ["error", { boolean: false }],
  "no-new-func": "error",
  "no-param-reassign": "error",
  "no-restricted-properties": [
    "error",
    ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property, message: HTML })),
  ],
  "no-self-compare": "error",
  "no-throw-literal": "error",
  "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
  "no-unused-vars": ["error", { ignoreRestSiblings: true }],
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-arrow-callback": "error",
  "prefer-const": "error",
  "prefer-template": "error",
};

export default [
  js.configs.recommended,
  { rules },
  {
    files: ["site_src/assets/**", "site_src/local/**", "site_src/single/**"],
    languageOptions: { globals: { ...globals.browser, hireScorer: "readonly" } },
    rules: { "no-console": "error" },
  },
  // Loaded without being modules, before the page has been read.
  {
    files: ["site_src/assets/base/early.js", "site_src/assets/scorer/start.js"],
    languageOptions: { sourceType: "script" },
  },
  {
    files: ["tests/**", "evaluator/**", "site_src/generator/**", "site_src/*.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
];

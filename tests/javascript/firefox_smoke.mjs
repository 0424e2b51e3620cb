// What a visitor does first, done in Firefox: node firefox_smoke.mjs FIREFOX SITE FILE
// Prints a line for each step that went well; ends with 1 and the reason at the first that did not.
import assert from "node:assert/strict";
import { packaged } from "./packages.mjs";

const { default: puppeteer } = await packaged("puppeteer-core");
const [executablePath, site, file] = process.argv.slice(2);
const PATIENCE = 60_000;

// Asked in the page.
const state = () => document.getElementById("scorer-state").textContent === "on";
const models = () => [...document.querySelectorAll("#rows tr[data-model]")].map((row) => row.dataset.model);
const first = (expected) => document.querySelector("#rows tr[data-model]").dataset.model === expected;

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath,
  headless: true,
  timeout: PATIENCE,
  defaultViewport: { width: 1440, height: 900 },
});
const complaints = [];
try {
  const page = await opened();
  await step("the scorer is ready", () => ready(page));
  await step("rows follow a weight", () => reweigh(page));
  await step("the view is in the address", () => linked(page));
  await step("the back button takes a weight back", () => back(page));
  await step("the theme changes", () => theme(page));
  await step("the method is explained", () => method(page));
  await step("what is hard ranks the models", () => hard(page));
  await step("a board in one file ranks anew from disk", () => single(page));
} catch (error) {
  console.error([error.message, ...complaints].join("\n"));
  process.exitCode = 1;
} finally {
  await browser.close();
}

async function step(name, action) {
  await action();
  assert.deepEqual(complaints, [], "complaints in the console");
  console.log(name);
}

async function opened() {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${site}sentiment/`);
  return page;
}

async function ready(page) {
  await page.waitForFunction(state);
  assert.equal((await page.evaluate(models))[0], "deberta");
}

async function reweigh(page) {
  const before = await page.evaluate(models);
  await type(page, "#metric-perf", "0");
  await page.waitForFunction(first, {}, "majority");
  assert.deepEqual((await page.evaluate(models)).sort(), before.sort());
}

/** Type a number over the one in a box and leave it, as a person does. */
async function type(page, selector, text) {
  await page.click(selector, { count: 3 });
  await page.keyboard.type(text);
  await page.keyboard.press("Tab");
}

async function linked(page) {
  await page.waitForFunction(() => location.hash.startsWith("#v1;m=perf:0,"));
  await page.reload();
  await page.waitForFunction(state);
  await page.waitForFunction(first, {}, "majority");
}

async function back(page) {
  await page.evaluate(() => history.back());
  await page.waitForFunction(first, {}, "deberta");
}

async function theme(page) {
  const shade = () => getComputedStyle(document.documentElement).backgroundColor;
  const seen = new Set();
  for (let press = 0; press < 3; press += 1) {
    seen.add(await page.evaluate(shade));
    await page.click("#theme-toggle");
  }
  assert.equal(seen.size, 2, `backgrounds: ${[...seen].join(", ")}`);
}

async function method(page) {
  await page.goto(`${site}method/`);
  assert.match(await page.$eval("main", (main) => main.textContent), /exchange rate/i);
}

/** Another difficulty, chosen by its name: a new ranking with its intervals, and drawings. */
async function hard(page) {
  await page.goto(`${site}rounds/difficulty/round-2/`);
  await page.waitForFunction(state);
  await page.select("#metric", "wmprob");
  await page.waitForSelector("#sentences[aria-busy=false]");
  assert.equal(await page.$eval("#metric-name", (name) => name.textContent), "Own confidence (WMProb)");
  assert.equal(await page.evaluate(() => location.hash), "#v1;m=wmprob");
  for (const chart of ["#beeswarm", "#lines"]) {
    await page.$eval(chart, (section) => section.scrollIntoView());
    await page.waitForSelector(`${chart} svg`);
  }
}

/** The same board as the first, opened as a file. */
async function single(page) {
  await page.goto(file);
  await ready(page);
  await reweigh(page);
}

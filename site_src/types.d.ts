// What the scripts of the site pass between them: data that pages contain, views, questions, answers.
// Types that belong to one module are in it; these are shared by several. The file is long because it has all of them.
import type { Certainty } from "./assets/scorer/certainty.js";
import type { Ranking } from "./assets/scorer/ranking.js";
import type { Scorer } from "./assets/scorer/scorer.js";
import type { Words } from "./assets/scorer/words.js";
import type { Shown } from "./assets/view/shown.js";
import type { View } from "./assets/view/view.js";

/** A metric of a board, as `generator/pages/board.py` writes it; only what scripts read of it. */
export interface MetricData {
  name: string;
  label: string;
  unit: string;
  decimals: number;
  colour: number;
  amounts: string;
  one: string;
  cost: boolean;
  /** Models that answer the same to everything, of which the values say nothing. */
  one_answer?: number[];
}

export type Provenance = "measured" | "predictions" | "reported";

/** A model of a board; what is not known of it is left out. */
export interface ModelData {
  id: string;
  label: string;
  provenance: Provenance;
  tags?: string[];
  parameters?: number;
  licence?: string;
  released?: string;
  effort?: string;
  /** The most tokens that it may think in, and those that it takes in at once. */
  budget?: number;
  context?: number;
}

/** What one unit of the base metric is worth, by metric: a number of the metric's unit, or a text such as "10 %". Metrics
 * without one do not count. */
export type Trades = Record<string, number | string>;

/** The prices of a million tokens of a model: of those that are sent, of these where they were kept from before, and of
 * those that are written; null: as on the day. */
export type Prices = [sent: number | null, kept: number | null, written: number | null];

/** What visitors may price again, see `PriceView` of generator/prices.py. `day` has prices by model, null where they are
 * not known; `tokens` means by dataset and kind; `file`, beside the board's page, says how these vary. */
export interface BoardPrices {
  metric: string;
  currency: string;
  day: Record<string, number[] | null>;
  tokens: Record<string, Record<string, (number | null)[]>>;
  file: string;
}

/** What the board's exchange rate makes of a trade-off, to two digits, in the metric's unit and in per cent of the median
 * model's value; null where there is none. `percent_first` says which of them is offered. */
export interface TradeOffer {
  units: number | null;
  percent: number | null;
  percent_first: boolean;
}

/** Weights, each a number from 0 to 1000, by the name of a metric or a dataset. */
export type Weights = Record<string, number>;

export interface WeightGroups {
  metrics: Weights;
  datasets: Weights;
}

export interface PresetData {
  name: string;
  label: string;
  weights: Weights;
}

/** The island `board-data` of a page. `datasets` are labels by id; `updated` is null where there are no results. */
export interface BoardData {
  id: string;
  title: string;
  base: string;
  epsilon: number;
  epsilon_kind: ThresholdKind;
  rate: Estimator;
  by?: RankedBy;
  /** The board's own trade-offs; left out where it declares none. */
  trades?: Trades;
  /** What its exchange rates make of trade-offs at first, by metric. */
  offers?: Record<string, TradeOffer>;
  metrics: MetricData[];
  datasets: Record<string, string>;
  /** Labels of the datasets that parts are of, by part; left out where all are whole. */
  parts_of?: Record<string, string>;
  models: ModelData[];
  /** Left out where nothing is known of tokens, or no cost is shown. */
  prices?: BoardPrices;
  weights: WeightGroups;
  presets: PresetData[];
  updated: string | null;
  axes: string[];
  /** Corners of the map of weights, and of how many metrics all ranked models have a value. */
  corners: string[];
  whole: number;
  front: number[];
  coverage?: CoverageWords;
}

/** What is said of the datasets that models have, see `coverage_words` of evaluator/rank/page_words.py. */
export interface CoverageWords {
  line: string;
  views: { label: string; weights: Weights }[];
}

/** What a saved picture of a chart says beside the chart: over it a heading and further lines, under it which colour
 * stands for what, and last where it is from. `marks` are what the page shows over the chart, in its own units. */
export interface PictureWords {
  title: string;
  lines: string[];
  legend: { colour: string; hatched: boolean; text: string }[];
  marks: { x: number; y: number }[];
  foot: string[];
}

/** The island `board-urls`: addresses from the page. `modules` are what Python loads, out of a `bundle` if there is
 * one; `library` is Python's whole standard library. */
export interface ScorerUrls {
  runtime: string;
  scorer: string;
  /** The folder in that of `runtime` with a Python for ranking alone. */
  lean?: string;
  modules?: string[];
  bundle?: string;
  library?: string;
  /** Bytes of Python as hosts send it, and of those of its files that come last as they are. */
  size?: number;
  bytes?: number;
  /** The page of the board that is shown, where it has one; and whether this one shows it as it once was. */
  home?: string;
  frozen?: boolean;
}

/** A model that a visitor may ask: what opens it, and its `files` in a `folder` of the site. */
export interface TriedModel {
  id: string;
  label: string;
  adapter: string;
  options: object;
  labels: string[];
  folder: string;
  files: string[];
  size: number;
}

/** What runs networks and their tokenisers, as addresses; `size` is of all files, in bytes. */
export interface NetworkFiles {
  script: string;
  wasm: string;
  tokenizers: string;
  size: number;
}

/** How a network is asked: the `fields` of an example that it reads, the label of each of its outputs, the `most`
 * tokens, and what each of its inputs takes of a text. */
export interface NetworkOptions {
  fields: string[];
  classes: string[];
  most: number;
  inputs: { name: string; of: "ids" | "type_ids" | "attention_mask"; type: "int64" | "int32" }[];
}

/** A list that Python reads: its path in `evaluator`, its address, and its size in bytes. */
export interface ListFile {
  path: string;
  address: string;
  size: number;
}

/** The island `try-data`; `size` is what Python takes, in bytes; `networks` and `misspellings` are null where the site has none. */
export interface TryData {
  task: string;
  fields: string[];
  networks: NetworkFiles | null;
  misspellings: ListFile | null;
  size: number;
  models: TriedModel[];
}

/** What a model is asked: a text by field. */
export type TriedExample = Record<string, string>;

/** What a model answered, a label or a text, or why it did not. */
export type TriedAnswer =
  | {
      answer: string;
      confidence: number | null;
      probabilities: Record<string, number> | null;
      ms: number;
      error?: undefined;
    }
  | { error: string };

/** A text under the transformations of the suites that a page has, and why some of them give none. */
export interface TriedVariants {
  variants: { suite: string; name: string; example: TriedExample }[];
  others: { suite: string; name: string; why: string }[];
}

/** What a model answered to a variant of a suite. */
export interface VariantAnswer {
  suite: string;
  name: string;
  answer: TriedAnswer;
}

/** A piece of a text, and whether it is another one than before. */
export interface TextPiece {
  text: string;
  kind: "same" | "gone" | "come";
}

export type ThresholdKind = "relative" | "absolute";

export interface Threshold {
  kind: ThresholdKind;
  epsilon: number;
}

/** What a score's bars show: whole contributions, or differences from a model. */
export type BarsTerm =
  { kind: "median" | "leader" | "whole"; model?: undefined } | { kind: "model"; model: string };

/** A column of the table, a metric's name or one of `OWN_COLUMNS`; up is smallest first. */
export interface SortTerm {
  column: string;
  direction: "up" | "down";
}

export type FilterKind = "tag" | "licence" | "provenance" | "size" | "effort" | "budget" | "context";

export interface FilterTerm {
  kind: FilterKind;
  value: string;
}

export type Bound = "least" | "most";

/** A hard limit on a metric, in its own unit. */
export interface LimitTerm {
  metric: string;
  bound: Bound;
  value: number;
}

/** Among whom models are ranked: all of the board, or only those that limits and filters leave. */
export type Among = "all" | "left";

/** How an exchange rate follows from its pairs of models. */
export type Estimator = "mean" | "ratio";

export type RankedBy = "dynascore" | "mean" | "z_score" | "trades";

export type ChartName = "scatter" | "parallel" | "triangle" | "slope";

/** What a visitor looks at on a board, and by which weights. The names are those of the board. */
export interface BoardView {
  metrics: Weights;
  datasets: Weights;
  base: string;
  threshold: Threshold;
  rate: Estimator;
  by: RankedBy;
  trades: Trades;
  /** Those that are other than the day's, by model. */
  prices: Record<string, Prices>;
  lockedMetrics: string[];
  lockedDatasets: string[];
  why: string;
  bars: BarsTerm;
  sort: SortTerm;
  hidden: string[];
  pinned: string[];
  search: string;
  filters: FilterTerm[];
  limits: LimitTerm[];
  among: Among;
  chosen: string[];
  chart: ChartName;
  axes: string[];
  corners: string[];
}

/** What the parts of a board's page use of it. `ranking` is the newest one, at first the default ranking that
 * the page came with; `ranked` is the view that it answers, which `view.now` may be ahead of. */
export interface BoardHost {
  readonly data: BoardData;
  readonly urls: ScorerUrls;
  readonly first: Ranking;
  readonly ranking: Ranking;
  readonly ranked: BoardView;
  readonly certainty: Certainty;
  /** The question that `ranking` answers. */
  readonly question: RankQuestion;
  /** Whether the scorer is ready for questions. */
  readonly ready: boolean;
  readonly view: View<BoardView>;
  readonly scorer: Scorer;
  readonly words: Words;
  readonly shown: Shown;
  /** Say what is wrong with an address, or with what somebody wants. */
  showNotice(text: string): void;
  /** What the board's exchange rates make of trade-offs at this base metric, by metric. */
  offers: Record<string, TradeOffer>;
}

/** The same of any page with a board's ranking. */
export type RankedHost = Omit<BoardHost, "urls" | "first" | "shown" | "offers">;

/** The island `board-cells`: the values of every model by dataset and metric; null where one is missing. */
export interface CellsData {
  values: Record<string, Record<string, (number | null)[]>>;
}

/** A dataset on the compare page; `examples` is the file of its examples, where these are published. `values` says
 * how numbers in place of answers are shown. */
export interface CompareDataset {
  values?: {
    metric: Pick<MetricData, "name" | "label" | "unit" | "decimals">;
    right: number | null;
    wrong: number | null;
  };
  id: string;
  label: string;
  ranks: boolean;
  examples?: string;
  ids?: string;
}

/** The island `compare-data`. `shown` are cells of datasets that are not ranked by, `details` are files by model. */
export interface CompareData {
  columns: { colour: number; unit: string }[];
  datasets: CompareDataset[];
  shown: CellsData["values"];
  details: Record<string, string>;
}

/** The island `compare-urls`, and `difficulty-urls` too: the board's address and that of its predictions. */
export interface BoardUrls {
  board: string;
  predictions: string;
}

/** A model's scores by dataset, tag and value, each with its number of examples; and its files by dataset. */
export interface ModelDetails {
  tags: Record<string, Record<string, Record<string, [number, Record<string, number | null>]>>>;
  predictions: Record<string, string>;
}

/** What the parts of the compare page use of it. */
export interface CompareHost extends Pick<
  BoardHost,
  | "data"
  | "ranking"
  | "ranked"
  | "question"
  | "ready"
  | "view"
  | "scorer"
  | "words"
  | "certainty"
  | "showNotice"
> {
  readonly own: CompareData;
  readonly addresses: BoardUrls;
  readonly values: CellsData["values"];
  readonly chosen: string[];
  at(model: string): number;
  label(model: string): string;
  short(model: string): string;
  link(model: string): string;
  choose(models: string[]): void;
}

/** A part of a board's page, shown anew when something that it may depend on has changed: fields of the view,
 * "ranking", "sets" or "ready". */
export interface Part {
  show(ranking: Ranking, view: BoardView, changed: Set<string>): void;
}

/** What Python is asked to rank by; see `Question` in evaluator/rank/dynascore.py. */
export interface RankQuestion extends WeightGroups {
  base: string;
  epsilon: number;
  epsilon_kind: ThresholdKind;
  rate: Estimator;
  by: RankedBy;
  trades?: Trades;
  among?: string[] | null;
  limits?: Record<string, [least: number | null, most: number | null]>;
}

/** An exchange rate as Python writes it; see `ExchangeRate` in evaluator/rank/dynascore.py. */
export interface RateData {
  rate: number | null;
  pairs: number;
  skipped: number;
  largest_share: number | null;
  largest_pair: [string, string] | null;
  note: string | null;
}

/** The island `board-ranking`: the default ranking, in the order of the board's models. */
export interface RankingData {
  by?: RankedBy;
  order: number[];
  ranks: (number | null)[];
  scores: (number | null)[];
  z_scores: (number | null)[] | null;
  contributions: (number | null)[][];
  values: (number | null)[][];
  rates: Record<string, RateData>;
  notes: string[];
  idle: Idle;
  /** What is otherwise at the board's presets, by their names. */
  presets?: Record<string, Partial<RankingData>>;
}

/** The metrics and datasets that no model has a number for, see `Board.idle` in evaluator/rank/dynascore.py. */
export type Idle = Record<"metrics" | "datasets", string[]>;

/** How sure the ranks are, see `Sweep.answer` in evaluator/rank/rank_answers.py. `sets` are [best, worst] by model, null
 * where unknown, undefined where nobody has asked; `within` the same with exchange rates that are off, null where these
 * decide nothing; `given` says by model which numbers its set takes as exact; `gap` is the smallest difference that can
 * be told. */
export interface RankSetsData {
  sets: ([number, number] | null | undefined)[];
  within: RankSetsData["sets"] | null;
  given: Record<number, string>;
  gap: number | null;
  words: string;
  elsewhere?: ElsewhereData | null;
}

/** The ranks that models may get on another dataset, with which probability, and what that means. */
export interface ElsewhereData {
  sets: ([number, number] | null)[];
  label: string;
  words: string;
}

/** The island `board-certainty`: the sets at the default weights, and the address of the file that the others
 * follow from, null where there is none. */
export interface CertaintyData extends RankSetsData {
  file: string | null;
  leader?: LeaderData | null;
}

/** What `FirstPlace` of evaluator/rank/what_if.py says of the model that leads; for Python only. */
export type LeaderData = Record<string, unknown>;

/** What `Leaving` of evaluator/rank/what_if.py says, by the index of the model that leaves: which others change place,
 * from where to where. */
export type LeavingData = Record<string, [model: number, before: number, after: number][]>;

/** A worker with the scorer in it. `failed` resolves with why it was lost, empty where nobody says; it is pending as long as it works. */
export interface HiredWorker extends Worker {
  failed: Promise<string>;
}

/** Addresses of what the worker loads, absolute once they reach it; `pyodide` is Python's loader where it is there already. */
export type WorkerFiles = ScorerUrls & {
  pyodide?: import("./assets/scorer/scorer-worker.js").Pyodide;
  /** Whether the files were kept at an earlier visit: what comes at once is not counted. */
  kept?: boolean;
  /** Python's memory at an earlier visit, once it had imported what ranks. */
  memory?: ArrayBuffer;
};

/** What the worker does, by the kind of a message: the message's details, and what it answers. */
export interface WorkerActions {
  /** Wait until Python is there. */
  ready: { details: object; result: void };
  /** Keep Python's memory for the next visit. */
  keep: { details: object; result: void };
  /** The addresses of all that ranking takes. */
  files: { details: object; result: string[] };
  /** Let Python keep what a function, of its first module unless another is named, makes of a text. */
  open: { details: { text: string; name?: string; module?: string }; result: void };
  /** Rank the board that is open; `text` is a `RankQuestion`, the result what `Ranking.fromAnswer` reads. What is
   * found step by step ends then. */
  rank: { details: { text: string; known: number }; result: ArrayBuffer };
  /** Keep how the values of the open board vary, from the file at an address; its modules are loaded first. At other
   * `priced` prices also from the file of `tokens`. */
  vary: { details: { address: string | null; tokens?: string; priced?: string }; result: void };
  /** What a function of a module opens, and finds step by step; null where a ranking was asked for meanwhile. */
  steps: { details: PythonCall; result: unknown };
  /** What a function of a module returns. */
  call: { details: PythonCall; result: string };
  /** Put a file at a path of Python's. */
  put: { details: { path: string; address: string }; result: void };
  /** Open a model's network and tokeniser, from the files at two addresses, with what runs them. */
  network: {
    details: {
      model: string;
      network: string;
      tokenizer: string;
      options: NetworkOptions;
      labels: string[];
      files: NetworkFiles;
    };
    result: void;
  };
  /** What a network answers to examples, in their order. */
  answers: { details: { model: string; examples: TriedExample[] }; result: TriedAnswer[] };
}

/** A function of a module is called with a JSON text and with how the values of the open board vary where that is
 * known; always with the `board` itself where that is true. */
export interface PythonCall {
  module: string;
  name: string;
  text: string;
  board?: boolean;
}

/** What the site's service worker uses of its own scope. */
export interface SiteWorker {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install", listener: () => void): void;
  addEventListener(type: "activate", listener: (event: SiteEvent) => void): void;
  addEventListener(
    type: "message",
    listener: (event: SiteEvent & { data: { keep: string[] } }) => void,
  ): void;
  addEventListener(type: "fetch", listener: (event: SiteFetch) => void): void;
}

interface SiteEvent {
  waitUntil(work: Promise<void>): void;
}

export interface SiteFetch extends SiteEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

export type WorkerKind = keyof WorkerActions;

/** A message to the worker. */
export type WorkerMessage = {
  [Kind in WorkerKind]: { id: number; kind: Kind } & WorkerActions[Kind]["details"];
}[WorkerKind];

/** What the worker answers a message with this `id`. Without one the whole worker is lost. `loaded` comes before the
 * answer: how many more bytes of a file are there. */
export type WorkerReply =
  | { id: number; loaded: number; result?: undefined; error?: undefined }
  | { id: number; result: WorkerActions[WorkerKind]["result"]; error?: undefined; loaded?: undefined }
  | { id?: number; result?: undefined; error: string; loaded?: undefined };

/** A place in a picture, in its own pixels: across and down. */
export type Point = [number, number];

/** Left, top, right and bottom, in pixels. */
export type Box = [number, number, number, number];

/** A round number on an axis. */
export interface Tick {
  value: number;
  text: string;
}

/** What a chart says of one of its marks: at which place, under which name. */
export interface Card {
  x: number;
  y: number;
  title: string;
  lines: string[];
}

/** A chart with marks to point at; a chart calls each of its marks by a number or a name of its own. */
export interface Pointable<Mark> {
  /** The mark at a place; null where none is near. */
  nearest(x: number, y: number): Mark | null;
  /** All marks, in the order in which keys go from one to the next. */
  along(): Mark[];
  /** Where keys begin. */
  start(): Mark | undefined;
  /** What is said of a mark; `place` is where the pointer is, null when keys are used. */
  card(mark: Mark, place: Point | null): Card;
  /** Show which mark is pointed at; null for none. */
  light(mark: Mark | null): void;
  /** Take a press on a mark. */
  choose?(mark: Mark): void;
}

/** The table behind a chart: the first column names the rows, the others are numbers. */
export interface ChartTable {
  heads: string[];
  rows: (string | number)[][];
}

/** What says how difficult samples are. `file` has its values, null for confidences;
 * `shares_encoder` are the models that are built on the encoder that the values were made with. */
export interface DifficultySourceData {
  name: string;
  label: string;
  meaning: string;
  percentages: number[];
  file: string | null;
  shares_encoder: string[];
  warning: string | null;
}

/** A model that can be chosen; `file` has its answers. */
export interface DifficultyModelData {
  id: string;
  label: string;
  file: string;
}

/** The island `difficulty-data`, see `_island` in generator/pages/difficulty_page.py. */
export interface DifficultyData {
  examples: string;
  models: DifficultyModelData[];
  sources: DifficultySourceData[];
  chosen: string[];
  percent: number;
  answer: Answer;
  noise: Noise;
}

/** The islands `board-urls` and `difficulty-urls`. */
export interface DifficultyUrls extends ScorerUrls, BoardUrls {}

/** How samples are parted, and what they weigh; `case` is null where reward and penalty are one's own, and
 * `percents` are those whose mean counts in place of `percent`. */
export interface DifficultyTerms {
  metric: string;
  percent: number;
  percents: number[] | null;
  models: string[];
  kind: "equal" | "thresholds" | "continuous";
  splits: number;
  thresholds: number[] | null;
  case: number | null;
  reward: number;
  penalty: number;
  scale: "linear" | "logarithmic" | "square";
  weights: number[] | null;
  ties: "mean" | "stable";
  zeros: "drop" | "clip";
  clip: number;
  factor: "one" | "confidence" | "difficulty" | "inverse";
}

/** What a visitor looks at on a difficulty page; `focus` is the highlighted model. */
export interface DifficultyView extends DifficultyTerms {
  focus: string | null;
}

/** The samples from difficulty `low` to `high`, null where there are none. */
export interface SplitOutline {
  low: number | null;
  high: number | null;
  examples: number;
  weight: number;
}

/** A split of one model; see `Split` in evaluator/rank/difficulty.py. Score and accuracy are in per cent. */
export interface Split extends SplitOutline {
  right: number;
  wrong: number;
  score: number | null;
  accuracy: number | null;
}

/** One model of an answer, its numbers in per cent; see `Row` in evaluator/rank/difficulty.py. */
export interface AnswerRow {
  model: string;
  value: number | null;
  accuracy: number;
  accuracy_scored: number | null;
  baseline: number | null;
  scored: number;
  splits: Split[];
  rank: number | null;
  accuracy_rank: number | null;
}

/** A ranking by difficulty; see `Answer` in evaluator/rank/difficulty.py. What is each model's own is null here. */
export interface Answer {
  metric: string;
  direction: "easy-high" | "hard-high";
  examples: number;
  scored: number | null;
  left_out: { no_difficulty: number } | null;
  splits: SplitOutline[] | null;
  models: AnswerRow[];
  counts: string[];
  notes: string[];
  words: AnswerWords;
}

/** What a page says of it, see `answer_words` in evaluator/rank/difficulty_sentences.py. */
export interface AnswerWords {
  leaders: string;
  note: string;
  splits: { name: string; right: number | null }[];
  ties: Record<string, string>;
  charts: DifficultyChartWords;
}

/** What the charts find, see `chart_words` there; `suns` are by model, or say why there are none. */
export interface DifficultyChartWords {
  ends: [string, string];
  swarm: string;
  splits: string;
  suns: Record<string, string> | string;
  lines: string;
}

/** A difficulty for each sample, null where it has none. */
export type Difficulties = (number | null)[];

/** What drawings show of each sample; see `Samples.points` in evaluator/rank/difficulty.py. Difficulties are shared
 * or by model, and `right` has a letter a sample: "1" where the model is right. */
export interface Points {
  difficulty: Difficulties | Record<string, Difficulties>;
  split: number[] | Record<string, number[]>;
  right: Record<string, string>;
}

/** Low and high end. */
export type Interval = [number, number];

/** The 95 % interval of a model's value, its rank set, and the places it gains on its rank by accuracy. */
export interface ModelNoise {
  value: Interval | null;
  set: Interval | null;
  moved: Interval;
  verdict: string;
}

/** What chance may do to an answer; see `Samples.noise` in evaluator/rank/difficulty.py. Models without a value
 * are not there. */
export interface Noise {
  models: { [model: string]: ModelNoise | undefined };
  lead: string;
  heat: string;
  within: string;
  sentences: string[];
}

/** A visitor's own answers: their model's id, the text of their file, and its name. */
export interface OwnAnswers {
  model: string;
  text: string;
  name: string;
}

/** What was read of such a file; see `OwnPredictions` in evaluator/rank/own_predictions.py. */
export interface OwnSummary {
  model: string;
  examples: number;
  answered: number;
  notes: string[];
}

/** The published record of a dataset's examples; `gold` are positions in `labels`. */
export interface ExamplesData {
  ids: string[];
  labels: string[];
  gold: number[];
  texts?: string[] | null;
}

/** One sample; `text` is how it begins, null where texts may not be published. */
export interface SampleData {
  id: string;
  text: string | null;
  gold: string | null;
}

/** What the parts of a difficulty page use of the page. `state` is the view as it is now. */
export interface DifficultyHost {
  data: DifficultyData;
  view: View<DifficultyView>;
  readonly state: DifficultyView;
  readonly source: DifficultySourceData;
  own: OwnAnswers | null;
  label(model: string): string;
  link(model: string): string;
  example(sample: number): SampleData;
  /** Where one split ends and the next begins, ascending. */
  boundaries(): number[];
  change(fields: Partial<DifficultyView>): void;
  set(fields: Partial<DifficultyView>): void;
  settle(): void;
  setThresholds(thresholds: number[]): void;
  pointOut(model: string): void;
  addOwn(own: OwnAnswers): Promise<OwnSummary>;
  removeOwn(): Promise<void>;
}

/** What the search of the documentation uses of lunr. `position` are places in a text, as [start, length]. */
export interface Lunr {
  (configure: (this: LunrBuilder) => void): LunrIndex;
  tokenizer(text: string): { toString(): string }[];
  Query: { wildcard: { TRAILING: number } };
}

export interface LunrBuilder {
  metadataWhitelist: string[];
  ref(field: string): void;
  field(field: string, options?: { boost: number }): void;
  add(doc: object, options: { boost: number }): void;
}

export interface LunrIndex {
  query(ask: (query: LunrQuery) => void): LunrResult[];
}

export interface LunrQuery {
  term(
    word: string,
    options: { boost?: number; wildcard?: number; usePipeline?: boolean; editDistance?: number },
  ): void;
}

export interface LunrResult {
  ref: string;
  matchData: { metadata: Record<string, Record<string, { position?: [number, number][] } | undefined>> };
}

declare global {
  /** The search engine that MkDocs brings, once its script has run. */
  var lunr: Lunr | undefined;
  /** Start the scorer's worker; made by scorer/start.js before any module runs. */
  var hireScorer: (files: WorkerFiles) => HiredWorker;
  interface Navigator {
    /** Not in every browser. */
    readonly connection?: { readonly saveData?: boolean };
  }
  /** The worker that start.js has hired already; null once an engine has taken it. */
  var earlyScorer: HiredWorker | null | undefined;
}

// The menu of boards opens without script; with it, it closes as other menus do.
import { byId } from "../base/elements.js";
import { prepareDrop } from "./drop.js";

prepareDrop(byId("boards-menu", HTMLDetailsElement));

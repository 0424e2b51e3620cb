// Starts a board's page.
import { BoardPage } from "./board-page.js";

new BoardPage().start();
